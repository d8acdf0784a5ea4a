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

#if defined(__GNUC__)
#define CALL_FOR(address) __builtin_prefetch(address)
#else
#define CALL_FOR(address) ((void)(address))
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

/* ------------------------------------------------------------------ draws */

/* A stream of draws: Philox4x64-10 with this key, positions below `units`. */
typedef struct {
    uint64_t key0, key1, units;
    int per_word;
    uint64_t blocks; /* of each resample */
} Stream;

/* Indices that a word gives: no tuple of them has a relative bias above 2^-20. */
INLINE int indices_per_word(uint64_t units) {
    return units <= 445 ? 5 : units <= 2048 ? 4 : units <= 26007 ? 3 : units <= 4194304 ? 2 : 1;
}

INLINE Stream stream_of(uint64_t key0, uint64_t key1, int64_t units) {
    Stream made = {key0, key1, (uint64_t)units, indices_per_word((uint64_t)units), 0};
    uint64_t per_block = 4 * (uint64_t)made.per_word;
    made.blocks = (made.units + per_block - 1) / per_block;
    return made;
}

/* Philox4x64-10 (Salmon et al. 2011) of one counter. */
INLINE void philox(uint64_t counter, uint64_t key0, uint64_t key1, uint64_t words[4]) {
    uint64_t a = counter, b = 0, c = 0, d = 0;
    for (int round = 0; round < 10; round++) {
        uint64_t low0, low1;
        uint64_t high0 = product(UINT64_C(0xD2E7470EE14C6C93), a, &low0);
        uint64_t high1 = product(UINT64_C(0xCA5A826395121157), c, &low1);
        a = high1 ^ b ^ key0;
        b = low1;
        c = high0 ^ d ^ key1;
        d = low0;
        key0 += UINT64_C(0x9E3779B97F4A7C15);
        key1 += UINT64_C(0xBB67AE8584CAA73B);
    }
    words[0] = a, words[1] = b, words[2] = c, words[3] = d;
}

/* Blocks of four words whose positions are made at a time; they stay in the first cache. */
#define PIECE 64
#define WORDS (4 * PIECE)
#define MOST_PER_WORD 5
/* Blocks between the call for what a position needs and its use. */
#define SOON 3

/* Words of `blocks` blocks from a counter on, from the block `first` of a piece. */
INLINE void fill(const Stream *stream, uint64_t counter, uint64_t first, uint64_t blocks,
                 uint64_t *RESTRICT words) {
    for (uint64_t i = first; i < blocks; i++)
        philox(counter + i, stream->key0, stream->key1, words + 4 * i);
}

/* Positions of `blocks` blocks: all first ones of a word, then all second ones, and so on. What a
   product leaves over makes the next index of a word. Words are taken as halves, several of which
   a processor multiplies at a time. */
INLINE void take_positions(const uint64_t *RESTRICT words, uint64_t blocks, uint64_t units,
                           int per_word, uint32_t *RESTRICT positions) {
    const uint32_t factor = (uint32_t)units;
    if (per_word == 1) {
        for (uint64_t i = 0; i < 4 * blocks; i++) {
            uint64_t left;
            positions[i] = (uint32_t)product(words[i], units, &left);
        }
        return;
    }
    for (uint64_t i = 0; i < 4 * blocks; i++) {
        uint32_t low = (uint32_t)words[i], high = (uint32_t)(words[i] >> 32);
        for (int k = 0; k < per_word; k++) {
            uint64_t below = (uint64_t)low * factor;
            uint64_t above = (uint64_t)high * factor + (below >> 32);
            positions[k * WORDS + (int)i] = (uint32_t)(above >> 32);
            high = (uint32_t)above;
            low = (uint32_t)below;
        }
    }
}

/* Do something with each position of resamples `start` to `stop`, `per_word` to a word, and then
   something with each resample. While the positions of one piece of a resample are used, the words
   of the next are made: a processor does both at once. `soon` is done with a position some draws
   ahead, or with any other; it may call for what it needs from memory. `lane` is 0 to 3, other for neighbours. */
#define EACH_DRAW(stream, start, stop, per_word, position, lane, soon, action, finish)             \
    do {                                                                                           \
        const Stream own_ = *(stream);                                                             \
        const uint64_t each_ = 4 * (per_word), most_ = own_.blocks < PIECE ? own_.blocks : PIECE;  \
        uint64_t words_[WORDS], counter_ = (start) * own_.blocks;                                  \
        uint32_t positions_[WORDS * MOST_PER_WORD + 4 * SOON] = {0};                                 \
        fill(&own_, counter_, 0, most_, words_);                                                   \
        for (uint64_t b_ = (start); b_ < (stop); b_++) {                                           \
            uint64_t left_ = own_.units, ahead_ = own_.blocks;                                     \
            while (ahead_) {                                                                       \
                uint64_t blocks_ = ahead_ < PIECE ? ahead_ : PIECE;                                \
                uint64_t full_ = left_ / each_ < blocks_ ? left_ / each_ : blocks_;                \
                take_positions(words_, blocks_, own_.units, (per_word), positions_);               \
                counter_ += blocks_;                                                               \
                ahead_ -= blocks_;                                                                 \
                for (uint64_t i_ = 0; i_ < full_; i_++) {                                          \
                    philox(counter_ + i_, own_.key0, own_.key1, words_ + 4 * i_);                  \
                    for (int k_ = 0; k_ < (per_word); k_++)                                        \
                        for (int lane = 0; lane < 4; lane++) {                                     \
                            const uint32_t position =                                              \
                                positions_[k_ * WORDS + 4 * ((int)i_ + SOON) + lane];              \
                            soon;                                                                  \
                        }                                                                          \
                    for (int k_ = 0; k_ < (per_word); k_++)                                        \
                        for (int lane = 0; lane < 4; lane++) {                                     \
                            const uint32_t position = positions_[k_ * WORDS + 4 * (int)i_ + lane]; \
                            action;                                                                \
                        }                                                                          \
                }                                                                                  \
                left_ -= full_ * each_;                                                            \
                /* The last block of a resample, used in part: word by word. A lane that is known  \
                   when this is compiled keeps what is summed up in registers. */                  \
                for (uint64_t j_ = 0; full_ < blocks_ && j_ < left_; j_++) {                       \
                    const int lane = 0;                                                            \
                    const uint32_t position =                                                      \
                        positions_[j_ % (per_word) * WORDS + 4 * full_ + j_ / (per_word)];         \
                    action;                                                                        \
                }                                                                                  \
                fill(&own_, counter_, full_, ahead_ && ahead_ < most_ ? ahead_ : most_, words_);   \
            }                                                                                      \
            finish;                                                                                \
        }                                                                                          \
    } while (0)

#endif
