/* Standard exponential draws: Dirichlet weights are exponentials over their sum.

   `draw_exponentials` makes them a block of Philox at a time, EXPONENTIALS to a block. Resample b of
   `units` draws owns the blocks b m to (b + 1) m - 1, m = exponential_blocks(units). Each half of a
   word, the low one first, is an integer r of 32 bits and stands for -log((r + 1/2) / 2^32). No
   library is asked for the logarithm: the steps below are rounded alike on every processor, and
   `rng.exponentials` takes the same ones. */
#ifndef HALFWIDTH_EXPONENTIALS_H
#define HALFWIDTH_EXPONENTIALS_H

#include "philox.h"

#define EXPONENTIALS 8
/* Blocks whose words are made at a time; they stay in the first cache. */
#define EXPONENTIAL_PIECE 128

INLINE uint64_t exponential_blocks(uint64_t units) {
    return (units + EXPONENTIALS - 1) / EXPONENTIALS;
}

INLINE double from_bits(uint64_t bits) {
    double number;
    memcpy(&number, &bits, sizeof number);
    return number;
}

INLINE uint64_t to_bits(double number) {
    uint64_t bits;
    memcpy(&bits, &number, sizeof bits);
    return bits;
}

/* A whole number below 2^52 as a float, by its place in the digits of 2^52. */
INLINE double as_float(uint64_t whole) {
    return from_bits(whole | UINT64_C(0x4330000000000000)) - 0x1p52;
}

/* -log((r + 1/2) / 2^32). With 2r + 1 = 2^k m, m from √½ to √2, it is (33 - k) log 2 - log m, and
   log m = 2 artanh(s), s = (m - 1) / (m + 1), by a polynomial in s² that interpolates at the nodes
   of Chebyshev. The relative error is below 2e-11, also next to 0; to round the probability to 32
   bits moves it by up to 1.2e-10. */
INLINE double exponential_of(uint32_t r) {
    const uint64_t bits = to_bits(as_float(((uint64_t)r << 1) | 1));
    const uint64_t power = (bits - UINT64_C(0x3FE6A09E667F3BCD)) >> 52;
    const double m = from_bits(bits - (power << 52));
    const double s = (m - 1.0) / (m + 1.0), z = s * s;
    double rest = 0x1.ddced72e785b8p-4;
    rest = rest * z + 0x1.245c438268e19p-3;
    rest = rest * z + 0x1.9999eb5d86b35p-3;
    rest = rest * z + 0x1.5555554bb2b25p-2;
    return (33.0 - as_float(power)) * 0x1.62e42fefa39efp-1 - 2.0 * (s + s * (z * rest));
}

/* Up to EXPONENTIAL_PIECE blocks of draws, from a counter on. */
static CLONES void draw_exponentials(uint64_t key0, uint64_t key1, uint64_t counter, int blocks,
                                     double *RESTRICT draws) {
    uint64_t words[4 * EXPONENTIAL_PIECE];
    uint32_t halves[EXPONENTIALS * EXPONENTIAL_PIECE];
    for (int i = 0; i < blocks; i++)
        philox(counter + (uint64_t)i, key0, key1, words + 4 * i);
    /* Of a little-endian machine, the only kind that there is a library for. */
    memcpy(halves, words, (size_t)blocks * 4 * sizeof *words);
    for (int i = 0; i < EXPONENTIALS * blocks; i++) draws[i] = exponential_of(halves[i]);
}

#endif
