"""What is remembered and the laws it follows: pure values, no clock, no chance, no I/O."""
