"""The place "Models": which models are here, which can be fetched, and what answers."""
