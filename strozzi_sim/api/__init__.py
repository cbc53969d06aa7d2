"""The Python door: what `import strozzi_sim` offers, in functions that take names or objects and give Results."""
