"""Verification of any port against its original, whoever wrote the port.

Importing this package loads neither torch nor a target; importing `workbench.verify.verification`
loads both.
"""
