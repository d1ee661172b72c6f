"""What answers a query as one text under a budget."""
