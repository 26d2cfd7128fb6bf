"""Commands of ``kernels`` that need more than a few lines."""
