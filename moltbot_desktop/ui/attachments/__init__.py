"""Files that come with a message: chosen, shown before they are sent, and seen again after."""
