"""The face of studies: command line, tools for assistants, and reports. Nothing below imports it when it is loaded."""
