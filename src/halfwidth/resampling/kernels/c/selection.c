/* Order statistics of rows of replicates without sorting them whole. */
#include "halfwidth.h"

/* Values between two looks at the room that is left. */
#define STRIDE 64

/* Copy what lies below `low` and above `high` of each row (rows, size) to the front of `lower` and
   `upper` (rows, room). The counts of a row (rows, 5) are those below, equal to `low`, above, equal
   to `high`, and NaN. Where both do not fit together into less than `room` both counts are `room`,
   and the copies mean nothing. */
EXPORT CLONES int hw_tails(const double *values, int64_t rows, int64_t size, const double *low,
                           const double *high, int64_t room, double *lower, double *upper,
                           int64_t *counts) {
    for (int64_t row = 0; row < rows; row++, values += size, lower += room, upper += room) {
        const double from = low[row], to = high[row];
        int64_t beyond = 0, below = 0, above = 0, at_low = 0, at_high = 0, undefined = 0;
        /* Each value is written, and stays where the count goes on. */
        for (int64_t first = 0; first < size && beyond < room - STRIDE; first += STRIDE) {
            int64_t some = size - first < STRIDE ? size - first : STRIDE;
            const double *own = values + first;
            for (int64_t i = 0; i < some; i++) {
                lower[beyond] = own[i];
                beyond += (own[i] < from) | (own[i] > to);
            }
            for (int64_t i = 0; i < some; i++) {
                at_low += own[i] == from;
                at_high += own[i] == to;
                undefined += own[i] != own[i];
            }
        }
        for (int64_t i = 0; i < beyond; i++) {
            double value = lower[i];
            lower[below] = value;
            upper[above] = value;
            below += value < from;
            above += value > to;
        }
        if (beyond >= room - STRIDE) below = above = room;
        counts[0] = below, counts[1] = at_low, counts[2] = above, counts[3] = at_high;
        counts[4] = undefined;
        counts += 5;
    }
    return DONE;
}

/* How many of each row lie below one limit, and up to another: (rows, 2). */
EXPORT CLONES int hw_count_below(const double *values, int64_t rows, int64_t size,
                                 const double *below, const double *up_to, int64_t *counts) {
    for (int64_t row = 0; row < rows; row++, values += size, counts += 2) {
        const double first = below[row], second = up_to[row];
        int64_t less = 0, at_most = 0;
        for (int64_t i = 0; i < size; i++) {
            less += values[i] < first;
            at_most += values[i] <= second;
        }
        counts[0] = less, counts[1] = at_most;
    }
    return DONE;
}

/* Weighted values of each row (rows, size) at the positions of a table (places, number): the first
   counts `total`, the gap before each other one `gaps` of its place. Into (rows, number). */
EXPORT CLONES int hw_pick(const double *values, int64_t rows, int64_t size, const int64_t *table,
                          int64_t places, int64_t number, double total, const double *gaps,
                          double *out) {
    for (int64_t row = 0; row < rows; row++, values += size, out += number) {
        for (int64_t b = 0; b < number; b++) out[b] = total * values[table[b]];
        for (int64_t place = 1; place < places; place++) {
            const int64_t *before = table + (place - 1) * number, *after = table + place * number;
            for (int64_t b = 0; b < number; b++)
                out[b] += (values[before[b]] - values[after[b]]) * gaps[place];
        }
    }
    return DONE;
}

/* The hash of the sources that this was built from. */
#ifndef SOURCE_HASH
#define SOURCE_HASH ""
#endif
EXPORT const char *hw_source_hash(void) { return SOURCE_HASH; }
