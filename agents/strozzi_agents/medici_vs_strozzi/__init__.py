"""Agents of Medici vs Strozzi."""
