/*
 * One state a thread. What kernels are written in stands here for one number, and chooses without branching: all
 * threads of a warp do the same, and no index depends on the numbers, so that arrays live in registers.
 */

#ifdef __CUDACC_RTC__
#define INFINITY __int_as_float(0x7f800000)
#define NAN __int_as_float(0x7fffffff)
#else
#include <math.h>
#endif

#define INLINE __device__ __forceinline__
#define APART static __device__ __noinline__
#define restrict __restrict__

#if SINGLE
typedef float real;
#else
typedef double real;
#endif

typedef real number;
typedef int place;

/* ---------------------------------------------------------------- choosing: conditions are 1 or 0 */

INLINE number splat(real value) { return value; }

INLINE number less(number a, number b) { return a < b ? real(1) : real(0); }

INLINE number less_equal(number a, number b) { return a <= b ? real(1) : real(0); }

INLINE number equal(number a, number b) { return a == b ? real(1) : real(0); }

INLINE number not_equal(number a, number b) { return a != b ? real(1) : real(0); }

INLINE number choose(number condition, number a, number b) { return condition != real(0) ? a : b; }

INLINE number sign(number a) { return less(real(0), a) - less(a, real(0)); }

INLINE place spot(int i) { return i; }

INLINE place choose_spot(number condition, place p, place q) { return condition != real(0) ? p : q; }

/* both change places where the condition holds */
INLINE void exchange(number condition, number *p, number *q)
{
    const number first = *p, second = *q;
    *p = choose(condition, second, first);
    *q = choose(condition, first, second);
}

/* for one thread there is one lane */
INLINE int everywhere(number condition) { return condition != real(0); }

INLINE int least_of(place p) { return p; }

INLINE int most_of(place p) { return p; }

INLINE number inside(int i, place from, place to) { return real(from <= i) * real(i < to); }

/* the larger one, the first of a number and a NaN */
INLINE number peak(number p, number q) { return p < q ? q : p; }

/* v . w */
INLINE number inner(const number *v, const number *w, int m)
{
    number total = splat(0);
    for (int i = 0; i < m; ++i) total += v[i] * w[i];
    return total;
}

/* v[p], v having m entries */
INLINE number at(const number *v, int m, place p)
{
    number found = v[0];
#pragma unroll
    for (int i = 1; i < m; ++i) found = p == i ? v[i] : found;
    return found;
}

/* v[p] = value */
INLINE void put(number *v, int m, place p, number value)
{
#pragma unroll
    for (int i = 0; i < m; ++i) v[i] = p == i ? value : v[i];
}

/* ---------------------------------------------------------------- sine and cosine */

#if SINGLE

INLINE number lesser(number a, number b) { return fminf(a, b); }

INLINE number larger(number a, number b) { return fmaxf(a, b); }

INLINE number magnitude(number a) { return fabsf(a); }

INLINE number sqrt_lanes(number a) { return sqrtf(a); }

/*
 * Both at once, to 2 ulp while |x| is below 2^19 pi/2 (about 823549); beyond, and for an infinity or a NaN, NaN.
 *
 * x = n pi/2 + r with pi/2 in three pieces. The first product is fused, and what it leaves is a multiple of 2^-23 below
 * 2: exact. Then Cephes' polynomials on [-pi/4, pi/4], swapped and signed by n mod 4, as in `lanes.h`.
 */
