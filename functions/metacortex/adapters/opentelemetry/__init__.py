"""Traces, sent by OpenTelemetry to a collector."""
