"""A study: plan -> chunks -> store -> tables, with resume."""
