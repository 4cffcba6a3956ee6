"""Channels: ways for messages to come in and answers to go out. They know `sdk.channels` only."""
