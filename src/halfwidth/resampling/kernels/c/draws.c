/* Draws: sums of features over the units of a resample, and how often each is drawn. */
#include "philox_sixteen.h"

/* gcc multiplies halves of words as if they were whole ones; it has to be told. Clang finds out. */
#if defined(__GNUC__) && !defined(__clang__) && defined(__x86_64__)
#define TELL_GCC
#include <immintrin.h>
#endif

/* ------------------------------------------------------------------ draws */

/* Blocks of four words whose positions are made at a time at most; they stay in the first cache. */
#define PIECE 128

/* A stream of draws: Philox4x64-10 with this key, positions below `units`. A position is where the
   row of 2^shift floats of a unit starts. */
typedef struct {
    uint64_t key0, key1, units;
    int per_word, shift;
    uint64_t blocks, piece; /* of each resample, and how many of them are made at a time */
} Stream;

/* Indices that a word gives: no tuple of them has a relative bias above 2^-20. */
INLINE int indices_per_word(uint64_t units) {
    return units <= 445 ? 5 : units <= 2048 ? 4 : units <= 26007 ? 3 : units <= 4194304 ? 2 : 1;
}

INLINE Stream stream_of(uint64_t key0, uint64_t key1, int64_t units, int shift) {
    Stream made = {key0, key1, (uint64_t)units, indices_per_word((uint64_t)units), shift, 0, 0};
    uint64_t per_block = 4 * (uint64_t)made.per_word;
    made.blocks = (made.units + per_block - 1) / per_block;
    /* Pieces of one length, a multiple of sixteen, so that the last one is not much shorter. */
    uint64_t pieces = (made.blocks + PIECE - 1) / PIECE;
    uint64_t even = ((made.blocks + pieces - 1) / pieces + 15) / 16 * 16;
    made.piece = even < made.blocks ? even : made.blocks;
    return made;
}
#define WORDS (4 * PIECE)
#define MOST_PER_WORD 5
/* Blocks between the call for what a position needs and its use. */
#define SOON 8

/* Words of `blocks` blocks from a counter on, from the block `first` of a piece. */
static CLONES void fill_one(const Stream *stream, uint64_t counter, uint64_t first, uint64_t blocks,
                 uint64_t *RESTRICT words) {
    for (uint64_t i = first; i < blocks; i++)
        philox(counter + i, stream->key0, stream->key1, words + 4 * i);
}

/* Positions of so many words: all first ones of a word, then all second ones, and so on. What a
   product leaves over makes the next index of a word. Words are taken as halves, several of which
   a processor multiplies at a time. */
INLINE void take(const uint64_t *RESTRICT words, int number, uint32_t units, int per_word,
                 int shift, uint32_t *RESTRICT positions) {
    for (int i = 0; i < number; i++) {
        uint32_t low = (uint32_t)words[i], high = (uint32_t)(words[i] >> 32);
        for (int k = 0; k < per_word; k++) {
            uint64_t below = (uint64_t)low * units;
            uint64_t above = (uint64_t)high * units + (below >> 32);
            positions[k * WORDS + i] = (uint32_t)(above >> 32) << shift;
            high = (uint32_t)above;
            low = (uint32_t)below;
        }
    }
}

#define TAKE_EACH(take)                                                                            \
    switch (per_word) {                                                                            \
    case 5: take(words, number, (uint32_t)units, 5, shift, positions); return;                     \
    case 4: take(words, number, (uint32_t)units, 4, shift, positions); return;                     \
    case 3: take(words, number, (uint32_t)units, 3, shift, positions); return;                     \
    default: take(words, number, (uint32_t)units, 2, shift, positions); return;                    \
    }

#if defined(TELL_GCC)
#define AVX2 __attribute__((target("avx2")))

