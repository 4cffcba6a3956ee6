"""The ways models write a tool call: one file a way, all behind `contract.CallFormat`."""
