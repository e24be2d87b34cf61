"""Cases of losses."""
