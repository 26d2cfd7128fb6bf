"""HIP on the processor of this machine.

How a kernel becomes code of this machine. No text is rewritten: clang parses the unit twice, as it
does for a GPU, with HIP headers of our own (``include/``).

* The **host pass** is clang's ordinary HIP host pass (``-x hip --cuda-host-only``). It turns
  ``k<<<…>>>(…)``, wherever it stands, in a macro, in a template, through a pointer, into a call of
  k's launch stub. The older launch interface is asked for (``-fno-hip-new-launch-api``), in which
  the stub hands over the size and offset of each argument.
* The **device pass** is the same with ``-Xclang -fcuda-is-device``. It parses and compiles
  ``__global__`` and ``__device__`` functions alone, under all rules of device code, but the target
  is still this machine. Calls stay ``convergent`` there, so that no optimisation splits a barrier
  or a shuffle. ``__shared__`` is ``thread_local`` beside its attribute, which clang accepts on
  every declaration HIP allows: one block runs at a time on one thread of the machine. An ``extern
  __shared__`` array is then a thread-local symbol that the object leaves undefined; the linker
  finds it in a small object with room for dynamic LDS.
* The device object becomes a shared object of its own and travels inside the host object, where a
  GPU's fat binary would be. A manifest beside it says which LDS variables each kernel reaches,
  found from the relocations (:mod:`kernels.cpu.code_object`).
* At a launch, the runtime (``runtime/``) must call a function whose parameters it does not know. It
  finds out by calling the stub with known values in every register (``runtime/signature.hpp``).

Lanes run one after the other up to the next wait, in an order that the schedule chooses, which is
what shows races. A kernel that counts on the lanes of a wavefront running in lockstep can be built
so that they do (``lockstep``): the compiler then calls the runtime before every access to memory,
and the lanes of a wavefront meet there. With the schedule ``together`` wavefronts take turns, too,
as they do on a compute unit.

So what is not seen here would not be seen by the GPU's compiler either. The limits: x86-64 Linux;
inline assembly of AMDGPU does not compile; builtins of the AMDGPU target exist as far as
``include/hipcpu/amdgcn.h`` has them (no MFMA); textures and surfaces are not there; a thread that
waits by reading memory in a loop without a fence, an atomic or a sleep is interrupted only when it
runs in lockstep; otherwise nobody can help it, and the run ends at its time limit.
"""
