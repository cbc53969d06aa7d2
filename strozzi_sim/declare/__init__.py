"""What a game declares of its report: pages, pictures, heat maps, findings and labels, as data and as tables."""
