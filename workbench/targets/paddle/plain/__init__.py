"""Paddle's plain forms: idiomatic Paddle code, with the conditions under which it is exact.

Every module here has a FormSet `forms`. Measured with torch 2.13 and Paddle 3.3.1.
"""