/* The same, four words at a time: their number is a multiple of four. */
AVX2 INLINE void take_fours(const uint64_t *RESTRICT words, int number, uint32_t units,
                            int per_word, int shift, uint32_t *RESTRICT positions) {
    typedef uint64_t Words __attribute__((vector_size(32)));
    typedef uint32_t Positions __attribute__((vector_size(16)));
    const __m256i factor = _mm256_set1_epi64x((int64_t)units);
    for (int i = 0; i < number; i += 4) {
        Words low, high;
        memcpy(&low, words + i, sizeof low);
        high = low >> 32;
        for (int k = 0; k < per_word; k++) {
            Positions taken;
            low = (Words)_mm256_mul_epu32((__m256i)low, factor);
            high = (Words)_mm256_mul_epu32((__m256i)high, factor) + (low >> 32);
            taken = __builtin_convertvector(high >> 32, Positions) << (uint32_t)shift;
            memcpy(positions + k * WORDS + i, &taken, sizeof taken);
        }
    }
}

static AVX2 void take_with_avx2(const uint64_t *RESTRICT words, int number, uint64_t units,
                                int per_word, int shift, uint32_t *RESTRICT positions) {
    TAKE_EACH(take_fours)
}
#endif

static CLONES void take_with_any(const uint64_t *RESTRICT words, int number, uint64_t units,
                                 int per_word, int shift, uint32_t *RESTRICT positions) {
    TAKE_EACH(take)
}

/* Positions of `blocks` blocks. */
INLINE void take_positions(const uint64_t *RESTRICT words, uint64_t blocks, const Stream *stream,
                           uint32_t *RESTRICT positions) {
    const int number = 4 * (int)blocks, per_word = stream->per_word, shift = stream->shift;
    if (per_word == 1) {
        for (int i = 0; i < number; i++) {
            uint64_t left;
            positions[i] = (uint32_t)product(words[i], stream->units, &left) << shift;
        }
        return;
    }
#if defined(TELL_GCC)
    if (__builtin_cpu_supports("avx2")) {
        take_with_avx2(words, number, stream->units, per_word, shift, positions);
        return;
    }
#endif
    take_with_any(words, number, stream->units, per_word, shift, positions);
}

/* Blocks are made one at a time, by any processor. */
#define ONE_BLOCKS 1
#define ONE_BEGIN(stream, counter, words)                                                          \
    philox(counter, (stream)->key0, (stream)->key1, words)
#define ONE_STEP(step) (void)(step)
#define ONE_END(words) (void)0
#define ONE_SCHEDULE(stream) (void)(stream)
#define ONE_FILL fill_one
#define ONE_TAKE take_positions

#if defined(HAS_SIXTEEN)
/* Or sixteen at a time, a round of them with the draws of two blocks: words are made while positions
   are used. */
#define SIXTEEN_BLOCKS 16
#define SIXTEEN_BEGIN(stream, counter, words) Sixteen made_ = begin_sixteen(counter, &keys_)
#define SIXTEEN_STEP(step)                                                                         \
    if (step % 2 == 0) made_ = round_sixteen(made_, step / 2 + 2, &keys_)
#define SIXTEEN_END(words) end_sixteen(made_, words)
#define SIXTEEN_SCHEDULE(stream)                                                                   \
    const Schedule keys_ = schedule_of((stream)->key0, (stream)->key1)
#define SIXTEEN_FILL fill_sixteen
#define SIXTEEN_TAKE take_sixteen

/* As `fill_one`, up to a multiple of sixteen blocks. */
static AVX512 void fill_sixteen(const Stream *stream, uint64_t counter, uint64_t first,
                                uint64_t blocks, uint64_t *RESTRICT words) {
    const Schedule keys = schedule_of(stream->key0, stream->key1);
    for (uint64_t i = first; i < blocks; i += 16) {
        Sixteen made = begin_sixteen(counter + i, &keys);
        for (int round = 2; round < 10; round++) made = round_sixteen(made, round, &keys);
        end_sixteen(made, words + 4 * i);
    }
}

