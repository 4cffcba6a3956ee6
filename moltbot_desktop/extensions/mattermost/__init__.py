"""Mattermost, on the server of a company or of the owner."""
