"""XMPP (Jabber) as a channel, over slixmpp."""
