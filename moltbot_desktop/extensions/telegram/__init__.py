"""Telegram by its Bot API: private chats, groups, topics, files."""
