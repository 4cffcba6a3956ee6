"""The local socket: what another process of this person may ask the running assistant."""
