"""A port as a project: its plan, the steps that carry it out, and the commits that keep them."""
