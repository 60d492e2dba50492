#pragma once

// The only place that distinguishes the host and device compilers.
#if defined(__CUDACC__)
#define BANKFULL_HOST_DEVICE __host__ __device__
#else
#define BANKFULL_HOST_DEVICE
#endif

// Before a loop over arrays that have to stay in the registers of a GPU's thread.
#if defined(__CUDA_ARCH__)
#define BANKFULL_UNROLL _Pragma("unroll")
#else
#define BANKFULL_UNROLL
#endif

// For the few functions that hot loops call and that must not become calls.
#define BANKFULL_ALWAYS_INLINE [[gnu::always_inline]] inline
