"""Facts for people: a page for an interface, tables and suspicions for a library."""
