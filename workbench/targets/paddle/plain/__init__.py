"""Paddle's plain forms: what an expert of Paddle writes, and when it is exact.

Every module here holds one `forms`, a FormSet. Measured on torch 2.13 and Paddle 3.3.1.
"""
