"""Functions that generated modules define at their top: torch's semantics in Paddle alone.

Their source is copied into the module, so that each stands on its own: it may use `paddle`, `F`
and `math`, and other helpers of any file here.
"""
