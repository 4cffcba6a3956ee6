"""Matrix as a channel, with end-to-end encryption."""