/* As `take`, sixteen words at a time. */
AVX512 INLINE void take_sixteens(const uint64_t *RESTRICT words, int number, uint32_t units,
                                 int per_word, int shift, uint32_t *RESTRICT positions) {
    const __m512i factor = _mm512_set1_epi64(units);
    const __m512i odd = _mm512_set_epi32(31, 29, 27, 25, 23, 21, 19, 17, 15, 13, 11, 9, 7, 5, 3, 1);
    for (int i = 0; i < number; i += 16) {
        __m512i low[2], high[2];
        for (int h = 0; h < 2; h++) {
            low[h] = _mm512_loadu_si512(words + i + 8 * h);
            high[h] = _mm512_srli_epi64(low[h], 32);
        }
        for (int k = 0; k < per_word; k++) {
            for (int h = 0; h < 2; h++) {
                low[h] = _mm512_mul_epu32(low[h], factor);
                high[h] = _mm512_add_epi64(_mm512_mul_epu32(high[h], factor),
                                           _mm512_srli_epi64(low[h], 32));
            }
            __m512i taken = _mm512_permutex2var_epi32(high[0], odd, high[1]);
            _mm512_storeu_si512(positions + k * WORDS + i,
                                _mm512_slli_epi32(taken, (unsigned)shift));
        }
    }
}

static AVX512 void take_sixteen(const uint64_t *RESTRICT words, uint64_t blocks,
                                const Stream *stream, uint32_t *RESTRICT positions) {
    const int number = 4 * (int)blocks, per_word = stream->per_word, shift = stream->shift;
    const uint64_t units = stream->units;
    TAKE_EACH(take_sixteens)
}
#endif

/* Do something with each position of resamples `start` to `stop`, `per_word` to a word, and then
   something with each resample. While the positions of one piece of a resample are used, the words
   of the next are made: a processor does both at once. `soon` is done with a position some draws
   ahead, or with any other; it may call for what it needs from memory. `lane` is 0 to 3, other for
   neighbours. `way` is ONE or SIXTEEN. */
#define EACH_DRAW(way, stream, start, stop, per_word, position, lane, soon, action, finish)        \
    do {                                                                                           \
        const Stream own_ = *(stream);                                                             \
        const uint64_t each_ = 4 * (per_word);                                                     \
        uint64_t words_[WORDS], counter_ = (start) * own_.blocks;                                  \
        uint32_t positions_[WORDS * MOST_PER_WORD + 4 * SOON] = {0};                               \
        way##_SCHEDULE(&own_);                                                                     \
        way##_FILL(&own_, counter_, 0, own_.piece, words_);                                        \
        for (uint64_t b_ = (start); b_ < (stop); b_++) {                                           \
            uint64_t left_ = own_.units, ahead_ = own_.blocks;                                     \
            while (ahead_) {                                                                       \
                uint64_t i_ = 0, blocks_ = ahead_ < own_.piece ? ahead_ : own_.piece;              \
                uint64_t full_ = left_ / each_ < blocks_ ? left_ / each_ : blocks_;                \
                way##_TAKE(words_, blocks_, &own_, positions_);                                    \
                for (int p_ = 0; p_ < (per_word) * 4 * SOON; p_++) {                               \
                    const uint32_t position =                                                      \
                        positions_[p_ / (4 * SOON) * WORDS + p_ % (4 * SOON)];                     \
                    (void)position;                                                                \
                    soon;                                                                          \
                }                                                                                  \
                counter_ += blocks_;                                                               \
                ahead_ -= blocks_;                                                                 \
                for (; i_ + way##_BLOCKS <= full_; i_ += way##_BLOCKS) {                           \
                    way##_BEGIN(&own_, counter_ + i_, words_ + 4 * i_);                            \
                    UNROLL_16 for (uint64_t j_ = 0; j_ < way##_BLOCKS; j_++) {                     \
                        way##_STEP(j_);                                                            \
                        BLOCK(per_word, i_ + j_ + SOON, position, lane, soon);                     \
                        BLOCK(per_word, i_ + j_, position, lane, action);                          \
                    }                                                                              \
                    way##_END(words_ + 4 * i_);                                                    \
                }                                                                                  \
                left_ -= full_ * each_;                                                            \
                way##_FILL(&own_, counter_, i_,                                                    \
                           ahead_ && ahead_ < own_.piece ? ahead_ : own_.piece, words_);           \
                for (; i_ < full_; i_++) BLOCK(per_word, i_, position, lane, action);              \
                /* The last block of a resample, used in part: word by word. A lane that is known  \
                   when this is compiled keeps what is summed up in registers. */                  \
                for (uint64_t j_ = 0; full_ < blocks_ && j_ < left_; j_++) {                       \
                    const int lane = 0;                                                            \
                    const uint32_t position =                                                      \
                        positions_[j_ % (per_word) * WORDS + 4 * full_ + j_ / (per_word)];         \
                    action;                                                                        \
                }                                                                                  \
            }                                                                                      \
            finish;                                                                                \
        }                                                                                          \
    } while (0)

