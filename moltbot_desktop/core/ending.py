"""How the program says at its end that it is to be started again."""

AGAIN = 75
"""Exit status of the desktop program whose owner pressed "Start again"; no shell sees it, for
`app.again` takes its place."""
