/* The generator of all draws. */
#ifndef HALFWIDTH_PHILOX_H
#define HALFWIDTH_PHILOX_H

#include "halfwidth.h"

#define PHILOX_FACTOR0 UINT64_C(0xD2E7470EE14C6C93)
#define PHILOX_FACTOR1 UINT64_C(0xCA5A826395121157)
#define PHILOX_STEP0 UINT64_C(0x9E3779B97F4A7C15)
#define PHILOX_STEP1 UINT64_C(0xBB67AE8584CAA73B)

/* Philox4x64-10 (Salmon et al. 2011) of one counter. */
INLINE void philox(uint64_t counter, uint64_t key0, uint64_t key1, uint64_t words[4]) {
    uint64_t a = counter, b = 0, c = 0, d = 0;
    for (int round = 0; round < 10; round++) {
        uint64_t low0, low1;
        uint64_t high0 = product(PHILOX_FACTOR0, a, &low0);
        uint64_t high1 = product(PHILOX_FACTOR1, c, &low1);
        a = high1 ^ b ^ key0;
        b = low1;
        c = high0 ^ d ^ key1;
        d = low0;
        key0 += PHILOX_STEP0;
        key1 += PHILOX_STEP1;
    }
    words[0] = a, words[1] = b, words[2] = c, words[3] = d;
}

#endif
