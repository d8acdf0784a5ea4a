/* Curves of ranked matches, of many resamples side by side.

   A list holds the detections of one class by falling score. At each threshold of localisation one
   is a true positive, a false one, or counts for nothing. Most are false at all of them: those are
   plain and are only counted; the others are events, each behind a run of plain ones. */
#include "halfwidth.h"

/* Thresholds, at most. */
#define MOST 26
/* Counts of 8 bits that 16 hold the sum of. */
#define RUN 256
/* Bits of a mark. */
#define POSITIVE 1
#define LAST 2

typedef int32_t Lanes[LANES];

INLINE void add_counts(const uint8_t *RESTRICT own, int32_t *RESTRICT sums) {
    for (int i = 0; i < LANES; i++) sums[i] += own[i];
}

/* Counts of some units, each `times`, or once where these are null. */
EXPORT CLONES int hw_drawn_total(const uint8_t *counts, const int32_t *unit, const int32_t *times,
                                 int64_t entries, double *total) {
    double sums[LANES] = {0};
    for (int64_t k = 0; k < entries; k++) {
        const uint8_t *own = counts + (int64_t)unit[k] * LANES;
        const double each = times ? times[k] : 1;
        for (int i = 0; i < LANES; i++) sums[i] += each * own[i];
    }
    memcpy(total, sums, sizeof sums);
    return DONE;
}

/* ------------------------------------------------------------------ precision and recall */

INLINE void add_run(const uint8_t *RESTRICT counts, const int32_t *RESTRICT unit, int64_t run,
                    int32_t *RESTRICT all) {
    while (run > 0) {
        int64_t some = run < RUN ? run : RUN;
        uint16_t sums[LANES] = {0};
        for (int64_t k = 0; k < some; k++) {
            const uint8_t *own = counts + (int64_t)unit[k] * LANES;
            for (int i = 0; i < LANES; i++) sums[i] = (uint16_t)(sums[i] + own[i]);
        }
        for (int i = 0; i < LANES; i++) all[i] += sums[i];
        unit += some;
        run -= some;
    }
}

/* What one threshold comes to so far: from the lowest score up, what was reached before an entry
   and the best precision behind it. */
typedef struct {
    int32_t hits[LANES], ignored[LANES];
    double best[LANES], reached[LANES], total[LANES];
} Threshold;

/* How many of the recalls 0, 1/steps, ... are reached: as exact as their floats. */
INLINE double recalls_reached(double hits, double objects, double steps, double step) {
    const double recall = hits / objects;
    const double nearest = (double)(int32_t)(recall * steps + 0.5);
    return nearest + (nearest * step > recall ? 0.0 : 1.0);
}

INLINE void reach(const int32_t *RESTRICT hits, const double *RESTRICT objects, double steps,
                  double *RESTRICT reached) {
    const double step = steps > 0 ? 1.0 / steps : 0.0;
    if (steps > 0)
        for (int i = 0; i < LANES; i++)
            reached[i] = recalls_reached(hits[i], objects[i], steps, step);
    else
        for (int i = 0; i < LANES; i++) reached[i] = hits[i] / objects[i];
}

/* The recalls that an entry is the first to reach, whose precision is the best behind them. */
INLINE void put_heights(const double *before, const double *reached, const double *best,
                        double *heights) {
    for (int i = 0; i < LANES; i++)
        for (int64_t k = (int64_t)before[i]; k < (int64_t)reached[i]; k++)
            heights[k * LANES + i] = best[i];
}

INLINE void step_back(Threshold *RESTRICT one, const uint8_t *RESTRICT own,
                      const int32_t *RESTRICT upto, const double *RESTRICT objects, double steps,
                      double *heights) {
    double before[LANES];
    for (int i = 0; i < LANES; i++) {
        const int32_t every = upto[i] - one->ignored[i];
        const double precision = (double)one->hits[i] / (double)(every > 0 ? every : 1);
        one->best[i] = precision > one->best[i] ? precision : one->best[i];
        one->hits[i] -= own[i];
    }
    reach(one->hits, objects, steps, before);
    if (heights) put_heights(before, one->reached, one->best, heights);
    for (int i = 0; i < LANES; i++) {
        one->total[i] += one->best[i] * (one->reached[i] - before[i]);
        one->reached[i] = before[i];
    }
}

