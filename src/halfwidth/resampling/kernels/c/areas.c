/* Areas under curves of ranked scores, of many resamples side by side.

   A list holds entries by falling score, each with its unit and its mark. What a resample needs of
   it are the counts of its units, one after another, in an order that no count changes: so one
   instruction serves many resamples, and no branch depends on what was drawn. */
#include "halfwidth.h"

/* Bits of a mark. */
#define POSITIVE 1
#define LAST 2
#define STEP 4
/* Entries of each mark in a slot. */
#define SLOT 4
/* Entries that are cumulated at a time. */
#define CHUNK 128
/* Entries of a short list: their counts fit into 8 bits. */
#define FEW 255

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

/* Mark the steps of precision-recall curves, entries behind which a tie group with a positive ends:
   `mark` has the bits POSITIVE and LAST, `steps` POSITIVE and STEP. */
EXPORT int hw_steps(const uint8_t *mark, int64_t rows, int64_t entries, uint8_t *steps) {
    for (int64_t row = 0; row < rows; row++, mark += entries, steps += entries)
        for (int64_t first = 0; first < entries;) {
            int64_t stop = group_end(mark, first, entries);
            int positive = 0;
            for (; first < stop; first++) positive |= steps[first] = mark[first] & POSITIVE;
            if (positive) steps[stop - 1] |= STEP;
        }
    return DONE;
}

/* ------------------------------------------------------------------ ROC curves */

/* What a list adds up to so far: twice the positives, the negatives, and twice the pairs that are in
   order, in 32 bits or as whole numbers below 2^53. */
typedef struct {
    uint32_t twice[LANES], misses[LANES], few[LANES];
    double many[LANES];
} Pairs;

INLINE void add_slots(const uint8_t *RESTRICT counts, const uint32_t *RESTRICT places,
                      const uint8_t *RESTRICT whole, int64_t slots, int64_t together, int small,
                      Pairs *RESTRICT sums) {
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
            for (int i = 0; i < LANES; i++) sums->few[i] += area[i] + below[i] * sums->twice[i];
        else
            for (int i = 0; i < LANES; i++)
                sums->many[i] += (double)(int32_t)area[i]
                                 + (double)(int32_t)below[i] * (double)(int32_t)sums->twice[i];
        for (int i = 0; i < LANES; i++) {
            sums->twice[i] += above[i];
            sums->misses[i] += below[i];
        }
    }
}

INLINE void area_of_list(const uint8_t *RESTRICT counts, const uint32_t *RESTRICT places,
                         const uint8_t *RESTRICT whole, int64_t slots, int64_t together, int small,
                         double *RESTRICT positives, double *RESTRICT areas) {
    Pairs sums;
    memset(&sums, 0, sizeof sums);
    add_slots(counts, places, whole, slots, together, small, &sums);
    for (int i = 0; i < LANES; i++) {
        double total = small ? (double)sums.few[i] : sums.many[i], twice = (int32_t)sums.twice[i];
        positives[i] = 0.5 * twice;
        areas[i] = total / (twice * (double)(int32_t)sums.misses[i]);
    }
}

/* Add some slots of a list that is too long for one call to what those before them came to. `state`
   has a row of LANES for twice the positives, the negatives, and twice the pairs in order. */
