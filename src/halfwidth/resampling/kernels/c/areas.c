/* Areas under curves of ranked scores, of many resamples side by side.

   A list holds entries by falling score, each with its unit and its mark. What a resample needs of
   it are the counts of its units, one after another, in an order that no count changes: so one
   instruction serves many resamples, and no branch depends on what was drawn. */
#include <stddef.h>

#include "halfwidth.h"

/* Bits of a mark. */
#define POSITIVE 1
#define LAST 2
/* Entries of each mark in a slot. */
#define SLOT 4
/* Entries that are cumulated at a time. */
#define CHUNK 128

/* ------------------------------------------------------------------ lists */

/* Where the tie group that begins at `first` stops. */
INLINE int64_t group_end(const uint8_t *mark, int64_t first, int64_t entries) {
    while (first < entries - 1 && !(mark[first] & LAST)) first++;
    return first + 1;
}

/* How often one unit comes in a list at most; `times` holds a zero for each of the units. */
EXPORT int hw_most_times(const int32_t *unit, int64_t rows, int64_t entries, int64_t units,
                         int32_t *times, int64_t *most) {
    int32_t found = 0;
    for (int64_t row = 0; row < rows; row++, unit += entries) {
        for (int64_t i = 0; i < entries; i++) {
            if (unit[i] < 0 || unit[i] >= units) return BAD_ARGUMENT;
            int32_t own = ++times[unit[i]];
            found = own > found ? own : found;
        }
        for (int64_t i = 0; i < entries; i++) times[unit[i]] = 0;
    }
    *most = found;
    return DONE;
}

typedef struct {
    int64_t made, negatives, positives; /* slots, and the entries in the last one */
    uint32_t *places;                   /* null while slots are only counted */
    uint8_t *whole;
    uint8_t last_whole;
} Slots;

INLINE void open_slot(Slots *slots, uint32_t never) {
    if (slots->places)
        for (int i = 0; i < 2 * SLOT; i++) slots->places[slots->made * 2 * SLOT + i] = never;
    slots->made++;
    slots->negatives = slots->positives = 0;
}

INLINE void put_negative(Slots *slots, uint32_t place, uint32_t never) {
    if (!slots->made || slots->positives || slots->negatives == SLOT) open_slot(slots, never);
    if (slots->places) {
        slots->places[(slots->made - 1) * 2 * SLOT + slots->negatives] = place;
        if (!slots->negatives) slots->whole[slots->made - 1] = 0;
    }
    slots->negatives++;
}

INLINE void put_positive(Slots *slots, uint32_t place, uint8_t whole, uint32_t never) {
    int fits = slots->made && (!slots->positives || (slots->positives < SLOT && slots->last_whole == whole));
    if (!fits) open_slot(slots, never);
    if (slots->places) {
        slots->places[(slots->made - 1) * 2 * SLOT + SLOT + slots->positives] = place;
        slots->whole[slots->made - 1] = whole;
    }
    slots->last_whole = whole;
    slots->positives++;
}

/* A tie counts half. So positives that are tied with negatives come before them, to count once, and
   again behind them; others come once, to count twice. */
INLINE void put_group(Slots *slots, const int32_t *unit, const uint8_t *mark, int64_t first,
                      int64_t stop, uint32_t never) {
    int64_t positives = 0;
    for (int64_t i = first; i < stop; i++) positives += mark[i] & POSITIVE;
    int tied = positives && positives < stop - first;
    for (int64_t i = first; tied && i < stop; i++)
        if (mark[i] & POSITIVE) put_positive(slots, (uint32_t)unit[i] * LANES, 0, never);
    for (int64_t i = first; i < stop; i++)
        if (!(mark[i] & POSITIVE)) put_negative(slots, (uint32_t)unit[i] * LANES, never);
    for (int64_t i = first; i < stop; i++)
        if (mark[i] & POSITIVE)
            put_positive(slots, (uint32_t)unit[i] * LANES, tied ? 0 : 255, never);
}

/* Cut lists (rows, entries) into slots of SLOT negatives, then SLOT positives, filled up with the
   unit `never`. `starts` (rows + 1) gets the first slot of each; `places`, of 2 SLOT entries for
   each slot, and `whole`, 255 where positives count twice, are filled unless they are null. */
EXPORT int hw_slots(const int32_t *unit, const uint8_t *mark, int64_t rows, int64_t entries,
                    int64_t never, int64_t *starts, uint32_t *places, uint8_t *whole) {
    starts[0] = 0;
    for (int64_t row = 0; row < rows; row++, unit += entries, mark += entries) {
        Slots slots = {0, 0, 0, 0, 0, 0};
        if (places) {
            slots.places = places + starts[row] * 2 * SLOT;
            slots.whole = whole + starts[row];
        }
        for (int64_t first = 0; first < entries;) {
            int64_t stop = group_end(mark, first, entries);
            put_group(&slots, unit, mark, first, stop, (uint32_t)never * LANES);
            first = stop;
        }
        starts[row + 1] = starts[row] + slots.made;
    }
    return DONE;
}

