"""What is known: facts and when they hold, entities, the graph between them, contradictions."""
