"""Answers to the ports: one package for each outside system."""
