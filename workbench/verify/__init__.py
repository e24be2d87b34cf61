"""Any port held against its original, whoever wrote it.

Importing this package loads neither torch nor a target; `workbench.verify.verification` does.
"""
