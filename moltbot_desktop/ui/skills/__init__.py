"""The place "Skills": what the assistant was taught, how each stands, adding and trusting."""
