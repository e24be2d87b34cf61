"""Serves Torchferry to agents by the Model Context Protocol: `torchferry mcp`."""
