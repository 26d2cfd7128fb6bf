"""Facts about kernels and launchers, each with the tool that proved it."""
