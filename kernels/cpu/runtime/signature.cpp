#include "signature.hpp"

#include <cxxabi.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

namespace hipcpu {
namespace {

constexpr int rounds = 4;
constexpr size_t words_on_stack = 520;  // arguments may take 4 KiB
constexpr size_t places = 6 + 32 + words_on_stack;

uint64_t mark(size_t place, int round) {
  uint64_t z = (place * rounds + uint64_t(round) + 1) * 0x9e3779b97f4a7c15ull;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
  return z ^ (z >> 31);
}

struct Answer {
  uint32_t offset, bytes;
  uint64_t address;
  std::vector<unsigned char> value;
};
thread_local std::vector<Answer>* answers = nullptr;
thread_local int answering_round = 0;

bool place_of_address(uint64_t address, int round, size_t* place) {
  for (size_t p = 0; p < places; ++p)
    if (mark(p, round) == address) { *place = p; return true; }
  return false;
}

Piece::Where kind_of(size_t place, uint16_t* index) {
  if (place < 6) { *index = uint16_t(place); return Piece::integer; }
  if (place < 38) { *index = uint16_t(place - 6); return Piece::vector; }
  *index = uint16_t(place - 38);
  return Piece::stack;
}

// The types between the outermost parentheses of a demangled name.
std::vector<std::string> parameter_types(const std::string& name_of_kernel) {
  std::vector<std::string> types;
  int status = 0;
  // Demanglers before GCC 13 do not know the compiler's half and bfloat16, but an older half.
  std::string mangled = name_of_kernel;
  for (const char* recent : {"DF16_", "DF16b"})
    for (size_t at; (at = mangled.find(recent)) != std::string::npos;) mangled.replace(at, 5, "Dh");
  char* text = abi::__cxa_demangle(mangled.c_str(), nullptr, nullptr, &status);
  if (!text) return types;
  std::string name(text);
  free(text);
  size_t end = name.rfind(')'), begin = end;
  int depth = 0;
  for (; begin != std::string::npos; --begin) {
    if (name[begin] == ')') ++depth;
    if (name[begin] == '(' && !--depth) break;
    if (!begin) return types;
  }
  std::string current;
  depth = 0;
  for (size_t i = begin + 1; i < end; ++i) {
    char c = name[i];
    if (c == '<' || c == '(' || c == '[') ++depth;
    if (c == '>' || c == ')' || c == ']') --depth;
    if (c == ',' && !depth) { types.push_back(current); current.clear(); ++i; continue; }
    current += c;
  }
  types.push_back(current);
  return types;
}

}  // namespace

bool being_asked() { return answers != nullptr; }

bool note_argument(const void* argument, size_t bytes, size_t offset) {
  if (!answers) return false;
  Answer answer{uint32_t(offset), uint32_t(bytes), reinterpret_cast<uint64_t>(argument), {}};
  size_t place;
  if (!place_of_address(answer.address, answering_round, &place)) {
    auto* from = static_cast<const unsigned char*>(argument);
    answer.value.assign(from, from + bytes);
  }
  answers->push_back(std::move(answer));
  return true;
}

// Leaves known bytes below the caller's frame, so that what a stub does not store is the same each time.
__attribute__((noinline)) static void wipe_stack() {
  volatile char area[16384];
  for (size_t i = 0; i < sizeof area; ++i) area[i] = 0;
}

bool find_signature(void* stub, const std::string& mangled, Signature* signature, std::string* reason) {
  std::vector<Answer> heard[rounds];
  static uint64_t words[words_on_stack];
  for (int round = 0; round < rounds; ++round) {
    CallImage image{};
    for (size_t i = 0; i < 6; ++i) image.integers[i] = mark(i, round);
    for (size_t i = 0; i < 32; ++i) image.vectors[i / 4][i % 4] = mark(6 + i, round);
    for (size_t i = 0; i < words_on_stack; ++i) words[i] = mark(38 + i, round);
    image.stack_words = words_on_stack;
    image.stack = words;
    image.use_avx = __builtin_cpu_supports("avx") ? 1 : 0;
    answers = &heard[round];
    answering_round = round;
    wipe_stack();
    hipcpu_call(&image, stub);
    answers = nullptr;
    if (heard[round].size() != heard[0].size()) { *reason = "its launch stub does not always set up the same arguments"; return false; }
  }
  std::vector<std::string> types = parameter_types(mangled);
  size_t next_integer = 0;
  for (size_t a = 0; a < heard[0].size(); ++a) {
    const Answer& first = heard[0][a];
    signature->parameters.emplace_back(first.offset, first.bytes);
    signature->bytes = std::max<size_t>(signature->bytes, first.offset + first.bytes);
    size_t place;
    uint16_t index;
    if (first.value.empty()) {
      if (!place_of_address(first.address, 0, &place)) { *reason = "a parameter's address makes no sense"; return false; }
      Piece::Where where = kind_of(place, &index);
      if (where == Piece::integer) next_integer = index + 1u;
      if (where == Piece::stack) signature->stack_words = std::max<size_t>(signature->stack_words, index + 1u);
      signature->references.push_back({where, index, first.offset, first.bytes});
      continue;
    }
    bool found_any = false;
    for (size_t at = 0; at < first.bytes; at += 8) {
      size_t bytes = std::min<size_t>(8, first.bytes - at), best = 0, best_place = 0;
      for (size_t p = 0; p < places; ++p) {
        size_t same = bytes;
        for (int round = 0; round < rounds; ++round) {
          uint64_t expected = mark(p, round);
          const unsigned char* got = heard[round][a].value.data() + at;
          size_t n = 0;
          while (n < same && got[n] == (unsigned char)(expected >> (8 * n))) ++n;
          same = n;
        }
        if (same > best) { best = same; best_place = p; }
      }
      if (!best && first.bytes == 1) {
        // A bool: the stub keeps one bit of the register. It is the next integer in line.
        size_t candidate = next_integer < 6 ? next_integer : 38 + signature->stack_words;
        bool fits = true;
        for (int round = 0; round < rounds; ++round) fits = fits && heard[round][a].value[0] == (mark(candidate, round) & 1);
        if (fits) { best = 1; best_place = candidate; }
      }
      if (!best) continue;  // padding, or an empty class
      found_any = true;
      Piece piece{};
      piece.where = kind_of(best_place, &piece.index);
      piece.offset = uint16_t(first.offset + at);
      piece.bytes = uint8_t(bytes);
      if (bytes <= 2 && a < types.size())
        piece.sign_extend = types[a] == "short" || types[a] == "char" || types[a] == "signed char";
      if (piece.where == Piece::integer) next_integer = std::max<size_t>(next_integer, piece.index + 1u);
      if (piece.where == Piece::vector) signature->uses_vectors = true;
      if (piece.where == Piece::stack) signature->stack_words = std::max<size_t>(signature->stack_words, piece.index + 1u);
      signature->pieces.push_back(piece);
    }
    if (!found_any && first.bytes > 1 && first.bytes <= 16) {
      bool constant = true;
      for (int round = 1; round < rounds; ++round) constant = constant && heard[round][a].value == first.value;
      if (!constant) { *reason = "parameter " + std::to_string(a + 1) + " comes from no register and no stack word"; return false; }
    }
  }
  return true;
}

void fill_image(const Signature& signature, const char* arguments, CallImage* image, uint64_t* stack) {
  memset(image, 0, sizeof *image);
  memset(stack, 0, signature.stack_words * 8);
  image->stack = stack;
  image->stack_words = signature.stack_words;
  image->use_avx = signature.uses_vectors && __builtin_cpu_supports("avx");
  for (const Piece& piece : signature.pieces) {
    uint64_t word = 0;
    memcpy(&word, arguments + piece.offset, piece.bytes);
    if (piece.sign_extend) word = piece.bytes == 1 ? uint64_t(int64_t(int8_t(word))) : uint64_t(int64_t(int16_t(word)));
    uint64_t* to = piece.where == Piece::integer ? &image->integers[piece.index]
                   : piece.where == Piece::vector ? &image->vectors[piece.index / 4][piece.index % 4]
                                                  : &stack[piece.index];
    *to = word;
  }
}

}  // namespace hipcpu
