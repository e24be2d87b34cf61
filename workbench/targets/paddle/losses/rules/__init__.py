"""Rules of losses."""
