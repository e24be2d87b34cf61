"""The `torchferry` command, which is implemented in `workbench`."""