INLINE void turn(number x, number *sine, number *cosine)
{
    /* the number n of the nearest quarter turn; it also stands in the last bits of `shifted` */
    const float shifted = fmaf(x, 6.36619772e-01f, 12582912.0f);
    const float n = shifted - 12582912.0f;
    const int quadrant = __float_as_int(shifted);

    /* the angle from there; NaN beyond the limit */
    float r = fmaf(n, -1.57079601e+00f, x);
    r = fmaf(n, -3.13916473e-07f, r);
    r = fmaf(n, -5.39030253e-15f, r);
    r = fabsf(x) <= 823549.6f ? r : NAN;

    /* the polynomials */
    const float z = r * r;
    const float p = fmaf(z, fmaf(z, 1.9515295891e-4f, -8.3321608736e-3f), 1.6666654611e-1f);
    const float s = fmaf(-(r * z), p, r);
    const float q = fmaf(z, fmaf(z, 2.443315711809948e-5f, -1.388731625493765e-3f), 4.166664568298827e-2f);
    const float c = fmaf(z * z, q, fmaf(-0.5f, z, 1.0f));

    /* odd quadrants swap them; sine is negative in quadrants 2 and 3, cosine in 1 and 2 */
    const int odd = quadrant & 1;
    *sine = __int_as_float(__float_as_int(odd ? c : s) ^ ((quadrant << 30) & 0x80000000));
    *cosine = __int_as_float(__float_as_int(odd ? s : c) ^ (((quadrant + 1) << 30) & 0x80000000));
}

#else

INLINE number lesser(number a, number b) { return fmin(a, b); }

INLINE number larger(number a, number b) { return fmax(a, b); }

INLINE number magnitude(number a) { return fabs(a); }

INLINE number sqrt_lanes(number a) { return sqrt(a); }

/*
 * Both at once, to 1 ulp while |x| is below 2^19 pi/2 (about 823549); beyond, and for an infinity or a NaN, NaN.
 *
 * The reduction and the polynomials are those of `lanes.h`: fdlibm's, x = n pi/2 + (r + tail).
 */
INLINE void turn(number x, number *sine, number *cosine)
{
    /* the number n of the nearest quarter turn; it also stands in the last bits of `shifted` */
    const double shifted = fma(x, 6.36619772367581382433e-01, 6755399441055744.0);
    const double n = shifted - 6755399441055744.0;
    const int quadrant = (int)__double_as_longlong(shifted);

    /* the angle from there: its head, and its tail, which is NaN beyond the limit */
    const double r1 = fma(n, -1.57079632673412561417e+00, x);
    const double w2 = n * 6.07710050630396597660e-11;
    const double r2 = r1 - w2;
    const double w3 = n * 2.02226624871116645580e-21;
    const double r3 = r2 - w3;
    const double rest = fma(n, 8.47842766036889956997e-32, -((r2 - r3) - w3)) - ((r1 - r2) - w2);
    const double r = r3 - rest;
    const double tail = fabs(x) <= 823549.6 ? (r3 - r) - rest : (double)NAN;

    /* the polynomials */
    const double z = r * r;
    const double v = z * r;
    const double p = 8.33333333332248946124e-03 +
                     z * (-1.98412698298579493134e-04 +
                          z * (2.75573137070700676789e-06 +
                               z * (-2.50507602534068634195e-08 + z * 1.58969099521155010221e-10)));
    const double s = r - ((z * (0.5 * tail - v * p) - tail) + v * 1.66666666666666324348e-01);
    const double q = z * (4.16666666666666019037e-02 +
                          z * (-1.38888888888741095749e-03 +
                               z * (2.48015872894767294178e-05 +
                                    z * (-2.75573143513906633035e-07 +
                                         z * (2.08757232129817482790e-09 + z * -1.13596475577881948265e-11)))));
    const double h = 0.5 * z;
    const double w = 1.0 - h;
    const double c = w + (((1.0 - w) - h) + (z * q - r * tail));

    /* odd quadrants swap them; sine is negative in quadrants 2 and 3, cosine in 1 and 2 */
    const int odd = quadrant & 1;
    const double one = odd ? c : s, other = odd ? s : c;
    *sine = __hiloint2double(__double2hiint(one) ^ ((quadrant << 30) & 0x80000000), __double2loint(one));
    *cosine = __hiloint2double(__double2hiint(other) ^ (((quadrant + 1) << 30) & 0x80000000), __double2loint(other));
}

#endif
