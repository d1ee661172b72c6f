"""Dates as people write them, and the periods that they mean."""
