"""What a report of Medici vs Strozzi has: its tables, pictures, heat maps and sentences."""
