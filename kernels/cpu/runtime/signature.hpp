// Where each argument of a kernel goes, found by asking its launch stub.
//
// The compiler's stub of k<<<…>>>(…) takes k's own parameters and hands the address, size and
// offset of each to hipSetupArgument. Called with a different known value in every register and
// stack word that can carry an argument, it shows which of them carry which part of which
// parameter. So a kernel of any signature can be called from the bytes of its arguments, and no
// type has to be known here.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "context.hpp"

namespace hipcpu {

// Eight bytes of a parameter (fewer at its end) and the place that carries them.
struct Piece {
  enum Where : uint8_t { integer, vector, stack } where;
  uint16_t index;   // register, four words to a vector register, or stack word
  uint16_t offset;  // in the argument buffer
  uint8_t bytes;
  bool sign_extend;
};

// A parameter passed by the address of a copy.
struct Reference {
  Piece::Where where;
  uint16_t index;
  uint32_t offset;
  uint32_t bytes;
};

struct Signature {
  std::vector<std::pair<uint32_t, uint32_t>> parameters;  // offset and size
  std::vector<Piece> pieces;
  std::vector<Reference> references;
  size_t bytes = 0;
  size_t stack_words = 0;
  bool uses_vectors = false;
};

// Asks the stub; false, with a reason, if its answers make no sense.
bool find_signature(void* stub, const std::string& mangled_name, Signature* signature, std::string* reason);

// Fills the image from an argument buffer. `stack` must have room for the signature's stack words.
void fill_image(const Signature& signature, const char* arguments, CallImage* image, uint64_t* stack);

// What hipSetupArgument does while a stub is being asked; false if none is.
bool note_argument(const void* argument, size_t bytes, size_t offset);
bool being_asked();

}  // namespace hipcpu
