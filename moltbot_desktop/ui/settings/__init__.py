"""Settings: draws `sdk.forms` nodes as widgets and turns what the person does to them
into edits. It knows neither JSON Schema nor the settings file.
"""
