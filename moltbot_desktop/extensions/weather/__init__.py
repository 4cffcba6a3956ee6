"""The weather in a place, from a service of the Open-Meteo shape."""
