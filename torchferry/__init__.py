"""The `torchferry` command; what it does lives in `workbench`."""
