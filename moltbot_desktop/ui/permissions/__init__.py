"""The place "Permissions": what you allowed, what was done, and what left this computer."""
