/* What all files of the compiled core share: plain C11 over plain arrays, no Python header.

   Functions return a status, never allocate, never abort, and trust the arrays that they are given:
   `native.py`, their only caller, checks types, contiguity, lengths and ranges of indices first. */
#ifndef HALFWIDTH_H
#define HALFWIDTH_H

#include <stdint.h>
#include <string.h>

#if defined(_WIN32)
#define EXPORT __declspec(dllexport)
#else
#define EXPORT
#endif

/* A function compiled for several generations of a processor, of which the loader picks one; the
   build finds out by trial what the compiler understands. */
#ifndef CLONES
#define CLONES
#endif

#if defined(__GNUC__)
#define INLINE static inline __attribute__((always_inline))
#elif defined(_MSC_VER)
#define INLINE static __forceinline
#else
#define INLINE static inline
#endif

/* A function of a header that some of the files that include it do not call. */
#if defined(__GNUC__)
#define MAYBE_UNUSED __attribute__((unused))
#else
#define MAYBE_UNUSED
#endif

#if defined(__GNUC__)
#define CALL_FOR(address) __builtin_prefetch(address)
#else
#define CALL_FOR(address) ((void)(address))
#endif

/* Vectors of a fixed length, whose elements are put into another order. */
#if defined(__has_builtin)
#define HAS_SHUFFLE __has_builtin(__builtin_shufflevector)
#else
#define HAS_SHUFFLE 0
#endif

#if defined(__GNUC__)
#define UNROLL_16 _Pragma("GCC unroll 16")
#else
#define UNROLL_16
#endif

#if defined(_MSC_VER) && !defined(__clang__)
#define RESTRICT __restrict
#else
#define RESTRICT restrict
#endif

enum { DONE = 0, BAD_ARGUMENT = 1 };

/* Resamples that are worked on side by side. */
#define LANES 32

/* ------------------------------------------------------------------ products of 64 bits */

#if defined(__SIZEOF_INT128__)
INLINE uint64_t product(uint64_t left, uint64_t right, uint64_t *low) {
    unsigned __int128 whole = (unsigned __int128)left * right;
    *low = (uint64_t)whole;
    return (uint64_t)(whole >> 64);
}
#elif defined(_MSC_VER) && defined(_M_X64)
#include <intrin.h>
INLINE uint64_t product(uint64_t left, uint64_t right, uint64_t *low) {
    return _umul128(left, right, low);
}
#elif defined(_MSC_VER) && defined(_M_ARM64)
#include <intrin.h>
INLINE uint64_t product(uint64_t left, uint64_t right, uint64_t *low) {
    *low = left * right;
    return __umulh(left, right);
}
#else
#error "a compiler for 64 bits that multiplies two words into two is needed"
#endif

#endif
