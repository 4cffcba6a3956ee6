"""Discord as a channel: a bot of the owner's own, in private messages and on servers."""
