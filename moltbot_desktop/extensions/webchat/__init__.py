"""WebChat: a page for a browser of this computer, on the loopback interface."""
