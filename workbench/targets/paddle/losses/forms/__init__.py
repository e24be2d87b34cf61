"""Plain forms of losses."""
