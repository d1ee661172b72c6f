"""Requests in, answers out: HTTP, the door in front of it, and MCP."""
