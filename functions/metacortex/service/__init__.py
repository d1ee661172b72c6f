"""The use cases: each takes a principal and domain values, and sees the outside through ports."""
