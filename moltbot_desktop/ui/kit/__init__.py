"""What the places are put together from: a list beside its details, states, questions, notices.

Sizes come from `measures`, colours from the style sheet, by object names. Nothing here knows what
it shows.
"""
