"""Signal: an account of the owner's, by signal-cli on this computer."""
