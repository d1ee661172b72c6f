"""Gemini: embeddings and image descriptions, by the Gemini API or on Vertex AI."""
