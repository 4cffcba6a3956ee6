"""What extensions hang onto: the hooks, and the handlers a person put into a folder."""
