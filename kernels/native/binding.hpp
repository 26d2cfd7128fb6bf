// Binding a HIP function or kernel to Python, on torch tensors and numpy arrays.
#pragma once
#include <hip/hip_complex.h>
#include <pybind11/pybind11.h>

#include <complex>

#include "arguments.hpp"

namespace rocquarry {
namespace py = pybind11;

// What Python calls an element of this type; empty for types that only their size describes.
template <class T> const char* type_name() {
  using U = std::remove_cv_t<T>;
  if constexpr (std::is_same_v<U, float>) return "float32";
  else if constexpr (std::is_same_v<U, double>) return "float64";
  else if constexpr (std::is_same_v<U, _Float16>) return "float16";
  else if constexpr (std::is_same_v<U, std::complex<float>>) return "complex64";
  else if constexpr (std::is_same_v<U, std::complex<double>>) return "complex128";
  else if constexpr (std::is_same_v<U, bool>) return "bool";
  else if constexpr (std::is_integral_v<U>) {
    constexpr const char* names[2][4] = {{"uint8", "uint16", "uint32", "uint64"}, {"int8", "int16", "int32", "int64"}};
    return names[std::is_signed_v<U>][sizeof(U) == 1 ? 0 : sizeof(U) == 2 ? 1 : sizeof(U) == 4 ? 2 : 3];
  } else return "";
}

// The address of an array's data. A torch tensor must be contiguous, so must a numpy array, and the
// element type must be the parameter's.
template <class P> P pointer_to(const py::handle& array, const std::string& name) {
  using T = std::remove_pointer_t<P>;
  if (array.is_none()) return nullptr;
  std::string found;
  uintptr_t address;
  if (py::hasattr(array, "data_ptr")) {
    if (!array.attr("is_contiguous")().cast<bool>()) throw py::value_error("'" + name + "' is not contiguous");
    found = py::str(array.attr("dtype")).cast<std::string>();
    if (found.rfind("torch.", 0) == 0) found = found.substr(6);
    address = array.attr("data_ptr")().cast<uintptr_t>();
  } else if (py::hasattr(array, "__array_interface__")) {
    auto interface = array.attr("__array_interface__").cast<py::dict>();
    if (!interface["strides"].is_none()) throw py::value_error("'" + name + "' is not contiguous");
    auto data = interface["data"].cast<py::tuple>();
    if (!std::is_const_v<T> && data[1].cast<bool>()) throw py::value_error("'" + name + "' is read-only");
    found = py::str(array.attr("dtype").attr("name")).cast<std::string>();
    address = data[0].cast<uintptr_t>();
  } else {
    throw py::type_error("'" + name + "' is neither a torch tensor nor a numpy array");
  }
  std::string wanted = type_name<T>();
  if (!wanted.empty() && found != wanted) throw py::type_error("'" + name + "' holds " + found + ", the kernel takes " + wanted);
  return reinterpret_cast<P>(address);
}

template <class P> std::decay_t<P> from_python(const py::handle& object, const std::string& name) {
  using T = std::decay_t<P>;
  if constexpr (std::is_same_v<T, hipStream_t>) {
    return reinterpret_cast<T>(object.is_none() ? 0 : object.cast<uintptr_t>());
  } else if constexpr (std::is_pointer_v<T>) {
    return pointer_to<T>(object, name);
  } else if constexpr (std::is_same_v<T, hipFloatComplex> || std::is_same_v<T, hipDoubleComplex>) {
    auto z = object.cast<std::complex<double>>();
    T value;
    value.x = decltype(value.x)(z.real());
    value.y = decltype(value.y)(z.imag());
    return value;
  } else if constexpr (std::is_enum_v<T>) {
    return T(object.cast<long long>());
  } else if constexpr (std::is_arithmetic_v<T>) {
    return object.cast<T>();
  } else {
    return T(object.cast<float>());  // half and bfloat16
  }
}

inline void check(hipError_t error) {
  if (error != hipSuccess) throw std::runtime_error(std::string(hipGetErrorName(error)) + ": " + hipGetErrorString(error));
}
inline dim3 dimensions(const py::handle& object) {
  if (py::isinstance<py::int_>(object)) return dim3(object.cast<uint32_t>());
  uint32_t n[3] = {1, 1, 1};
  size_t i = 0;
  for (auto item : object)
    if (i < 3) n[i++] = item.cast<uint32_t>();
  return dim3(n[0], n[1], n[2]);
}
inline const py::handle argument(const py::args& given, size_t place, size_t wanted, size_t before) {
  if (given.size() != wanted + before)
    throw py::type_error("takes " + std::to_string(wanted + before) + " arguments, got " + std::to_string(given.size()));
  return given[place + before];
}

template <class R, class... P, size_t... I>
void bind_function(py::module_& m, const char* name, R (*function)(P...), std::vector<std::string> names, std::index_sequence<I...>) {
  m.def(name, [=](const py::args& given) {
    if constexpr (sizeof...(P) == 0) argument(given, 0, 0, 0);
    if constexpr (std::is_same_v<R, hipError_t>) check(function(from_python<P>(argument(given, I, sizeof...(P), 0), names[I])...));
    else (void)function(from_python<P>(argument(given, I, sizeof...(P), 0), names[I])...);
    check(hipGetLastError());
    check(hipDeviceSynchronize());
  });
}
// m.NAME(argument, …): calls a host function that launches what it launches.
template <class R, class... P> void bind(py::module_& m, const char* name, R (*function)(P...), std::vector<std::string> names) {
  names.resize(sizeof...(P), "an argument");
  bind_function(m, name, function, names, std::index_sequence_for<P...>{});
}

template <class... P, size_t... I>
void bind_kernel_with(py::module_& m, const char* name, void (*kernel)(P...), std::vector<std::string> names, std::index_sequence<I...>) {
  m.def(name, [=](const py::args& given) {
    argument(given, 0, sizeof...(P), 3);
    kernel<<<dimensions(given[0]), dimensions(given[1]), given[2].cast<size_t>(), 0>>>(
        from_python<P>(argument(given, I, sizeof...(P), 3), names[I])...);
    check(hipGetLastError());
    check(hipDeviceSynchronize());
  });
}
// m.NAME(grid, block, shared_bytes, argument, …): launches a kernel.
template <class... P> void bind_kernel(py::module_& m, const char* name, void (*kernel)(P...), std::vector<std::string> names) {
  names.resize(sizeof...(P), "an argument");
  bind_kernel_with(m, name, kernel, names, std::index_sequence_for<P...>{});
}

}  // namespace rocquarry
