"""Plans as findings, and comments that hide them."""
