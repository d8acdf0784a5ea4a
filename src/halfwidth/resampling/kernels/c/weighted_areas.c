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
    const int64_t full = (stop - start + LANES - 1) / LANES * LANES;
    double draws[EXPONENTIALS * EXPONENTIAL_PIECE];
    for (int64_t b = 0; b < full; b++) {
        double *into = turned + b / LANES * units * LANES + b % LANES;
        if (b >= stop - start) {
            for (int64_t u = 0; u < units; u++) into[u * LANES] = 1.0;
            continue;
        }
        for (uint64_t done = 0; done < each; done += EXPONENTIAL_PIECE) {
            const uint64_t rest = each - done;
            const int blocks = rest < EXPONENTIAL_PIECE ? (int)rest : EXPONENTIAL_PIECE;
            const int64_t first = (int64_t)done * EXPONENTIALS, left = units - first;
            const int64_t most = (int64_t)blocks * EXPONENTIALS, number = left < most ? left : most;
            draw_exponentials(key0, key1, (uint64_t)(start + b) * each + done, blocks, draws);
            for (int64_t u = 0; u < number; u++) into[(first + u) * LANES] = draws[u];
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

/* A group of ties made of pseudo-cases: a row of positives, and one of negatives. */
INLINE void add_ends(const double *RESTRICT ends, int auroc, double (*RESTRICT sums)[LANES]) {
    memcpy(sums[TIED_POSITIVE], ends, LANES * sizeof(double));
    memcpy(sums[TIED_NEGATIVE], ends + LANES, LANES * sizeof(double));
    end_ties(auroc, sums);
}

/* Areas of `rows` lists in blocks of resamples, and the positives that they rest on, both
   (rows, blocks * LANES). `value` holds weights of the entries, or is null. `ends` are the weights
   of pseudo-cases, (rows, blocks, 4, LANES): positives and negatives above all scores, positives
   and negatives below. */
EXPORT CLONES int hw_weighted_areas(const double *turned, int64_t blocks, int64_t units,
                                    const int32_t *unit, const uint8_t *mark, const double *value,
                                    int64_t entries, int64_t rows, const double *ends,
                                    int64_t auroc, double *positives, double *areas) {
    for (int64_t row = 0; row < rows; row++, unit += entries, mark += entries) {
        for (int64_t block = 0; block < blocks; block++, ends += 4 * LANES) {
            const double *weights = turned + block * units * LANES;
            double sums[SUMS][LANES] = {{0.0}};
            add_ends(ends, auroc != 0, sums);
            if (auroc)
                add_weighted(weights, unit, mark, value, entries, 1, sums);
            else
                add_weighted(weights, unit, mark, value, entries, 0, sums);
            add_ends(ends + 2 * LANES, auroc != 0, sums);
            for (int i = 0; i < LANES; i++, positives++, areas++) {
                *positives = sums[ABOVE][i];
                *areas = sums[TOTAL][i] / (auroc ? sums[ABOVE][i] * sums[BELOW][i] : sums[ABOVE][i]);
            }
        }
        if (value) value += entries;
    }
    return DONE;
}
