/* ---------------------------------------------------------------- sine and cosine */

/* angles that vectors reach: 2^19 pi/2, less some */
#define REACH ((real)(SINGLE ? 823549.6f : 823549.6))

/* below 0 as a whole number, in its first bit, where an angle is beyond, an infinity or a NaN */
INLINE mask beyond_reach(lanes x)
{
    const real reach = REACH;
    whole last;
    __builtin_memcpy(&last, &reach, sizeof last);
    return last - (mask)magnitude(x);
}

/* whether that is so in some lane */
INLINE int some_beyond(mask beyond)
{
    whole lane[LANES], any = 0;
    __builtin_memcpy(lane, &beyond, sizeof lane);
    for (int i = 0; i < LANES; ++i) any |= lane[i];
    return (int)(any >> (8 * sizeof any - 1));
}

#if SINGLE
typedef float half __attribute__((vector_size(VECTOR_BYTES / 2)));
typedef double wide __attribute__((vector_size(VECTOR_BYTES)));
#endif

/*
 * An angle: r - lost from the nearest quarter turn, whose number stands in the last bits of `turns`. What is lost of r is
 * taken off, so that -0 stays what it is.
 */
typedef struct {
    lanes r, lost;
    mask turns;
} quarter;

/*
 * x = n pi/2 + (r - lost), while |x| is at most REACH. Beyond, and for an infinity or a NaN, these are no angle's: whoever
 * asks leaves such x to the library.
 */
INLINE quarter nearest_quarter(lanes x)
{
#if SINGLE
    const float two_over_pi = 6.36619772e-01f, round = 12582912.0f;
#else
    const double two_over_pi = 6.36619772367581382433e-01, round = 6755399441055744.0;
#endif
    lanes shifted = x * two_over_pi + round;
    ROUNDED(shifted);
    const lanes n = shifted - round;

#ifdef FUSED
    /*
     * pi/2 in three pieces of full length: the first step is exact, for it leaves less than 1, a multiple of the first
     * piece's last bit or of that of x; of the second one what is rounded away is kept.
     */
#if SINGLE
    const float first = 1.57079625e+00f, second = 7.54979013e-08f, third = -1.71512451e-15f;
#else
    const double first = 1.57079632679489655800e+00, second = 6.12323399573676603587e-17, third = -1.49738490485916983e-33;
#endif
    const lanes zero = {0}, near = FUSED(-n, first - zero, x);
    lanes w = n * second;
    ROUNDED(w);
    lanes r = near - w;
    ROUNDED(r);
    const lanes lost = FUSED(n, third - zero, FUSED(n, second - zero, -w)) - ((near - r) - w);
    const quarter nearest = {r, lost, (mask)shifted};
    return nearest;
#elif SINGLE
    /* as in fdlibm's __ieee754_rem_pio2f, in double precision, one half of the lanes after the other */
    lanes r;
    half angle[2], turns[2];
    __builtin_memcpy(angle, &x, sizeof x);
    __builtin_memcpy(turns, &n, sizeof n);
    for (int k = 0; k < 2; ++k) {
        const wide whole_turns = __builtin_convertvector(turns[k], wide);
        const wide from = __builtin_convertvector(angle[k], wide) - whole_turns * 1.57079632673412561417e+00;
        angle[k] = __builtin_convertvector(from - whole_turns * 6.07710050650619224932e-11, half);
    }
    __builtin_memcpy(&r, angle, sizeof r);
    const quarter nearest = {r, {0}, (mask)shifted};
    return nearest;
#else
    /*
     * as in fdlibm's __ieee754_rem_pio2, with pi/2 in pieces of 33 bits: their products with n are exact. All three steps
     * are always made, and what the second one rounds away is kept, for here it may not be zero.
     */
    lanes r1 = x - n * 1.57079632673412561417e+00;
    ROUNDED(r1);
    const lanes w2 = n * 6.07710050630396597660e-11;
    lanes r2 = r1 - w2;
    ROUNDED(r2);
    const lanes w3 = n * 2.02226624871116645580e-21;
    lanes r3 = r2 - w3;
    ROUNDED(r3);
    const lanes rest = (n * 8.47842766036889956997e-32 - ((r2 - r3) - w3)) - ((r1 - r2) - w2);
    const lanes r = r3 - rest;
    const quarter nearest = {r, rest - (r3 - r), (mask)shifted};
    return nearest;
#endif
}

/*
 * Sine and cosine of an angle, by polynomials on [-pi/4, pi/4], swapped and signed by n mod 4: Cephes', to 2 ulp, in
 * single precision, those of fdlibm's kernels, to 1 ulp, in double. What is lost turns either as far as the other is long.
 */
INLINE void from_quarter(quarter angle, lanes *sine, lanes *cosine)
{
#if SINGLE
    const lanes r = angle.r - angle.lost;
    const lanes z = r * r;
    const lanes p = 1.6666654611e-1f + z * (-8.3321608736e-3f + z * 1.9515295891e-4f);
    const lanes s = r - (r * z * p + 0.0f); /* the zero leaves -0 its sign */
    const lanes q = 4.166664568298827e-2f + z * (-1.388731625493765e-3f + z * 2.443315711809948e-5f);
    const lanes c = 1.0f - (0.5f * z - z * z * q);
    const int sign = 30;
#else
    const lanes r = angle.r, lost = angle.lost;
    const lanes z = r * r;
    const lanes p = -1.66666666666666324348e-01 +
                   z * (8.33333333332248946124e-03 +
                        z * (-1.98412698298579493134e-04 +
                             z * (2.75573137070700676789e-06 +
                                  z * (-2.50507602534068634195e-08 + z * 1.58969099521155010221e-10))));
    const lanes q = 4.16666666666666019037e-02 +
                   z * (-1.38888888888741095749e-03 +
                        z * (2.48015872894767294178e-05 +
                             z * (-2.75573143513906633035e-07 +
                                  z * (2.08757232129817482790e-09 + z * -1.13596475577881948265e-11))));
    const lanes h = 0.5 * z;
    lanes w = 1.0 - h;
    ROUNDED(w);
    const lanes s = r - (lost * w - z * r * p);
    const lanes c = w + (z * z * q + (((1.0 - w) - h) + r * lost));
    const int sign = 62;
#endif
    /* odd quadrants swap them; sine is negative in quadrants 2 and 3, cosine in 1 and 2 */
    const mask swap = ((mask)s ^ (mask)c) & -(angle.turns & 1);
    *sine = (lanes)((mask)s ^ swap ^ ((angle.turns & 2) << sign));
    *cosine = (lanes)((mask)c ^ swap ^ (((angle.turns + 1) & 2) << sign));
}

INLINE void turn(lanes x, lanes *sine, lanes *cosine) { from_quarter(nearest_quarter(x), sine, cosine); }
