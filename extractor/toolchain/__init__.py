"""The compiler, libclang and headers that parse HIP here."""