EXPORT CLONES int hw_add_slots(const uint8_t *counts, const uint32_t *places, const uint8_t *whole,
                               int64_t slots, int64_t together, double *state) {
    Pairs sums;
    for (int i = 0; i < LANES; i++) {
        sums.twice[i] = (uint32_t)state[i];
        sums.misses[i] = (uint32_t)state[LANES + i];
        sums.many[i] = state[2 * LANES + i];
    }
    add_slots(counts, places, whole, slots, together, 0, &sums);
    for (int i = 0; i < LANES; i++) {
        state[i] = sums.twice[i];
        state[LANES + i] = sums.misses[i];
        state[2 * LANES + i] = sums.many[i];
    }
    return DONE;
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

/* A row for each step: how often the entries so far were drawn, and the positive ones among them.
   One of zeros lies before, and three that fill up the last four lie behind. */
#define ROW (2 * LANES)
#define ROWS(steps) (((steps) + 4) * ROW)

/* Cumulate the counts of some entries into rows, and return how many steps there are. Every entry
   writes where the next row goes, which moves on behind a step. What lies behind the last entry
   goes to `all`. */
#define CUMULATE(name, type)                                                                       \
    INLINE int64_t name(const uint8_t *RESTRICT counts, const int32_t *RESTRICT unit,              \
                        const uint8_t *RESTRICT mark, int64_t entries, type *RESTRICT rows,        \
                        type *RESTRICT all) {                                                      \
        type every[LANES] = {0}, hits[LANES] = {0};                                                \
        type *into = rows + ROW;                                                                   \
        memset(rows, 0, ROW * sizeof(type));                                                       \
        for (int64_t e = 0; e < entries; e++) {                                                    \
            const uint8_t *own = counts + (int64_t)unit[e] * LANES;                                \
            const uint8_t mask = (uint8_t)(0 - (mark[e] & POSITIVE));                              \
            for (int i = 0; i < LANES; i++) {                                                      \
                uint8_t counted = own[i], hit = own[i] & mask;                                     \
                every[i] = (type)(every[i] + counted);                                             \
                hits[i] = (type)(hits[i] + hit);                                                   \
                into[i] = every[i];                                                                \
                into[LANES + i] = hits[i];                                                         \
            }                                                                                      \
            into += mark[e] & STEP ? ROW : 0;                                                      \
        }                                                                                          \
        for (int i = 0; i < 3 * ROW; i++) into[i] = into[i - ROW];                                 \
        for (int i = 0; i < LANES; i++) all[i] = every[i], all[LANES + i] = hits[i];               \
        return (into - rows) / ROW - 1;                                                            \
    }
CUMULATE(cumulate_few, uint8_t)
CUMULATE(cumulate_many, uint16_t)

/* Add four fractions, each the positives that a step gains times the precision behind it. Divisions
   are slow, so that the four are brought to one denominator. Whole numbers below 2^24, and then
   below 2^53, are exact, and so is a total of ones. */
INLINE void add_four(const uint8_t *RESTRICT row, double *RESTRICT total) {
    float above[2][LANES], below[2][LANES];
    for (int k = 0; k < 2; k++, row += 2 * ROW)
        for (int i = 0; i < LANES; i++) {
            uint8_t before = row[i - LANES], first = row[i + LANES], second = row[i + ROW + LANES];
            uint8_t one = row[i], other = row[i + ROW];
            uint16_t part = (uint16_t)((uint8_t)(first - before) * first);
            uint16_t next = (uint16_t)((uint8_t)(second - first) * second);
            float whole = (uint8_t)(one + (one == 0)), rest = (uint8_t)(other + (other == 0));
            above[k][i] = (float)part * rest + (float)next * whole;
            below[k][i] = whole * rest;
        }
    for (int i = 0; i < LANES; i++) {
        double left = below[0][i], right = below[1][i];
        total[i] += ((double)above[0][i] * right + (double)above[1][i] * left) / (left * right);
    }
}

/* A short list: all counts fit into a byte. */
INLINE void precision_of_few(const uint8_t *RESTRICT counts, const int32_t *RESTRICT unit,
                             const uint8_t *RESTRICT mark, int64_t entries,
                             double *RESTRICT positives, double *RESTRICT precisions) {
    uint8_t rows[ROWS(FEW)], all[ROW];
    double total[LANES] = {0.0};
    int64_t steps = cumulate_few(counts, unit, mark, entries, rows, all);
    for (int64_t step = 1; step <= steps; step += 4) add_four(rows + step * ROW, total);
    for (int i = 0; i < LANES; i++) {
        positives[i] = all[LANES + i];
        precisions[i] = total[i] / positives[i];
    }
}

typedef struct {
    int32_t every[LANES], hits[LANES]; /* entries and positives behind the chunks so far */
    int32_t before[LANES];             /* positives behind the last step */
    double total[LANES];
} Precision;

/* Add two fractions. */
INLINE void add_two(const uint16_t *RESTRICT row, Precision *RESTRICT sums) {
    for (int i = 0; i < LANES; i++) {
        int32_t one = sums->every[i] + row[i], other = sums->every[i] + row[i + ROW];
        int32_t first = sums->hits[i] + row[i + LANES];
        int32_t second = sums->hits[i] + row[i + ROW + LANES];
        double part = (double)(first - sums->before[i]) * (double)first;
        double next = (double)(second - first) * (double)second;
        double whole = one + (one == 0), rest = other + (other == 0);
        sums->total[i] += (part * rest + next * whole) / (whole * rest);
        sums->before[i] = second;
    }
}

/* A longer list, chunk by chunk; in each the counts begin anew and fit into 16 bits. */
INLINE void add_entries(const uint8_t *RESTRICT counts, const int32_t *RESTRICT unit,
                        const uint8_t *RESTRICT mark, int64_t entries, Precision *RESTRICT sums) {
    uint16_t rows[ROWS(CHUNK)], all[ROW];
    for (int64_t first = 0; first < entries; first += CHUNK) {
        int64_t some = entries - first < CHUNK ? entries - first : CHUNK;
        int64_t steps = cumulate_many(counts, unit + first, mark + first, some, rows, all);
        for (int64_t step = 1; step <= steps; step += 2) add_two(rows + step * ROW, sums);
        for (int i = 0; i < LANES; i++) {
            sums->every[i] += all[i];
            sums->hits[i] += all[LANES + i];
        }
    }
}

INLINE void precision_of_many(const uint8_t *RESTRICT counts, const int32_t *RESTRICT unit,
                              const uint8_t *RESTRICT mark, int64_t entries,
                              double *RESTRICT positives, double *RESTRICT precisions) {
    Precision sums;
    memset(&sums, 0, sizeof sums);
    add_entries(counts, unit, mark, entries, &sums);
    for (int i = 0; i < LANES; i++) {
        positives[i] = (double)sums.hits[i];
        precisions[i] = sums.total[i] / positives[i];
    }
}

/* Add some entries of a list that is too long for one call to what those before them came to: CHUNK
   or a multiple, but for the last ones. `state` has a row of LANES for the entries drawn, the
   positive ones, those behind the last step, and the total. */
EXPORT CLONES int hw_add_entries(const uint8_t *counts, const int32_t *unit, const uint8_t *mark,
                                 int64_t entries, double *state) {
    Precision sums;
    for (int i = 0; i < LANES; i++) {
        sums.every[i] = (int32_t)state[i];
        sums.hits[i] = (int32_t)state[LANES + i];
        sums.before[i] = (int32_t)state[2 * LANES + i];
        sums.total[i] = state[3 * LANES + i];
    }
    add_entries(counts, unit, mark, entries, &sums);
    for (int i = 0; i < LANES; i++) {
        state[i] = sums.every[i];
        state[LANES + i] = sums.hits[i];
        state[2 * LANES + i] = sums.before[i];
        state[3 * LANES + i] = sums.total[i];
    }
    return DONE;
}

/* Average precisions of lists `first` to `last` and the positives that they rest on, both (last -
   first, blocks * LANES). `mark` is that of `hw_steps`; `few` says that a list has up to FEW entries,
   each as often as it may be drawn. */
EXPORT CLONES int hw_precisions(const uint8_t *turned, int64_t blocks, int64_t pitch,
                                const int32_t *unit, const uint8_t *mark, int64_t entries,
                                int64_t few, int64_t first, int64_t last, double *positives,
                                double *precisions) {
    for (int64_t block = 0; block < blocks; block++)
        for (int64_t row = first; row < last; row++) {
            const int32_t *own = unit + row * entries;
            const uint8_t *counts = turned + block * pitch, *marks = mark + row * entries;
            int64_t at = ((row - first) * blocks + block) * LANES;
            if (few)
                precision_of_few(counts, own, marks, entries, positives + at, precisions + at);
            else
                precision_of_many(counts, own, marks, entries, positives + at, precisions + at);
        }
    return DONE;
}
