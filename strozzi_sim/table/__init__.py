"""The page of a table: its JSON, the script that shows it, and the table of a game that declares none."""
