"""What answers the ports on one machine: embedding models, the secret scanner, the absent describer."""
