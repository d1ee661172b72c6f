"""`python -m metacortex` is the command line."""

from metacortex.cli import main

main()
