/* Areas under curves of ranked scores whose cases have random weights, many resamples side by side.

   A list holds entries by falling score, as in areas.c: each has its unit and its mark, maybe a
   weight of its own. The weights of the units of a resample are exponentials. */
#include "exponentials.h"

/* Bits of a mark. */
#define POSITIVE 1
#define LAST 2

/* Rows of LANES that hold what a list adds up to so far. */
enum { ABOVE, BELOW, TOTAL, TIED_POSITIVE, TIED_NEGATIVE, SUMS };

/* The exponentials of resamples start to stop as blocks of (units, LANES): resamples side by side,
   1 where a block is not full. */
EXPORT CLONES int hw_turn_exponentials(uint64_t key0, uint64_t key1, int64_t start, int64_t stop,
                                       int64_t units, double *turned) {
    const uint64_t each = exponential_blocks((uint64_t)units);
    uint64_t words[4], turned_words[4][LANES];
    for (int64_t b = start; b < stop; b += LANES) {
        const int lanes = stop - b < LANES ? (int)(stop - b) : LANES;
        for (uint64_t block = 0; block < each; block++) {
            const int64_t left = units - (int64_t)block * EXPONENTIALS;
            const int used = left < EXPONENTIALS ? (int)left : EXPONENTIALS;
            for (int lane = 0; lane < LANES; lane++) {
                philox((uint64_t)(b + lane) * each + block, key0, key1, words);
                for (int w = 0; w < 4; w++) turned_words[w][lane] = words[w];
            }
            for (int k = 0; k < used; k++, turned += LANES) {
                for (int lane = 0; lane < LANES; lane++)
                    turned[lane] = exponential_of(part_of_word(turned_words[k % 4][lane], k / 4));
                for (int lane = lanes; lane < LANES; lane++) turned[lane] = 1.0;
            }
        }
    }
    return DONE;
}

/* What the ties that end here add: to the area under a ROC curve the negatives among them times the
   positives above and half of those among them, to average precision the positives among them times
   the precision. */
INLINE void end_ties(int auroc, double (*RESTRICT sums)[LANES]) {
    for (int i = 0; i < LANES; i++) {
        const double p = sums[TIED_POSITIVE][i], q = sums[TIED_NEGATIVE][i];
        if (auroc) {
            sums[TOTAL][i] += q * (sums[ABOVE][i] + 0.5 * p);
        } else {
            const double hits = sums[ABOVE][i] + p, every = hits + sums[BELOW][i] + q;
            sums[TOTAL][i] += every > 0.0 ? p * (hits / every) : 0.0;
        }
        sums[ABOVE][i] += p;
        sums[BELOW][i] += q;
        sums[TIED_POSITIVE][i] = sums[TIED_NEGATIVE][i] = 0.0;
    }
}

/* An entry without ties: what the above comes to for one of a group. */
INLINE void add_single(const double *RESTRICT own, double times, int positive, int auroc,
                       double (*RESTRICT sums)[LANES]) {
    if (positive && auroc)
        for (int i = 0; i < LANES; i++) sums[ABOVE][i] += times * own[i];
    else if (positive)
        for (int i = 0; i < LANES; i++) {
            const double p = times * own[i], hits = sums[ABOVE][i] + p;
            const double every = hits + sums[BELOW][i];
            sums[ABOVE][i] = hits;
            sums[TOTAL][i] += every > 0.0 ? p * (hits / every) : 0.0;
        }
    else if (auroc)
        for (int i = 0; i < LANES; i++) {
            const double q = times * own[i];
            sums[TOTAL][i] += q * sums[ABOVE][i];
            sums[BELOW][i] += q;
        }
    else
        for (int i = 0; i < LANES; i++) sums[BELOW][i] += times * own[i];
}

