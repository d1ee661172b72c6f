"""Whatever speaks the HTTP interface that OpenAI made common."""
