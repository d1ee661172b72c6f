"""Gemini: embeddings, image descriptions and the judge, by the Gemini API or on Vertex AI."""
