"""Chat models and embedders: llama.cpp's owner thread, and the pure decoding pieces around it."""
