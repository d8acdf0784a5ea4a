/* Weighted sums: the weights of the units of a resample are exponentials. */
#include "exponentials.h"

#define MOST_FEATURES 8

/* Exponentials of resamples start to stop, as many resamples at a time as a piece holds, or one in
   several pieces. Something is done with the `number` draws of a resample from its `first` on. */
#define EACH_PIECE(draws, resample, first, number, action)                                         \
    do {                                                                                           \
        const uint64_t blocks_ = exponential_blocks((uint64_t)units);                              \
        const int64_t most_ = EXPONENTIAL_PIECE, all_ = (int64_t)blocks_;                          \
        const int64_t together_ = all_ < most_ ? most_ / all_ : 1;                                 \
        double piece_[EXPONENTIALS * EXPONENTIAL_PIECE];                                           \
        for (int64_t b_ = start; b_ < stop; b_ += together_) {                                     \
            const int64_t some_ = stop - b_ < together_ ? stop - b_ : together_;                   \
            for (int64_t done_ = 0; done_ < all_; done_ += most_) {                                \
                const int64_t own_ = all_ - done_ < most_ ? all_ - done_ : most_;                  \
                const uint64_t counter_ = (uint64_t)b_ * blocks_ + (uint64_t)done_;                \
                draw_exponentials(key0, key1, counter_, (int)(some_ * own_), piece_);              \
                for (int64_t r_ = 0; r_ < some_; r_++) {                                           \
                    const double *draws = piece_ + r_ * own_ * EXPONENTIALS;                       \
                    const int64_t resample = b_ - start + r_;                                      \
                    const int64_t first = done_ * EXPONENTIALS, number = own_ * EXPONENTIALS;      \
                    action;                                                                        \
                }                                                                                  \
            }                                                                                      \
        }                                                                                          \
    } while (0)

/* Add draws times features to sums that are kept apart by the place of a draw in its block. */
INLINE void add_products(const double *RESTRICT draws, const double *RESTRICT features,
                         int64_t number, double *RESTRICT sums) {
    double apart[EXPONENTIALS];
    memcpy(apart, sums, sizeof apart);
    for (int64_t i = 0; i < number; i += EXPONENTIALS)
        for (int k = 0; k < EXPONENTIALS; k++) apart[k] += draws[i + k] * features[i + k];
    memcpy(sums, apart, sizeof apart);
}

/* Sums of features, weighted by the exponentials of resamples start to stop: (stop - start, width).
   Features are rows of `pitch`, which are the units, and zeros up to a whole number of blocks. The
   order of addition depends on the number of units alone. */
EXPORT CLONES int hw_sum_weighted(uint64_t key0, uint64_t key1, int64_t start, int64_t stop,
                                  int64_t units, const double *features, int64_t width,
                                  int64_t pitch, double *sums) {
    if (width < 1 || width > MOST_FEATURES || units < 1) return BAD_ARGUMENT;
    double apart[MOST_FEATURES][EXPONENTIALS];
    EACH_PIECE(draws, resample, first, number, {
        if (first == 0) memset(apart, 0, sizeof apart);
        for (int f = 0; f < width; f++)
            add_products(draws, features + f * pitch + first, number, apart[f]);
        for (int f = 0; f < width && first + number >= units; f++) {
            const double *a = apart[f];
            sums[resample * width + f] = ((a[0] + a[1]) + (a[2] + a[3])) +
                                         ((a[4] + a[5]) + (a[6] + a[7])) +
                                         ((a[8] + a[9]) + (a[10] + a[11]));
        }
    });
    return DONE;
}

/* The exponentials of resamples start to stop, a row for each: (stop - start, units). */
EXPORT CLONES int hw_exponentials(uint64_t key0, uint64_t key1, int64_t start, int64_t stop,
                                  int64_t units, double *exponentials) {
    if (units < 1) return BAD_ARGUMENT;
    EACH_PIECE(draws, resample, first, number, {
        const int64_t used = units - first < number ? units - first : number;
        memcpy(exponentials + resample * units + first, draws, (size_t)used * sizeof *draws);
    });
    return DONE;
}
