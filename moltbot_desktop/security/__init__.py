"""What the assistant may do: labels, verdicts, approvals and the guards of paths."""
