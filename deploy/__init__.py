"""Brings MetaCortex to Google Cloud: checks before, the deployment itself, and the way back."""
