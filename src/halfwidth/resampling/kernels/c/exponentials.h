/* Standard exponential draws: Dirichlet weights are exponentials over their sum.

   `draw_exponentials` makes them a block of Philox at a time, EXPONENTIALS to a block. Resample b of
   `units` draws owns the blocks b m to (b + 1) m - 1, m = exponential_blocks(units). The 21 lowest
   bits of each of the four words, then the next 21 of each, and then the next are integers r, which
   stand for -log((r + 1/2) / 2^21). No library is asked for the logarithm: the steps below are
   rounded alike on every processor, and `rng.exponentials` takes the same ones.

   Of 12 draws to a block rather than 8 each costs a quarter less. The largest is 15.2, and no
   probability is off by more than 2^-22; that is as exact as draws of indices are. */
#ifndef HALFWIDTH_EXPONENTIALS_H
#define HALFWIDTH_EXPONENTIALS_H

#include "philox.h"

#define EXPONENTIALS 12
#define EXPONENTIAL_BITS 21
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

/* -log((r + 1/2) / 2^21). With 2r + 1 = 2^k m, m from √½ to √2, it is (22 - k) log 2 - log m, and
   log m = 2 artanh(s), s = (m - 1) / (m + 1), by a polynomial in s² that interpolates at the nodes
   of Chebyshev. The relative error is below 2e-11, also next to 0. */
INLINE double exponential_of(uint64_t r) {
    const uint64_t bits = to_bits(as_float((r << 1) | 1));
    const uint64_t power = (bits - UINT64_C(0x3FE6A09E667F3BCD)) >> 52;
    const double m = from_bits(bits - (power << 52));
    const double s = (m - 1.0) / (m + 1.0), z = s * s;
    double rest = 0x1.ddced72e785b8p-4;
    rest = rest * z + 0x1.245c438268e19p-3;
    rest = rest * z + 0x1.9999eb5d86b35p-3;
    rest = rest * z + 0x1.5555554bb2b25p-2;
    return (22.0 - as_float(power)) * 0x1.62e42fefa39efp-1 - 2.0 * (s + s * (z * rest));
}

/* The integer of a draw, of those that a word holds. */
INLINE uint64_t part_of_word(uint64_t word, int part) {
    return (word >> (part * EXPONENTIAL_BITS)) & ((UINT64_C(1) << EXPONENTIAL_BITS) - 1);
}

/* Up to EXPONENTIAL_PIECE blocks of draws, from a counter on. */
static CLONES MAYBE_UNUSED void draw_exponentials(uint64_t key0, uint64_t key1, uint64_t counter,
                                                  int blocks, double *RESTRICT draws) {
    uint64_t words[4 * EXPONENTIAL_PIECE], whole[EXPONENTIALS * EXPONENTIAL_PIECE];
    for (int i = 0; i < blocks; i++)
        philox(counter + (uint64_t)i, key0, key1, words + 4 * i);
    for (int i = 0; i < blocks; i++)
        for (int part = 0; part < EXPONENTIALS / 4; part++)
            for (int w = 0; w < 4; w++)
                whole[EXPONENTIALS * i + 4 * part + w] = part_of_word(words[4 * i + w], part);
    for (int i = 0; i < EXPONENTIALS * blocks; i++) draws[i] = exponential_of(whole[i]);
}

#endif