/* The steps of precision-recall curves: behind which entries a tie group with a positive ends.
   `starts` (rows + 1) gets the first step of each list; `ends` is filled unless it is null. */
EXPORT int hw_steps(const uint8_t *mark, int64_t rows, int64_t entries, int64_t *starts,
                    uint32_t *ends) {
    int64_t made = 0;
    starts[0] = 0;
    for (int64_t row = 0; row < rows; row++, mark += entries) {
        for (int64_t first = 0; first < entries;) {
            int64_t stop = group_end(mark, first, entries);
            int positive = 0;
            for (int64_t i = first; i < stop; i++) positive |= mark[i] & POSITIVE;
            if (positive) {
                if (ends) ends[made] = (uint32_t)stop;
                made++;
            }
            first = stop;
        }
        starts[row + 1] = made;
    }
    return DONE;
}

/* ------------------------------------------------------------------ ROC curves */

INLINE void area_of_list(const uint8_t *RESTRICT counts, const uint32_t *RESTRICT places,
                         const uint8_t *RESTRICT whole, int64_t slots, int64_t together, int small,
                         double *RESTRICT positives, double *RESTRICT areas) {
    uint32_t twice[LANES] = {0}, misses[LANES] = {0}, few[LANES] = {0};
    double many[LANES] = {0.0};
    for (int64_t first = 0; first < slots; first += together) {
        int64_t stop = first + together < slots ? first + together : slots;
        /* In 16 bits: negatives times positives above them within, these positives, twice where
           they count so, and the negatives. */
        uint16_t area[LANES] = {0}, above[LANES] = {0}, below[LANES] = {0};
        for (int64_t k = first; k < stop; k++) {
            const uint32_t *own = places + 2 * SLOT * k;
            const uint8_t *n0 = counts + own[0], *n1 = counts + own[1], *n2 = counts + own[2];
            const uint8_t *n3 = counts + own[3], *p0 = counts + own[4], *p1 = counts + own[5];
            const uint8_t *p2 = counts + own[6], *p3 = counts + own[7];
            const uint8_t again = whole[k];
            for (int i = 0; i < LANES; i++) {
                uint8_t negative = (uint8_t)(n0[i] + n1[i] + n2[i] + n3[i]);
                uint8_t positive = (uint8_t)(p0[i] + p1[i] + p2[i] + p3[i]);
                uint8_t more = positive & again;
                area[i] = (uint16_t)(area[i] + negative * above[i]);
                above[i] = (uint16_t)(above[i] + positive + more);
                below[i] = (uint16_t)(below[i] + negative);
            }
        }
        if (small)
            for (int i = 0; i < LANES; i++) few[i] += area[i] + below[i] * twice[i];
        else
            for (int i = 0; i < LANES; i++)
                many[i] += (double)(int32_t)area[i]
                           + (double)(int32_t)below[i] * (double)(int32_t)twice[i];
        for (int i = 0; i < LANES; i++) {
            twice[i] += above[i];
            misses[i] += below[i];
        }
    }
    for (int i = 0; i < LANES; i++) {
        double total = small ? (double)few[i] : many[i];
        positives[i] = 0.5 * (double)(int32_t)twice[i];
        areas[i] = total / ((double)(int32_t)twice[i] * (double)(int32_t)misses[i]);
    }
}

/* Areas under the ROC curves of lists `first` to `last`, and the positives that they rest on, both
   (last - first, blocks * LANES). `turned` are counts as `hw_turn` leaves them, a block every
   `pitch` bytes; `together` slots keep their sums below 2^16; `small` says that the total of a list
   is below 2^32. */
EXPORT CLONES int hw_areas(const uint8_t *turned, int64_t blocks, int64_t pitch,
                           const int64_t *starts, const uint32_t *places, const uint8_t *whole,
                           int64_t together, int64_t small, int64_t first, int64_t last,
                           double *positives, double *areas) {
    for (int64_t block = 0; block < blocks; block++)
        for (int64_t row = first; row < last; row++) {
            const uint8_t *counts = turned + block * pitch;
            int64_t begin = starts[row], at = ((row - first) * blocks + block) * LANES;
            int64_t slots = starts[row + 1] - begin;
            if (small)
                area_of_list(counts, places + 2 * SLOT * begin, whole + begin, slots, together, 1,
                             positives + at, areas + at);
            else
                area_of_list(counts, places + 2 * SLOT * begin, whole + begin, slots, together, 0,
                             positives + at, areas + at);
        }
    return DONE;
}

/* ------------------------------------------------------------------ precision-recall curves */

