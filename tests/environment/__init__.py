"""Environments and templates as callers use them."""
