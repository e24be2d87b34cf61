"""`python -m lsp_server` serves on standard input and output, as `torchferry lsp` does."""

from lsp_server.server import main

if __name__ == "__main__":
    main(None)
