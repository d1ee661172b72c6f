"""The embedded engine: one SQLite file, exact vector search."""