/* Do something with each position of a block of a piece. */
#define BLOCK(per_word, block, position, lane, action)                                             \
    for (int k_ = 0; k_ < (per_word); k_++)                                                        \
        for (int lane = 0; lane < 4; lane++) {                                                     \
            const uint32_t position = positions_[k_ * WORDS + 4 * (block) + lane];                 \
            (void)position;                                                                        \
            action;                                                                                \
        }

/* ------------------------------------------------------------------ sums and counts */

/* Sums that are kept apart, so that an addition need not wait for the one before. */
#define APART 4

/* Bytes of a table, or of counts, that stay in the caches of one core. */
#define NEAR (1 << 20)

/* The floats of a unit, summed up at once. gcc finds that out for some numbers of them alone. */
#if defined(__GNUC__)
#define ROW_OF(width) __attribute__((vector_size(8 * (width)))) double
#define ADD_ROW(sums, row) ((sums) += (row))
#else
#define ROW_OF(width) struct { double of[width]; }
#define ADD_ROW(sums, row)                                                                         \
    do {                                                                                           \
        for (size_t f_ = 0; f_ < sizeof(row) / sizeof(double); f_++)                               \
            ((double *)&(sums))[f_] += ((const double *)&(row))[f_];                               \
    } while (0)
#endif
typedef double Row1;
typedef ROW_OF(2) Row2;
typedef ROW_OF(4) Row4;
typedef ROW_OF(8) Row8;

#define SUM_ROWS(name, Row)                                                                        \
    INLINE void name(const double *RESTRICT table, int per_word, int far, const Stream *stream,    \
                     uint64_t start, uint64_t stop, double *RESTRICT sums) {                       \
        const Row none = {0};                                                                      \
        Row kept[APART] = {none, none, none, none}, row;                                           \
        EACH_DRAW(ONE, stream, start, stop, per_word, position, lane, {                            \
            if (far) CALL_FOR(table + position);                                                   \
        }, {                                                                                       \
            memcpy(&row, table + position, sizeof row);                                            \
            ADD_ROW(kept[lane], row);                                                              \
        }, {                                                                                       \
            ADD_ROW(kept[0], kept[1]);                                                             \
            ADD_ROW(kept[2], kept[3]);                                                             \
            ADD_ROW(kept[0], kept[2]);                                                             \
            memcpy(sums, &kept[0], sizeof row);                                                    \
            for (int k = 0; k < APART; k++) kept[k] = none;                                        \
            sums += sizeof row / sizeof *sums;                                                     \
        });                                                                                        \
    }
SUM_ROWS(sum_rows1, Row1)
SUM_ROWS(sum_rows2, Row2)
SUM_ROWS(sum_rows4, Row4)
SUM_ROWS(sum_rows8, Row8)

INLINE void sum_rows(const double *RESTRICT table, int width, int per_word, int far,
                     const Stream *stream, uint64_t start, uint64_t stop, double *RESTRICT sums) {
    if (width == 1) sum_rows1(table, per_word, far, stream, start, stop, sums);
    else if (width == 2) sum_rows2(table, per_word, far, stream, start, stop, sums);
    else if (width == 4) sum_rows4(table, per_word, far, stream, start, stop, sums);
    else sum_rows8(table, per_word, far, stream, start, stop, sums);
}

