/*
 * Sines and cosines of `count` angles, of which there are at least LANES: in vectors, the last of which may overlap the
 * one before it. What vectors do not reach (beyond 2^19 pi/2, infinities, NaN) is left to the library.
 */
static __attribute__((noinline)) void sines_and_cosines(const real *angles, int count, real *sines, real *cosines)
{
    mask beyond = {0};
    for (int k = 0; k < count; k += LANES) {
        const int first = k + LANES <= count ? k : count - LANES;
        lanes x, sine, cosine;
        __builtin_memcpy(&x, angles + first, sizeof x);
        turn(x, &sine, &cosine);
        __builtin_memcpy(sines + first, &sine, sizeof sine);
        __builtin_memcpy(cosines + first, &cosine, sizeof cosine);
        beyond |= beyond_reach(x);
    }
    if (some_beyond(beyond))
        for (int i = 0; i < count; ++i)
            if (!(ABS(angles[i]) <= REACH)) {
                sines[i] = SIN(angles[i]);
                cosines[i] = COS(angles[i]);
            }
}