/* Add some entries of a list to what those above them came to. */
INLINE void add_weighted(const double *RESTRICT turned, const int32_t *RESTRICT unit,
                         const uint8_t *RESTRICT mark, const double *RESTRICT value,
                         int64_t entries, int auroc, double (*RESTRICT sums)[LANES]) {
    int begins = 1;
    for (int64_t e = 0; e < entries; e++) {
        const double *own = turned + (int64_t)unit[e] * LANES;
        const double times = value ? value[e] : 1.0;
        const int positive = mark[e] & POSITIVE, ends = mark[e] & LAST;
        if (begins && ends) {
            add_single(own, times, positive, auroc, sums);
            continue;
        }
        double *into = sums[positive ? TIED_POSITIVE : TIED_NEGATIVE];
        for (int i = 0; i < LANES; i++) into[i] += times * own[i];
        if (ends) end_ties(auroc, sums);
        begins = ends;
    }
}

/* A group of ties made of pseudo-cases: a row of positives, and one of negatives. For average
   precision. */
INLINE void add_ends(const double *RESTRICT ends, double (*RESTRICT sums)[LANES]) {
    memcpy(sums[TIED_POSITIVE], ends, LANES * sizeof(double));
    memcpy(sums[TIED_NEGATIVE], ends + LANES, LANES * sizeof(double));
    end_ties(0, sums);
}

/* The area under a ROC curve with pseudo-cases, given that of the cases alone. */
INLINE void with_ends(const double *RESTRICT ends, double (*RESTRICT sums)[LANES],
                      double *RESTRICT positives, double *RESTRICT areas) {
    for (int i = 0; i < LANES; i++) {
        const double *end = ends + i;
        const double first = end[0], above = end[LANES], last = end[2 * LANES];
        const double below = end[3 * LANES], hits = first + sums[ABOVE][i];
        const double inner = 0.5 * (above * first) + (sums[TOTAL][i] + first * sums[BELOW][i]);
        const double total = inner + below * (hits + 0.5 * last);
        positives[i] = hits + last;
        areas[i] = total / (positives[i] * (above + sums[BELOW][i] + below));
    }
}

/* Areas of `rows` lists in blocks of resamples, and the positives that they rest on, both
   (rows, sides, blocks * LANES). `value` holds weights of the entries, or is null. `ends` are the
   weights of pseudo-cases, (classes, blocks, sides, 4, LANES): positives and negatives above all
   scores, positives and negatives below. The lists are those of one class after another, over and
   over, from the class `first` on. */
EXPORT CLONES int hw_weighted_areas(const double *turned, int64_t blocks, int64_t units,
                                    const int32_t *unit, const uint8_t *mark, const double *value,
                                    int64_t entries, int64_t rows, const double *ends,
                                    int64_t classes, int64_t first, int64_t sides, int64_t auroc,
                                    double *positives, double *areas) {
    for (int64_t row = 0; row < rows; row++, unit += entries, mark += entries) {
        const double *of_class = ends + (first + row) % classes * blocks * sides * 4 * LANES;
        for (int64_t block = 0; block < blocks; block++) {
            const double *weights = turned + block * units * LANES;
            double sums[SUMS][LANES] = {{0.0}};
            if (auroc) add_weighted(weights, unit, mark, value, entries, 1, sums);
            for (int64_t side = 0; side < sides; side++, of_class += 4 * LANES) {
                const int64_t place = ((row * sides + side) * blocks + block) * LANES;
                if (auroc) {
                    with_ends(of_class, sums, positives + place, areas + place);
                    continue;
                }
                memset(sums, 0, sizeof sums);
                add_ends(of_class, sums);
                add_weighted(weights, unit, mark, value, entries, 0, sums);
                add_ends(of_class + 2 * LANES, sums);
                for (int i = 0; i < LANES; i++) {
                    positives[place + i] = sums[ABOVE][i];
                    areas[place + i] = sums[TOTAL][i] / sums[ABOVE][i];
                }
            }
        }
        if (value) value += entries;
    }
    return DONE;
}
