"""What a command line says, and how much may run unasked: pure, without a shell."""
