"""HIP on NVIDIA cards: headers of our own that give nvcc HIP's names and semantics."""