INLINE int sum_all(const double *RESTRICT table, int width, const Stream *stream, uint64_t start,
                   uint64_t stop, double *RESTRICT sums) {
    if (stream->units * (uint64_t)width * sizeof *table > NEAR) {
        if (stream->per_word == 3) sum_rows(table, width, 3, 1, stream, start, stop, sums);
        else if (stream->per_word == 2) sum_rows(table, width, 2, 1, stream, start, stop, sums);
        else sum_rows(table, width, 1, 1, stream, start, stop, sums);
        return DONE;
    }
    switch (stream->per_word) {
    case 5: sum_rows(table, width, 5, 0, stream, start, stop, sums); return DONE;
    case 4: sum_rows(table, width, 4, 0, stream, start, stop, sums); return DONE;
    case 3: sum_rows(table, width, 3, 0, stream, start, stop, sums); return DONE;
    default: sum_rows(table, width, 2, 0, stream, start, stop, sums); return DONE;
    }
}

/* Sum the rows of a table (units, width) drawn in resamples start to stop, into (stop - start,
   width). The order of addition depends on the number of units alone. The table has at most 2^32
   floats. */
EXPORT CLONES int hw_sum_drawn(uint64_t key0, uint64_t key1, int64_t start, int64_t stop,
                               int64_t units, const double *table, int64_t width, double *sums) {
    int shift = width == 1 ? 0 : width == 2 ? 1 : width == 4 ? 2 : 3;
    Stream stream = stream_of(key0, key1, units, shift);
    uint64_t first = (uint64_t)start, last = (uint64_t)stop;
    switch (width) {
    case 1: return sum_all(table, 1, &stream, first, last, sums);
    case 2: return sum_all(table, 2, &stream, first, last, sums);
    case 4: return sum_all(table, 4, &stream, first, last, sums);
    case 8: return sum_all(table, 8, &stream, first, last, sums);
    default: return BAD_ARGUMENT;
    }
}

#define COUNT_ROWS(name, way)                                                                      \
    INLINE void name(const Stream *stream, int per_word, int far, int64_t start, int64_t stop,     \
                     uint8_t *RESTRICT counts, int64_t pitch) {                                    \
        EACH_DRAW(way, stream, (uint64_t)start, (uint64_t)stop, per_word, position, lane, {        \
            if (far) CALL_FOR(counts + position);                                                  \
        }, {                                                                                       \
            (void)lane;                                                                            \
            counts[position]++;                                                                    \
        }, counts += pitch);                                                                       \
    }
COUNT_ROWS(count_rows, ONE)

#if defined(HAS_SIXTEEN)
AVX512 COUNT_ROWS(count_rows_sixteen, SIXTEEN)

/* Whether it was done: the draws of a resample are many, and several to a word. */
static AVX512 int count_with_avx512(const Stream *stream, int64_t start, int64_t stop,
                                    uint8_t *counts, int64_t pitch) {
    const int far = stream->units > NEAR;
    if (stream->blocks < 2 * SIXTEEN_BLOCKS || !has_avx512()) return 0;
    switch (stream->per_word) {
    case 4: count_rows_sixteen(stream, 4, 0, start, stop, counts, pitch); return 1;
    case 3: count_rows_sixteen(stream, 3, 0, start, stop, counts, pitch); return 1;
    case 2: count_rows_sixteen(stream, 2, far, start, stop, counts, pitch); return 1;
    default: return 0;
    }
}
#endif

/* Add to the counts how often each unit is drawn in resamples start to stop, a row for each, which
   begin `pitch` bytes after one another. A count above 255 has no probability that a computer
   could tell from 0. */
EXPORT CLONES int hw_count_drawn(uint64_t key0, uint64_t key1, int64_t start, int64_t stop,
                                 int64_t units, uint8_t *counts, int64_t pitch) {
    Stream stream = stream_of(key0, key1, units, 0);
#if defined(HAS_SIXTEEN)
    if (count_with_avx512(&stream, start, stop, counts, pitch)) return DONE;
#endif
    switch (stream.per_word) {
    case 5: count_rows(&stream, 5, 0, start, stop, counts, pitch); return DONE;
    case 4: count_rows(&stream, 4, 0, start, stop, counts, pitch); return DONE;
    case 3: count_rows(&stream, 3, 0, start, stop, counts, pitch); return DONE;
    case 2: count_rows(&stream, 2, units > NEAR, start, stop, counts, pitch); return DONE;
    default: count_rows(&stream, 1, 1, start, stop, counts, pitch); return DONE;
    }
}

/* ------------------------------------------------------------------ resamples side by side */

