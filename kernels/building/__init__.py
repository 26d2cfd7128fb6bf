"""Building kernels: compilers, the cache of what they made, and reading what they made."""
