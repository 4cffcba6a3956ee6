"""The program's own memory, as the plugin that usually fills the slot `memory`."""
