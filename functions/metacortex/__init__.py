"""MetaCortex: a remote memory that any chat client can use."""
