"""`open`: an address, a document or a program, by the system's default. From the outside in: `tool`
(what the model calls), `targets` (what a text means), `desk` (who opens it on this computer),
`entries` (the programs of a Linux desktop)."""
