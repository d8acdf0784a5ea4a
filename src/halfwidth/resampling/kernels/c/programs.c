/* The small machine that works out formulas of counts of cells; `programs.py` writes its steps.

   A register holds the values of WIDTH resamples side by side. Counts are made in 16 bits: sums of
   them may overflow on the way, but what is left is right. */
#include <math.h>

#include "halfwidth.h"

#define WIDTH 256
/* How often the short program is not tried after it was of no use. */
#define PATIENCE 8

enum {
    COUNT = 1, ADD, SUBTRACT, MULTIPLY, DIVIDE, ROOT, GREATER, EQUAL, IS_NAN, CHOOSE, CHOOSE_IF_NAN,
    ADD_TO, ADD_PRODUCT_TO
};

/* The sum of some cells: draws up to the second boundary of each pair less those to the first. */
INLINE void count(const int16_t *RESTRICT draws, const int64_t *RESTRICT ends,
                  const int64_t *RESTRICT pairs, int64_t number, double factor,
                  double *RESTRICT into) {
    const int16_t *a = draws + ends[pairs[0]], *b = draws + ends[pairs[1]];
    if (number == 1) {
        for (int i = 0; i < WIDTH; i++) into[i] = factor * (double)(int16_t)(b[i] - a[i]);
        return;
    }
    int16_t sums[WIDTH];
    for (int i = 0; i < WIDTH; i++) sums[i] = (int16_t)(b[i] - a[i]);
    for (int64_t k = 1; k < number; k++) {
        a = draws + ends[pairs[2 * k]], b = draws + ends[pairs[2 * k + 1]];
        for (int i = 0; i < WIDTH; i++) sums[i] = (int16_t)(sums[i] + b[i] - a[i]);
    }
    for (int i = 0; i < WIDTH; i++) into[i] = factor * (double)sums[i];
}

#define EACH(expression)                                                                           \
    for (int i = 0; i < WIDTH; i++) o[i] = (expression);                                           \
    return DONE

/* One step of arithmetic or of a decision. A register is read and written in one step only where
   something is added to it. */
INLINE int calculate(int64_t step, double *RESTRICT o, const double *a, const double *b,
                     const double *c) {
    switch (step) {
    case ADD_PRODUCT_TO: EACH(o[i] + a[i] * b[i]);
    case ADD_TO: EACH(o[i] + a[i]);
    case ADD: EACH(a[i] + b[i]);
    case SUBTRACT: EACH(a[i] - b[i]);
    case MULTIPLY: EACH(a[i] * b[i]);
    case DIVIDE: EACH(a[i] / b[i]);
    case ROOT: EACH(sqrt(a[i]));
    case GREATER: EACH(a[i] > b[i] ? 1.0 : 0.0);
    case EQUAL: EACH(a[i] == b[i] ? 1.0 : 0.0);
    case IS_NAN: EACH(a[i] != a[i] ? 1.0 : 0.0);
    case CHOOSE: EACH(a[i] != 0.0 ? b[i] : c[i]);
    case CHOOSE_IF_NAN: EACH(a[i] != a[i] ? b[i] : c[i]);
    default: return BAD_ARGUMENT;
    }
}

INLINE int work_out(const int64_t *RESTRICT steps, int64_t begin, int64_t end,
                    const int16_t *RESTRICT draws, const int64_t *RESTRICT ends,
                    const int64_t *RESTRICT pairs, double *RESTRICT registers) {
    for (int64_t j = begin; j < end; j++) {
        const int64_t *at = steps + 5 * j;
        double *into = registers + at[1] * WIDTH;
        int status = DONE;
        if (at[0] == COUNT)
            count(draws, ends, pairs + 2 * at[2], at[3] - at[2], (double)at[4], into);
        else
            status = calculate(at[0], into, registers + at[2] * WIDTH, registers + at[3] * WIDTH,
                               registers + at[4] * WIDTH);
        if (status) return status;
    }
    return DONE;
}

INLINE int any_nan(const double *row, int64_t number) {
    int found = 0;
    for (int64_t i = 0; i < number; i++) found |= row[i] != row[i];
    return found;
}

/* Work out a program for all samples in resamples `first` to `last`.

   draws      cumulated draws (rows, units + 1, WIDTH), of one row of resamples after another
   ends       (samples, cells + 1): where in a row the boundaries between cells lie, times WIDTH
   pairs, steps, quick, quick_result, result      as in `Program`
   registers  (number, WIDTH), the first hold the numbers of the program
   out        (samples, resamples) */
EXPORT CLONES int hw_run(const int16_t *draws, int64_t units, const int64_t *ends, int64_t samples,
                         int64_t boundaries, const int64_t *pairs, const int64_t *steps,
                         int64_t number, int64_t quick, int64_t quick_result, int64_t result,
                         double *registers, double *out, int64_t resamples, int64_t first,
                         int64_t last) {
    for (int64_t at = first; at < last; at += WIDTH, draws += (units + 1) * WIDTH) {
        int64_t some = last - at < WIDTH ? last - at : WIDTH, waits = 0;
        for (int64_t s = 0; s < samples; s++) {
            const int64_t *own = ends + s * boundaries;
            const double *found = registers + quick_result * WIDTH;
            int status = DONE, whole = quick == 0 || waits > 0;
            if (whole) {
                waits -= waits > 0;
            } else {
                status = work_out(steps, 0, quick, draws, own, pairs, registers);
                whole = any_nan(found, some);
                if (whole) waits = PATIENCE;
            }
            if (whole && !status) {
                status = work_out(steps, quick, number, draws, own, pairs, registers);
                found = registers + result * WIDTH;
            }
            if (status) return status;
            memcpy(out + s * resamples + at, found, (size_t)some * sizeof *out);
        }
    }
    return DONE;
}
