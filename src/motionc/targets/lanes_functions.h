/*
 * sines and cosines of `count` angles, behind each other: no call interrupts what needs them. Some at a time go through
 * either half: a processor looks as far ahead as steps are that wait for each other. What vectors do not reach is left to
 * the library.
 */
APART void turns(const lanes *angles, int count, lanes *sines, lanes *cosines)
{
    enum { SOME = 8 };
    quarter some[SOME];
    mask beyond = {0};
    for (int first = 0; first < count; first += SOME) {
        const int last = count - first < SOME ? count - first : SOME;
        for (int k = 0; k < last; ++k) {
            some[k] = nearest_quarter(angles[first + k]);
            beyond |= beyond_reach(angles[first + k]);
        }
        for (int k = 0; k < last; ++k) from_quarter(some[k], sines + first + k, cosines + first + k);
    }
    if (some_beyond(beyond))
        for (int k = 0; k < count; ++k)
            for (int i = 0; i < LANES; ++i) {
                const real x = angles[k][i];
                if (!((x <= REACH) & (-x <= REACH))) {
#if SINGLE
                    sines[k][i] = sinf(x), cosines[k][i] = cosf(x);
#else
                    sines[k][i] = sin(x), cosines[k][i] = cos(x);
#endif
                }
            }
}

/*
 * e^x, to 1 ulp, as fdlibm's __ieee754_exp: x = k log 2 + r, e^r = 1 + 2 r / (2 - c) with c near r (Remes), times 2^k in
 * two steps, so that what is too small for a number of full length is rounded once.
 */
APART lanes exp_lanes(lanes x)
{
#if SINGLE
    const real largest = 110.0f, round = 12582912.0f, high = 6.9314575195e-01f, low = 1.4286067653e-06f;
    const whole far = 256, bias = 127, place = 23;
#else
    const real largest = 760.0, round = 6755399441055744.0, high = 6.93147180369123816490e-01;
    const real low = 1.90821492927058770002e-10;
    const whole far = 2048, bias = 1023, place = 52;
#endif
    /* beyond, it is infinite or 0 anyway; a NaN stays one */
    x = where((mask)(x > largest), splat(largest), where((mask)(x < -largest), splat(-largest), x));
    lanes shifted = x * (real)1.44269504088896338700e+00 + round;
    ROUNDED(shifted);
    const lanes k = shifted - round;
    const lanes head = x - k * high, tail = k * low;
    const lanes r = head - tail, z = r * r;
#if SINGLE
    const lanes c = r - z * (1.6666625440e-1f + z * -2.7667332906e-3f);
#else
    const lanes c = r - z * (1.66666666666666019037e-01 +
                             z * (-2.77777777770155933842e-03 +
                                  z * (6.61375632143793436117e-05 +
                                       z * (-1.65339022054652515390e-06 + z * 4.13813679705723846039e-08))));
#endif
    const lanes y = 1 - ((tail - r * c / (2 - c)) - head);

    /* k stands in the last bits of `shifted`; half of it, and what is left */
    const mask whole_k = (mask)shifted - (mask)splat(round), half_k = ((whole_k + far) >> 1) - far / 2;
    return y * (lanes)((half_k + bias) << place) * (lanes)((whole_k - half_k + bias) << place);
}

/*
 * log x, to 1 ulp, as fdlibm's __ieee754_log: x = 2^k (1 + f) with 1 + f between sqrt(1/2) and sqrt(2), and a polynomial
 * in s = f / (2 + f). -inf of 0, NaN below.
 */
APART lanes log_lanes(lanes x)
{
#if SINGLE
    const real least = 1.17549435e-38f, grown = 33554432.0f, growth = 25.0f, zero = 8388608.0f + 127.0f;
    const real high = 6.9313812256e-01f, low = 9.0580006145e-06f;
    const whole magic = 0x4B000000, root = 0x3F3504F3, one = 0x3F800000, fraction = 0x007FFFFF, place = 23;
#else
    const real least = 2.2250738585072014e-308, grown = 18014398509481984.0, growth = 54.0;
    const real zero = 4503599627370496.0 + 1023.0;
    const real high = 6.93147180369123816490e-01, low = 1.90821492927058770002e-10;
    const whole magic = 0x4330000000000000, root = 0x3FE6A09E667F3BCD, one = 0x3FF0000000000000;
    const whole fraction = 0x000FFFFFFFFFFFFF, place = 52;
#endif
    /* numbers that are shorter than others are made longer */
    const mask small = (mask)(x < least);
    const mask bits = (mask)where(small, x * grown, x) + (one - root);
    const lanes k = ((lanes)((bits >> place) | magic) - zero) - where(small, splat(growth), splat(0));
    const lanes f = (lanes)((bits & fraction) + root) - 1;

    const lanes s = f / (2 + f), z = s * s, square = f * f * (real)0.5;
#if SINGLE
    const lanes rest = z * (6.6666662693e-01f + z * (4.0000972152e-01f + z * (2.8498786688e-01f + z * 2.4279078841e-01f)));
#else
    const lanes rest =
        z * (6.666666666666735130e-01 +
             z * (3.999999999940941908e-01 +
                  z * (2.857142874366239149e-01 +
                       z * (2.222219843214978396e-01 +
                            z * (1.818357216161805012e-01 +
                                 z * (1.531383769920937332e-01 + z * 1.479819860511658591e-01))))));
#endif
    const lanes y = k * high - ((square - (s * (square + rest) + k * low)) - f);

    /* 0, what is below it or no number, and infinity */
    const lanes special = where((mask)(x == 0), splat(-INFINITY), where((mask)(x > 0), x, splat(NAN)));
    return where((mask)(x > 0) & (mask)(x < INFINITY), y, special);
}

