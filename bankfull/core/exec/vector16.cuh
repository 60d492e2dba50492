#pragma once

#include <bit>

namespace bankfull {

/// 16 bytes, the widest access of one thread. Addresses are multiples of 16 bytes.
template <class T>
struct alignas(16) Vector16 {
  static constexpr int width = 16 / static_cast<int>(sizeof(T));  ///< elements
  T lane[16 / sizeof(T)];                                         ///< the lowest address first
};

/// Reads data that is not written during the kernel and not read again soon: bypasses L1.
template <class T>
__device__ __forceinline__ Vector16<T> load_once(const T* at) {
  uint4 words;
  asm volatile("ld.global.nc.L1::no_allocate.v4.u32 {%0,%1,%2,%3}, [%4];"
               : "=r"(words.x), "=r"(words.y), "=r"(words.z), "=r"(words.w)
               : "l"(at));
  return std::bit_cast<Vector16<T>>(words);
}

/// Reads data that is not written during the kernel and that neighbours read too: through L1.
template <class T>
__device__ __forceinline__ Vector16<T> load_cached(const T* at) {
  return std::bit_cast<Vector16<T>>(__ldg(reinterpret_cast<const uint4*>(at)));
}

/// Writes data that is not read again soon.
template <class T>
__device__ __forceinline__ void store_once(T* at, const Vector16<T>& value) {
  __stcs(reinterpret_cast<uint4*>(at), std::bit_cast<uint4>(value));
}

/// Reads from shared memory.
template <class T>
__device__ __forceinline__ Vector16<T> load_shared(const T* at) {
  return std::bit_cast<Vector16<T>>(*reinterpret_cast<const uint4*>(at));
}

/// Writes to shared memory.
template <class T>
__device__ __forceinline__ void store_shared(T* at, const Vector16<T>& value) {
  *reinterpret_cast<uint4*>(at) = std::bit_cast<uint4>(value);
}

/// Shared-memory address as used by instructions on it.
__device__ __forceinline__ unsigned shared_address(const void* at) {
  return static_cast<unsigned>(__cvta_generic_to_shared(at));
}

/// One predicated load from shared memory: a branch would cost more than the load.
__device__ __forceinline__ void load_shared_if(bool wanted, float& to, const float* at) {
  asm volatile("{.reg .pred p; setp.ne.s32 p, %2, 0; @p ld.shared.f32 %0, [%1];}"
               : "+f"(to)
               : "r"(shared_address(at)), "r"(static_cast<int>(wanted))
               : "memory");
}
/// The same for fp64.
__device__ __forceinline__ void load_shared_if(bool wanted, double& to, const double* at) {
  asm volatile("{.reg .pred p; setp.ne.s32 p, %2, 0; @p ld.shared.f64 %0, [%1];}"
               : "+d"(to)
               : "r"(shared_address(at)), "r"(static_cast<int>(wanted))
               : "memory");
}

}  // namespace bankfull
