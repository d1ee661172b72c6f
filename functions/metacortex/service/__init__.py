"""The use cases. Each takes a principal and domain values, and speaks to the outside through ports."""