/*
 * The angle of (x, y), to 2 ulp. The lesser of |x| and |y| over the larger is t, (2 t - 1) / (2 + t) or (t - 1) / (t + 1),
 * whichever is near 0, by one division; then fdlibm's polynomial, from 0, atan 1/2 or atan 1, in the octant that x and y
 * are in: `from` it, forward or backward.
 */
APART lanes atan2_lanes(lanes y, lanes x)
{
#if SINGLE
    const real huge = 8.5e37f, tiny = 1e-30f, grown = 33554432.0f;
    const real half_high = 4.6364760399e-01f, half_low = 5.0121582440e-09f;
    const real one_high = 7.8539812565e-01f, one_low = 3.7748947079e-08f;
    const real right_high = 1.5707963705062866f, right_low = -4.3711388286737929e-08f;
#else
    const real huge = 4e307, tiny = 1e-290, grown = 18014398509481984.0;
    const real half_high = 4.63647609000806093515e-01, half_low = 2.26987774529616870924e-17;
    const real one_high = 7.85398163397448278999e-01, one_low = 3.06161699786838301793e-17;
    const real right_high = 1.57079632679489655800e+00, right_low = 6.12323399573676603587e-17;
#endif
    /* the lesser and the larger one, neither huge nor tiny; two infinities are as far as each other */
    const lanes up = magnitude(y), along = magnitude(x), none = splat(0);
    const mask steep = (mask)(up > along), endless = (mask)(up == INFINITY) & (mask)(along == INFINITY);
    lanes less = where(endless, splat(1), where(steep, along, up));
    lanes more = where(endless, splat(1), where(steep, up, along));
    const lanes scale = where((mask)(more > huge), splat((real)0.25), where((mask)(more < tiny), splat(grown), splat(1)));
    less *= scale;
    more *= scale;
    more = where((mask)(more == 0), splat(1), more);

    /* the angle is that of 0, 1/2 or 1, and that of t */
    const mask middle = (mask)(less >= (real)0.4375 * more), end = (mask)(less >= (real)0.6875 * more);
    const lanes over = where(end, less - more, where(middle, 2 * less - more, less));
    const lanes t = over / where(end, less + more, where(middle, 2 * more + less, more));
    const lanes near = where(end, splat(one_high), where(middle, splat(half_high), none));
    const lanes near_low = where(end, splat(one_low), where(middle, splat(half_low), none));
    const lanes z = t * t, w = z * z;
#if SINGLE
    const lanes even = z * (3.3333328366e-01f + w * (1.4253635705e-01f + w * 6.1687607318e-02f));
    const lanes odd = w * (-1.9999158382e-01f + w * -1.0648017377e-01f);
#else
    const lanes even = z * (3.33333333333329318027e-01 +
                            w * (1.42857142725034663711e-01 +
                                 w * (9.09088713343650656196e-02 +
                                      w * (6.66107313738753120669e-02 +
                                           w * (4.97687799461593236017e-02 + w * 1.62858201153657823623e-02)))));
    const lanes odd = w * (-1.99999999998764832476e-01 +
                           w * (-1.11111104054623557880e-01 +
                                w * (-7.69187620504482999495e-02 +
                                     w * (-5.83357013379057348645e-02 + w * -3.65315727442169155270e-02))));
#endif

    /* from 0, pi/2 or pi, forward or backward */
    const mask sign_bit = (mask)splat((real)-0.0), behind = -((mask)x >> (8 * sizeof(real) - 1));
    const mask back = (steep ^ behind) & sign_bit;
    const lanes from = where(steep, splat(right_high), where(behind, splat(2 * right_high), none));
    const lanes from_low = where(steep, splat(right_low), where(behind, splat(2 * right_low), none));
    const lanes rest = (lanes)((mask)(t - (t * (even + odd) - near_low)) ^ back) + from_low;
    const lanes angle = (from + (lanes)((mask)near ^ back)) + rest;
    return where((mask)(x != x) | (mask)(y != y), x + y, (lanes)((mask)angle ^ ((mask)y & sign_bit)));
}

/* the largest whole number that is not above x: what is rounded to the nearest one, less 1 where that is above */
APART lanes floor_lanes(lanes x)
{
    const real whole_from = SINGLE ? (real)8388608.0 : (real)4503599627370496.0;
    const lanes size = magnitude(x);
    const mask sign_bit = (mask)x & (mask)splat((real)-0.0);
    const lanes near = (lanes)((mask)((size + whole_from) - whole_from) | sign_bit);
    return where((mask)(size < whole_from), near - flag((mask)(near > x)), x);
}
