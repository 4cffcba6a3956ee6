"""The parts of packaging/dev.py. Standard library only: this runs before anything is installed."""
