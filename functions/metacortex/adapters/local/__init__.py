"""Models and detectors that run on this machine, without a network."""
