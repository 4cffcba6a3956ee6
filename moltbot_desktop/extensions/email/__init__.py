"""E-mail as a channel: IMAP over imap-tools, SMTP over the standard library."""
