"""The place "Backup": saving everything, bringing it in, snapshots, what a helper needs."""
