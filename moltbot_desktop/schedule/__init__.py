"""What happens by itself: reminders, jobs and their ledger, heartbeat, standing intents."""
