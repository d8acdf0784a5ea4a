/* Draws: sums of features over the units of a resample, and how often each is drawn. */
#include "halfwidth.h"

/* Sums that are kept apart, so that an addition need not wait for the one before. */
#define APART 4

/* Bytes of a table, or of counts, that stay in the caches of one core. */
#define NEAR (1 << 18)

INLINE void sum_rows(const double *RESTRICT table, int width, int per_word, int far,
                     const Stream *stream, uint64_t start, uint64_t stop, double *RESTRICT sums) {
    double kept[APART][8] = {{0.0}};
    EACH_DRAW(stream, start, stop, per_word, position, lane, {
        if (far) CALL_FOR(table + (uint64_t)position * (uint64_t)width);
    }, {
        for (int f = 0; f < width; f++)
            kept[lane][f] += table[(uint64_t)position * (uint64_t)width + (uint64_t)f];
    }, {
        for (int f = 0; f < width; f++) {
            sums[f] = (kept[0][f] + kept[1][f]) + (kept[2][f] + kept[3][f]);
            for (int k = 0; k < APART; k++) kept[k][f] = 0.0;
        }
        sums += width;
    });
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
   width). The order of addition depends on the number of units alone. */
EXPORT CLONES int hw_sum_drawn(uint64_t key0, uint64_t key1, int64_t start, int64_t stop,
                               int64_t units, const double *table, int64_t width, double *sums) {
    Stream stream = stream_of(key0, key1, units);
    uint64_t first = (uint64_t)start, last = (uint64_t)stop;
    switch (width) {
    case 1: return sum_all(table, 1, &stream, first, last, sums);
    case 2: return sum_all(table, 2, &stream, first, last, sums);
    case 4: return sum_all(table, 4, &stream, first, last, sums);
    case 8: return sum_all(table, 8, &stream, first, last, sums);
    default: return BAD_ARGUMENT;
    }
}

INLINE void count_rows(const Stream *stream, int per_word, int far, int64_t start, int64_t stop,
                       uint8_t *RESTRICT counts, int64_t pitch) {
    EACH_DRAW(stream, (uint64_t)start, (uint64_t)stop, per_word, position, lane, {
        if (far) CALL_FOR(counts + position);
    }, {
        (void)lane;
        counts[position]++;
    }, counts += pitch);
}

/* Add to the counts how often each unit is drawn in resamples start to stop, a row for each, which
   begin `pitch` bytes after one another. A count above 255 has no probability that a computer
   could tell from 0. */
EXPORT CLONES int hw_count_drawn(uint64_t key0, uint64_t key1, int64_t start, int64_t stop,
                                 int64_t units, uint8_t *counts, int64_t pitch) {
    Stream stream = stream_of(key0, key1, units);
    switch (stream.per_word) {
    case 5: count_rows(&stream, 5, 0, start, stop, counts, pitch); return DONE;
    case 4: count_rows(&stream, 4, 0, start, stop, counts, pitch); return DONE;
    case 3: count_rows(&stream, 3, 0, start, stop, counts, pitch); return DONE;
    case 2: count_rows(&stream, 2, units > NEAR, start, stop, counts, pitch); return DONE;
    default: count_rows(&stream, 1, 1, start, stop, counts, pitch); return DONE;
    }
}

/* ------------------------------------------------------------------ resamples side by side */

/* One step of turning a square: its two halves by turns, which rotates the bits of each place. */
INLINE void weave(const uint8_t *RESTRICT from, uint8_t *RESTRICT into) {
    for (int i = 0; i < LANES * LANES / 2; i++) {
        into[2 * i] = from[i];
        into[2 * i + 1] = from[LANES * LANES / 2 + i];
    }
}

/* Turn LANES units of LANES resamples: five rotations of ten bits exchange row and column. */
INLINE void turn_square(const uint8_t *RESTRICT counts, int64_t pitch, uint8_t *RESTRICT into) {
    uint8_t one[LANES * LANES], other[LANES * LANES];
    for (int row = 0; row < LANES; row++) memcpy(one + row * LANES, counts + row * pitch, LANES);
    weave(one, other);
    weave(other, one);
    weave(one, other);
    weave(other, one);
    weave(one, into);
}

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