/* Cumulate the counts of some entries, of all and of positive ones, behind a row of zeros. */
INLINE void cumulate_entries(const uint8_t *RESTRICT counts, const int32_t *RESTRICT unit,
                             const uint8_t *RESTRICT mark, int64_t entries,
                             uint16_t *RESTRICT every, uint16_t *RESTRICT hits) {
    uint16_t all[LANES] = {0}, positive[LANES] = {0};
    memset(every, 0, sizeof all);
    memset(hits, 0, sizeof positive);
    for (int64_t e = 0; e < entries; e++) {
        const uint8_t *own = counts + (int64_t)unit[e] * LANES;
        const uint8_t mask = (uint8_t)(0 - (mark[e] & POSITIVE));
        every += LANES;
        hits += LANES;
        for (int i = 0; i < LANES; i++) {
            uint8_t counted = own[i], hit = own[i] & mask;
            all[i] = (uint16_t)(all[i] + counted);
            positive[i] = (uint16_t)(positive[i] + hit);
            every[i] = all[i];
            hits[i] = positive[i];
        }
    }
}

typedef struct {
    int32_t every[LANES], hits[LANES]; /* entries and positives behind the chunks so far */
    int32_t before[LANES];             /* positives behind the last step */
    double total[LANES];
    double parts[4][LANES], wholes[4][LANES]; /* fractions that are to be added up */
} Precision;

/* The fraction of one step: the positives that it gains, times the precision behind it. */
INLINE void take_step(Precision *RESTRICT sums, int place, const uint16_t *RESTRICT every,
                      const uint16_t *RESTRICT hits) {
    for (int i = 0; i < LANES; i++) {
        int32_t up_to = sums->every[i] + every[i], found = sums->hits[i] + hits[i];
        sums->parts[place][i] = (double)(found - sums->before[i]) * (double)found;
        sums->wholes[place][i] = (double)(up_to + (up_to == 0));
        sums->before[i] = found;
    }
}

/* Add two or four fractions, brought to one denominator: divisions are slow. Whole numbers below
   2^53 are exact, and so is a total of ones. */
INLINE void add_fractions(Precision *RESTRICT sums, int fours) {
    for (int i = 0; i < LANES; i++) {
        double left = sums->parts[0][i] * sums->wholes[1][i] + sums->parts[1][i] * sums->wholes[0][i];
        double below = sums->wholes[0][i] * sums->wholes[1][i];
        if (fours) {
            double right =
                sums->parts[2][i] * sums->wholes[3][i] + sums->parts[3][i] * sums->wholes[2][i];
            double other = sums->wholes[2][i] * sums->wholes[3][i];
            left = left * other + right * below;
            below *= other;
        }
        sums->total[i] += left / below;
    }
}

INLINE void precision_of_list(const uint8_t *RESTRICT counts, const int32_t *RESTRICT unit,
                              const uint8_t *RESTRICT mark, int64_t entries,
                              const uint32_t *RESTRICT ends, int64_t steps, int fours,
                              double *RESTRICT positives, double *RESTRICT precisions) {
    uint16_t every[CHUNK + 1][LANES], hits[CHUNK + 1][LANES];
    const int most = fours ? 4 : 2;
    Precision sums;
    memset(&sums, 0, offsetof(Precision, parts));
    int64_t step = 0;
    int held = 0;
    for (int64_t first = 0; first < entries && step < steps; first += CHUNK) {
        int64_t some = entries - first < CHUNK ? entries - first : CHUNK;
        cumulate_entries(counts, unit + first, mark + first, some, every[0], hits[0]);
        for (; step < steps && (int64_t)ends[step] <= first + some; step++) {
            take_step(&sums, held++, every[ends[step] - first], hits[ends[step] - first]);
            if (held == most) {
                add_fractions(&sums, fours);
                held = 0;
            }
        }
        for (int i = 0; i < LANES; i++) {
            sums.every[i] += every[some][i];
            sums.hits[i] += hits[some][i];
        }
    }
    for (; held % most; held++)
        for (int i = 0; i < LANES; i++) sums.parts[held][i] = 0.0, sums.wholes[held][i] = 1.0;
    if (held) add_fractions(&sums, fours);
    for (int i = 0; i < LANES; i++) {
        positives[i] = (double)sums.before[i];
        precisions[i] = sums.total[i] / positives[i];
    }
}

/* Average precisions of lists `first` to `last` and the positives that they rest on, both (last -
   first, blocks * LANES). `starts` and `ends` are those of `hw_steps`; `fours` says that a list has
   so few entries that four denominators have a product below 2^51. */
EXPORT CLONES int hw_precisions(const uint8_t *turned, int64_t blocks, int64_t pitch,
                                const int32_t *unit, const uint8_t *mark, int64_t entries,
                                const int64_t *starts, const uint32_t *ends, int64_t fours,
                                int64_t first, int64_t last, double *positives,
                                double *precisions) {
    for (int64_t block = 0; block < blocks; block++)
        for (int64_t row = first; row < last; row++) {
            int64_t at = ((row - first) * blocks + block) * LANES;
            int64_t steps = starts[row + 1] - starts[row];
            const int32_t *own = unit + row * entries;
            const uint8_t *counts = turned + block * pitch, *marks = mark + row * entries;
            if (fours)
                precision_of_list(counts, own, marks, entries, ends + starts[row], steps, 1,
                                  positives + at, precisions + at);
            else
                precision_of_list(counts, own, marks, entries, ends + starts[row], steps, 0,
                                  positives + at, precisions + at);
        }
    return DONE;
}
