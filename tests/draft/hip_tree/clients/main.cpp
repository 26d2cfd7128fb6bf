#error a client is not the library
