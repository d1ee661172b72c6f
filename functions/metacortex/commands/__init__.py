"""The commands of `metacortex`: one module for each group of verbs."""
