"""Facts compared with what kernels do when they run on this machine.

The extractor proves an index map from the syntax tree. Here the same kernel runs on the CPU runtime
and every access is recorded with its address: two tools that share nothing have to agree.
"""
