"""Internet Relay Chat: a client of our own, because a line protocol is smaller than a library."""
