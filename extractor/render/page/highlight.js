// Colours for HIP C++, line by line, as spans of text.

const KEYWORDS = new Set(("alignas alignof asm auto bool break case catch char class const constexpr "
  + "continue decltype default delete do double else enum explicit extern false float for friend "
  + "goto if inline int long mutable namespace new noexcept nullptr operator private protected "
  + "public register return short signed sizeof static static_assert static_cast struct switch "
  + "template this throw true try typedef typename union unsigned using virtual void volatile "
  + "while reinterpret_cast const_cast size_t int32_t int64_t uint32_t uint64_t").split(" "));
const DEVICE = new Set(("__global__ __device__ __host__ __shared__ __launch_bounds__ "
  + "__forceinline__ __restrict__ __syncthreads blockIdx threadIdx blockDim gridDim warpSize "
  + "hipLaunchKernelGGL ROCBLAS_KERNEL ROCBLAS_KERNEL_NO_BOUNDS ROCSOLVER_KERNEL "
  + "ROCBLAS_KERNEL_ILF ROCBLAS_LAUNCH_KERNEL ROCBLAS_LAUNCH_KERNEL_GRID ROCSOLVER_LAUNCH_KERNEL "
  + "atomicAdd __shfl __shfl_down __shfl_xor __builtin_nontemporal_load").split(" "));
const TOKEN = new RegExp([
  "(?<comment>\\/\\/.*|\\/\\*.*?(?:\\*\\/|$))",
  "(?<string>(?:u8|[uUL])?\"(?:\\\\.|[^\"\\\\])*\"?|(?:u8|[uUL])?'(?:\\\\.|[^'\\\\])*')",
  "(?<number>\\b(?:0[xX][\\da-fA-F']+|\\d[\\d']*(?:\\.\\d*)?(?:[eE][+-]?\\d+)?)[a-zA-Z]*)",
  "(?<word>[A-Za-z_]\\w*)",
].join("|"), "g");

/** Cuts source text into lines of [class, text] pieces; block comments and raw lines carry on. */
export function highlight(text) {
  let inComment = false;
  let inDirective = false;
  return text.replace(/\r?\n$/, "").split(/\r?\n/).map((line) => {
    const pieces = [];
    let rest = line;
    if (inComment) {
      const end = rest.indexOf("*/");
      const taken = end < 0 ? rest.length : end + 2;
      pieces.push(["comment", rest.slice(0, taken)]);
      rest = rest.slice(taken);
      inComment = end < 0;
    }
    const directive = inDirective || /^\s*#/.test(rest);
    inDirective = directive && /\\\s*$/.test(line);
    let at = 0;
    for (const match of rest.matchAll(TOKEN)) {
      if (match.index > at) pieces.push(["", rest.slice(at, match.index)]);
      const [piece] = match;
      pieces.push([classOf(match, rest, directive), piece]);
      if (piece.startsWith("/*") && !piece.endsWith("*/")) inComment = true;
      at = match.index + piece.length;
    }
    if (at < rest.length) pieces.push(["", rest.slice(at)]);
    return pieces;
  });
}

function classOf(match, line, directive) {
  const { comment, string, number, word } = match.groups;
  if (comment !== undefined) return "comment";
  if (string !== undefined) return "string";
  if (number !== undefined) return "number";
  if (DEVICE.has(word)) return "device-word";
  if (KEYWORDS.has(word)) return "keyword";
  if (directive) return "directive";
  return /^\s*(?:\(|<<<)/.test(line.slice(match.index + word.length)) ? "call" : "";
}
