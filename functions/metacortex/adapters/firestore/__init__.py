"""Memories, events and registered clients in Firestore."""
