"""Past conversations beside the chat: the list, its search, and what is done with them."""
