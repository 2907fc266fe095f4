"""Building blocks of panels and screens."""
