"""The launches that a library itself makes, with the arguments that it gives its kernels."""
