set(tinysparse_source
  src/logging.cpp
  src/scale.cpp)
