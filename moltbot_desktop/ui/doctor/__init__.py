"""The place "Doctor": what is not as it should be, why it matters, and how it is mended."""
