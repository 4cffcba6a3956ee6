"""A second engine for the memory slot: the same notes, found with LanceDB."""
