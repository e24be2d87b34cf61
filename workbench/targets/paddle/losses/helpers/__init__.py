"""Helper functions of losses."""