INLINE void precisions_of_list(const uint8_t *RESTRICT counts, const int32_t *RESTRICT plain,
                               const int32_t *RESTRICT runs, const int32_t *RESTRICT unit,
                               const uint32_t *RESTRICT found, const uint32_t *RESTRICT ignored,
                               int64_t events, int thresholds, const double *objects, double steps,
                               Lanes *RESTRICT upto, Threshold *RESTRICT each, double *heights) {
    Lanes all = {0};
    memset(each, 0, thresholds * sizeof *each);
    for (int64_t k = 0; k < events; k++) {
        const uint8_t *own = counts + (int64_t)unit[k] * LANES;
        add_run(counts, plain, runs[k], all);
        plain += runs[k];
        add_counts(own, all);
        memcpy(upto[k], all, sizeof all);
        for (int t = 0; t < thresholds; t++) {
            if (found[k] >> t & 1) add_counts(own, each[t].hits);
            if (ignored[k] >> t & 1) add_counts(own, each[t].ignored);
        }
    }
    for (int t = 0; t < thresholds; t++) reach(each[t].hits, objects, steps, each[t].reached);
    for (int64_t k = events - 1; k >= 0; k--) {
        const uint8_t *own = counts + (int64_t)unit[k] * LANES;
        for (int t = 0; t < thresholds; t++) {
            if (found[k] >> t & 1)
                step_back(each + t, own, upto[k], objects, steps,
                          heights ? heights + t * ((int64_t)steps + 1) * LANES : 0);
            if (ignored[k] >> t & 1)
                for (int i = 0; i < LANES; i++) each[t].ignored[i] -= own[i];
        }
    }
}

/* The area under the best precision at a recall or a higher one, at each threshold of each list, in
   LANES resamples: (lists, thresholds, LANES). `starts` and `plain_starts` (lists + 1) say where
   the events of a list and its plain entries begin; `runs` how many plain ones come before each
   event; bits of `found` and `ignored` stand for thresholds. `objects` (lists, LANES) are to be
   found, 1 or more. With `steps` it is the mean over the recalls 0, 1/steps, ..., else under all steps.
   `upto` holds a row of LANES for each event of the longest list. `heights`, unless null, gets the
   precision at each recall, (lists, thresholds, steps + 1, LANES), which holds zeros. */
EXPORT CLONES int hw_match_precisions(const uint8_t *counts, int64_t lists, const int64_t *starts,
                                      const int64_t *plain_starts, const int32_t *plain,
                                      const int32_t *runs, const int32_t *unit,
                                      const uint32_t *found, const uint32_t *ignored,
                                      int64_t thresholds, const double *objects, int64_t steps,
                                      int32_t *upto, double *areas, double *heights) {
    Threshold each[MOST];
    if (thresholds > MOST) return BAD_ARGUMENT;
    for (int64_t list = 0; list < lists; list++) {
        const int64_t first = starts[list];
        const double *own = objects + list * LANES;
        double *into = heights ? heights + list * thresholds * (steps + 1) * LANES : 0;
        precisions_of_list(counts, plain + plain_starts[list], runs + first, unit + first,
                           found + first, ignored + first, starts[list + 1] - first,
                           (int)thresholds, own, (double)steps, (Lanes *)upto, each, into);
        for (int64_t t = 0; t < thresholds; t++) {
            double *area = areas + (list * thresholds + t) * LANES;
            /* A recall of 0 is reached before any detection. */
            if (into) {
                const double none[LANES] = {0};
                put_heights(none, each[t].reached, each[t].best, into + t * (steps + 1) * LANES);
            }
            for (int i = 0; i < LANES; i++) {
                double total = each[t].total[i] + each[t].best[i] * each[t].reached[i];
                area[i] = steps ? total / (double)(steps + 1) : total;
            }
        }
    }
    return DONE;
}

