/* The generator of all draws for sixteen counters at once, where the processor has AVX-512: two
   registers of eight for each word, since the steps of one alone would wait for each other. */
#ifndef HALFWIDTH_PHILOX_SIXTEEN_H
#define HALFWIDTH_PHILOX_SIXTEEN_H

#include "philox.h"

#if defined(__GNUC__) && defined(__x86_64__)
#define HAS_SIXTEEN
#include <immintrin.h>
#define AVX512 __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl")))

INLINE int has_avx512(void) {
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw")
           && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
}

/* The keys of each round, and what the second round makes of its first word, which is the same for
   all counters. */
typedef struct {
    uint64_t key0[10], key1[10], high, low;
} Schedule;

INLINE Schedule schedule_of(uint64_t key0, uint64_t key1) {
    Schedule made;
    for (int round = 0; round < 10; round++) {
        made.key0[round] = key0 + (uint64_t)round * PHILOX_STEP0;
        made.key1[round] = key1 + (uint64_t)round * PHILOX_STEP1;
    }
    made.high = product(PHILOX_FACTOR0, key0, &made.low);
    return made;
}

/* The four words of eight counters, while they are made. */
typedef struct {
    __m512i a, b, c, d;
} Eight;

/* The upper words of eight products with a constant, and their lower words, from products of
   halves. */
AVX512 INLINE __m512i product_eight(uint64_t constant, __m512i words, __m512i *low) {
    const __m512i lower = _mm512_set1_epi64((int64_t)constant);
    const __m512i upper = _mm512_set1_epi64((int64_t)(constant >> 32));
    const __m512i half = _mm512_set1_epi64(UINT32_MAX);
    __m512i above = _mm512_srli_epi64(words, 32), lowest = _mm512_mul_epu32(words, lower);
    __m512i one = _mm512_add_epi64(_mm512_mul_epu32(above, lower), _mm512_srli_epi64(lowest, 32));
    __m512i other = _mm512_add_epi64(_mm512_mul_epu32(words, upper), _mm512_and_si512(one, half));
    __m512i carried = _mm512_add_epi64(_mm512_srli_epi64(one, 32), _mm512_srli_epi64(other, 32));
    *low = _mm512_mask_shuffle_epi32(lowest, 0xAAAA, other, _MM_PERM_CCAA);
    return _mm512_add_epi64(_mm512_mul_epu32(above, upper), carried);
}

AVX512 INLINE __m512i xor_key(__m512i left, __m512i right, uint64_t key) {
    return _mm512_xor_si512(_mm512_xor_si512(left, right), _mm512_set1_epi64((int64_t)key));
}

/* The first two rounds, of which most is known: three of four words begin as zero. */
AVX512 INLINE Eight begin_eight(uint64_t counter, const Schedule *keys) {
    const __m512i each = _mm512_set_epi64(7, 6, 5, 4, 3, 2, 1, 0), none = _mm512_setzero_si512();
    Eight into;
    __m512i low, counters = _mm512_add_epi64(_mm512_set1_epi64((int64_t)counter), each);
    __m512i high = product_eight(PHILOX_FACTOR0, counters, &low);
    high = product_eight(PHILOX_FACTOR1, xor_key(high, none, keys->key1[0]), &into.b);
    into.a = xor_key(high, none, keys->key0[1]);
    into.c = xor_key(low, none, keys->high ^ keys->key1[1]);
    into.d = _mm512_set1_epi64((int64_t)keys->low);
    return into;
}

AVX512 INLINE Eight round_eight(Eight from, int round, const Schedule *keys) {
    Eight into;
    __m512i high0 = product_eight(PHILOX_FACTOR0, from.a, &into.d);
    __m512i high1 = product_eight(PHILOX_FACTOR1, from.c, &into.b);
    into.a = xor_key(high1, from.b, keys->key0[round]);
    into.c = xor_key(high0, from.d, keys->key1[round]);
    return into;
}

/* Put the words of each counter one after another. */
AVX512 INLINE void end_eight(Eight made, uint64_t *words) {
    const __m512i even = _mm512_set_epi64(13, 12, 5, 4, 9, 8, 1, 0);
    const __m512i odd = _mm512_set_epi64(15, 14, 7, 6, 11, 10, 3, 2);
    __m512i ab = _mm512_unpacklo_epi64(made.a, made.b), cd = _mm512_unpacklo_epi64(made.c, made.d);
    __m512i of04 = _mm512_permutex2var_epi64(ab, even, cd);
    __m512i of26 = _mm512_permutex2var_epi64(ab, odd, cd);
    ab = _mm512_unpackhi_epi64(made.a, made.b), cd = _mm512_unpackhi_epi64(made.c, made.d);
    __m512i of15 = _mm512_permutex2var_epi64(ab, even, cd);
    __m512i of37 = _mm512_permutex2var_epi64(ab, odd, cd);
    _mm512_storeu_si512(words, _mm512_shuffle_i64x2(of04, of15, 0x44));
    _mm512_storeu_si512(words + 8, _mm512_shuffle_i64x2(of26, of37, 0x44));
    _mm512_storeu_si512(words + 16, _mm512_shuffle_i64x2(of04, of15, 0xEE));
    _mm512_storeu_si512(words + 24, _mm512_shuffle_i64x2(of26, of37, 0xEE));
}

/* The words of sixteen counters: those of `philox`, made in eight rounds after the first two. */
typedef struct {
    Eight one, other;
} Sixteen;

AVX512 INLINE Sixteen begin_sixteen(uint64_t counter, const Schedule *keys) {
    Sixteen begun = {begin_eight(counter, keys), begin_eight(counter + 8, keys)};
    return begun;
}

AVX512 INLINE Sixteen round_sixteen(Sixteen from, int round, const Schedule *keys) {
    Sixteen into = {round_eight(from.one, round, keys), round_eight(from.other, round, keys)};
    return into;
}

AVX512 INLINE void end_sixteen(Sixteen made, uint64_t *words) {
    end_eight(made.one, words);
    end_eight(made.other, words + 32);
}
#endif

#endif
