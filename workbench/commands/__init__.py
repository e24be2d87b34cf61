"""Commands of `torchferry` that run models: each imports torch when it is used, and not before."""