/* ------------------------------------------------------------------ FROC */

typedef struct {
    int32_t hits[LANES], false_ones[LANES], limit[LANES];
    int64_t level[LANES];
} Froc;

/* The heights of all levels below the next number of false positives. */
INLINE void pass_levels(Froc *RESTRICT sums, const int32_t *RESTRICT more_hits,
                        const int32_t *RESTRICT more_false, const double *targets, int64_t levels,
                        int stepped, double *heights) {
    for (int i = 0; i < LANES; i++) {
        const double y = sums->hits[i], x = sums->false_ones[i];
        while (sums->false_ones[i] + more_false[i] >= sums->limit[i]) {
            const int64_t at = sums->level[i] * LANES + i;
            const double part = stepped ? 0.0 : (targets[at] - x) / (double)more_false[i];
            heights[at] = y + part * (double)more_hits[i];
            sums->level[i]++;
            /* Beyond the last level, no number is enough. */
            sums->limit[i] =
                sums->level[i] < levels ? (int32_t)targets[at + LANES] + 1 : INT32_MAX;
        }
    }
}

INLINE void froc_of_list(const uint8_t *RESTRICT counts, const int32_t *RESTRICT unit,
                         const uint8_t *RESTRICT mark, int64_t entries,
                         const double *RESTRICT targets, int64_t levels, int stepped,
                         double *RESTRICT heights) {
    Froc sums;
    memset(&sums, 0, sizeof sums);
    for (int i = 0; i < LANES; i++) sums.limit[i] = (int32_t)targets[i] + 1;
    int64_t passed = 0;
    for (int64_t first = 0; first < entries && passed < LANES;) {
        Lanes hits = {0}, false_ones = {0};
        int64_t stop = first;
        int any_false = 0;
        do {
            const uint8_t *own = counts + (int64_t)unit[stop] * LANES;
            if (mark[stop] & POSITIVE) add_counts(own, hits);
            else add_counts(own, false_ones), any_false = 1;
        } while (!(mark[stop++] & LAST) && stop < entries);
        if (any_false) {
            int32_t beyond = 0;
            for (int i = 0; i < LANES; i++)
                beyond |= sums.limit[i] - 1 - (sums.false_ones[i] + false_ones[i]);
            /* Negative where one lane is beyond its limit. */
            if (beyond < 0) {
                pass_levels(&sums, hits, false_ones, targets, levels, stepped, heights);
                passed = 0;
                for (int i = 0; i < LANES; i++) passed += sums.level[i] == levels;
            }
        }
        for (int i = 0; i < LANES; i++) {
            sums.hits[i] += hits[i];
            sums.false_ones[i] += false_ones[i];
        }
        first = stop;
    }
    for (int i = 0; i < LANES; i++)
        for (int64_t level = sums.level[i]; level < levels; level++)
            heights[level * LANES + i] = sums.hits[i];
}

/* True positives at some numbers of false ones, (lists, levels, LANES). Lists are as those of
   areas.c, each from `starts` on; `targets` (levels, LANES) ascend, and there is at least one.
   Lines join the points of all scores, unless the curve is `stepped`. */
EXPORT CLONES int hw_match_frocs(const uint8_t *counts, int64_t lists, const int64_t *starts,
                                 const int32_t *unit, const uint8_t *mark, const double *targets,
                                 int64_t levels, int64_t stepped, double *heights) {
    for (int64_t list = 0; list < lists; list++)
        froc_of_list(counts, unit + starts[list], mark + starts[list],
                     starts[list + 1] - starts[list], targets, levels, (int)stepped,
                     heights + list * levels * LANES);
    return DONE;
}
