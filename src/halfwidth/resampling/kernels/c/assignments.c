/* Which reference each detection is given, in all cells of many images at many thresholds. */
#include "halfwidth.h"

/* What a reference is to detections, as `Role` has it. */
enum { TO_BE_FOUND, IGNORED_ONCE, IGNORED_ALWAYS, ABSENT };

/* Columns of the table of cells. */
enum { PAIR, ROWS, TRUE, COLUMNS, ENTRY, FIELDS };

/* Give the detections of each cell, in order, the best reference that is left: of those to be found,
   else of those to be ignored; of equal ones the last.

   A cell is a row of the table: its first pair among the gains, which come row by row, a row being
   a detection; its number of detections; its first reference among the roles and their number; its
   first entry. Only gains of at least the limit are admitted. What is assigned (thresholds, entries)
   is the place of a reference in its cell, and stays where it is not negative. There is room for
   (thresholds, columns) in `taken` and for (columns) in `near`, of the widest cell. */
EXPORT int hw_assign(const double *gains, const double *limits, int64_t thresholds,
                     const int64_t *table, int64_t cells, const uint8_t *roles, int64_t entries,
                     uint8_t *taken, int32_t *near, int32_t *assigned) {
    if (thresholds < 1) return BAD_ARGUMENT;
    double least = limits[0];
    for (int64_t t = 1; t < thresholds; t++)
        if (limits[t] < least) least = limits[t];
    for (int64_t c = 0; c < cells; c++) {
        const int64_t *cell = table + c * FIELDS;
        const int64_t columns = cell[COLUMNS];
        const uint8_t *role = roles + cell[TRUE];
        memset(taken, 0, (size_t)(thresholds * columns));
        for (int64_t row = 0; row < cell[ROWS]; row++) {
            const double *gain = gains + cell[PAIR] + row * columns;
            int64_t candidates = 0;
            for (int64_t k = 0; k < columns; k++) {
                near[candidates] = (int32_t)k;
                candidates += (gain[k] >= least) & (role[k] != ABSENT);
            }
            for (int64_t t = 0; candidates && t < thresholds; t++) {
                int32_t *given = assigned + t * entries + cell[ENTRY] + row;
                uint8_t *gone = taken + t * columns;
                int32_t best = -1;
                if (*given >= 0) continue;
                for (int64_t i = 0; i < candidates; i++) {
                    const int32_t k = near[i];
                    if (!(gain[k] >= limits[t]) || gone[k]) continue;
                    const int real = role[k] == TO_BE_FOUND;
                    const int best_real = best >= 0 && role[best] == TO_BE_FOUND;
                    if (best < 0 || real > best_real ||
                        (real == best_real && gain[k] >= gain[best]))
                        best = k;
                }
                *given = best;
                if (best >= 0 && role[best] != IGNORED_ALWAYS) gone[best] = 1;
            }
        }
    }
    return DONE;
}