/* One step of turning a square: its two halves by turns, which rotates the bits of each place. As
   many rotations as the length of a side has bits exchange row and column. */
#if HAS_SHUFFLE
/* Sixteen rows of sixteen bytes stay in registers. */
#define SIDE 16
typedef uint8_t Row16 __attribute__((vector_size(SIDE)));

INLINE void weave(const Row16 *RESTRICT from, Row16 *RESTRICT into) {
    for (int i = 0; i < SIDE / 2; i++) {
        Row16 left = from[i], right = from[i + SIDE / 2];
        into[2 * i] = __builtin_shufflevector(left, right, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21,
                                              6, 22, 7, 23);
        into[2 * i + 1] = __builtin_shufflevector(left, right, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28,
                                                  13, 29, 14, 30, 15, 31);
    }
}

INLINE void turn_side(const uint8_t *RESTRICT counts, int64_t pitch, uint8_t *RESTRICT into) {
    Row16 one[SIDE], other[SIDE];
    for (int row = 0; row < SIDE; row++) memcpy(one + row, counts + row * pitch, SIDE);
    weave(one, other);
    weave(other, one);
    weave(one, other);
    weave(other, one);
    for (int row = 0; row < SIDE; row++) memcpy(into + row * LANES, one + row, SIDE);
}

/* Turn LANES units of LANES resamples. */
INLINE void turn_square(const uint8_t *RESTRICT counts, int64_t pitch, uint8_t *RESTRICT into) {
    for (int row = 0; row < LANES; row += SIDE)
        for (int unit = 0; unit < LANES; unit += SIDE)
            turn_side(counts + row * pitch + unit, pitch, into + unit * LANES + row);
}
#else
INLINE void weave(const uint8_t *RESTRICT from, uint8_t *RESTRICT into) {
    for (int i = 0; i < LANES * LANES / 2; i++) {
        into[2 * i] = from[i];
        into[2 * i + 1] = from[LANES * LANES / 2 + i];
    }
}

INLINE void turn_square(const uint8_t *RESTRICT counts, int64_t pitch, uint8_t *RESTRICT into) {
    uint8_t one[LANES * LANES], other[LANES * LANES];
    for (int row = 0; row < LANES; row++) memcpy(one + row * LANES, counts + row * pitch, LANES);
    weave(one, other);
    weave(other, one);
    weave(one, other);
    weave(other, one);
    weave(one, into);
}
#endif

/* Put resamples side by side: from a row of counts for each, `blocks` times LANES rows of `pitch`
   bytes, to LANES counts for each unit and a unit that is never drawn behind them. `squares` times
   LANES are the units, filled up. */
EXPORT CLONES int hw_turn(const uint8_t *counts, int64_t blocks, int64_t pitch, int64_t squares,
                          uint8_t *turned) {
    for (int64_t block = 0; block < blocks; block++) {
        const uint8_t *rows = counts + block * LANES * pitch;
        for (int64_t square = 0; square < squares; square++, turned += LANES * LANES)
            turn_square(rows + square * LANES, pitch, turned);
        memset(turned, 0, LANES);
        turned += LANES;
    }
    return DONE;
}

/* Cumulate turned counts: draws of the units before each, and of all, of resamples side by side.
   `tables` has rows of `width` resamples, a multiple of LANES: (rows, units + 1, width). */
EXPORT CLONES int hw_cumulate(const uint8_t *turned, int64_t blocks, int64_t squares, int64_t units,
                              int64_t width, int16_t *tables) {
    int64_t in_row = width / LANES;
    for (int64_t block = 0; block < blocks; block++) {
        const uint8_t *counts = turned + block * (squares * LANES + 1) * LANES;
        int16_t *into = tables + block / in_row * (units + 1) * width + block % in_row * LANES;
        int16_t total[LANES] = {0};
        memset(into, 0, sizeof total);
        for (int64_t unit = 0; unit < units; unit++) {
            into += width;
            for (int i = 0; i < LANES; i++) {
                total[i] = (int16_t)(total[i] + counts[unit * LANES + i]);
                into[i] = total[i];
            }
        }
    }
    return DONE;
}
