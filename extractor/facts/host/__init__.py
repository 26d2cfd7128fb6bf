"""Facts of the host side: checks, quick returns, workspace, and when and how each kernel starts."""
