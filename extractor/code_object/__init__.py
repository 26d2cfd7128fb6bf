"""AMDGPU code objects and what can be read from them."""
