"""Models behind an address: chat and embeddings over HTTP. Nothing here is used, or connects
anywhere, unless moltbot.json names a provider."""
