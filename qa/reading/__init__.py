"""What the text of one function says, read with a C++ grammar."""
