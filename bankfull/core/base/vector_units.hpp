#pragma once

namespace bankfull {

/// The widest vector instructions that this program was compiled for.
#if defined(__AVX512F__)
inline constexpr const char* compiled_vector_units = "AVX-512";
#elif defined(__AVX2__) && defined(__FMA__)
inline constexpr const char* compiled_vector_units = "AVX2 + FMA";
#elif defined(__AVX__)
inline constexpr const char* compiled_vector_units = "AVX";
#elif defined(__ARM_FEATURE_SVE)
inline constexpr const char* compiled_vector_units = "SVE";
#elif defined(__ARM_NEON)
inline constexpr const char* compiled_vector_units = "NEON";
#else
inline constexpr const char* compiled_vector_units = "baseline";
#endif

}  // namespace bankfull
