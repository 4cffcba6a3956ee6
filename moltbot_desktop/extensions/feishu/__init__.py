"""Feishu and Lark, through an app of the owner's own."""
