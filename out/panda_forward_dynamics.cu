/*
 * a = M(q)^-1 (tau - h(q, v) + sum J^T f_ext)
 *
 * inputs:
 *   q [7], rad, m: configuration: panda_joint1, panda_joint2, panda_joint3, panda_joint4, panda_joint5, panda_joint6, panda_joint7
 *   v [7], rad/s, m/s: joint velocities
 *   tau [7], N m, N: force each motor makes
 * outputs:
 *   a [7], rad/s², m/s²: dv/dt, component by component
 * 1607 operations: 363 add, 6 cos, 6 div, 814 mul, 30 neg, 6 sin, 382 sub
 */
#define SINGLE 1

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

extern "C" __global__ void __launch_bounds__(128)
panda_forward_dynamics(long long count,
                       const real *restrict q, long long q_state, long long q_element,
                       const real *restrict v, long long v_state, long long v_element,
                       const real *restrict tau, long long tau_state, long long tau_element,
                       real *restrict a, long long a_state, long long a_element)
{
    const long long state = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (state >= count) return;
    q += state * q_state;
    v += state * v_state;
    tau += state * tau_state;
    a += state * a_state;
    const real t0 = v[1 * v_element];
    const real t3 = q[1 * q_element];
    const real t6 = v[0];
    const real t28 = tau[2 * tau_element];
    const real t33 = tau[1 * tau_element];
    const real t39 = q[2 * q_element];
    const real t65 = v[2 * v_element];
    const real t110 = tau[3 * tau_element];
    const real t121 = q[3 * q_element];
    const real t143 = v[3 * v_element];
    const real t212 = tau[4 * tau_element];
    const real t220 = q[4 * q_element];
    const real t242 = v[4 * v_element];
    const real t298 = tau[5 * tau_element];
    const real t314 = q[5 * q_element];
    const real t334 = v[5 * v_element];
    const real t392 = tau[6 * tau_element];
    const real t405 = q[6 * q_element];
    const real t427 = v[6 * v_element];
    const real t1540 = tau[0];
    const real t2 = t0 * 0.01026110164821148f;
    real t4, t5;
    turn(t3, &t4, &t5);
    const real t7 = t6 * t5;
    const real t9 = t7 * 0.0039833588525652885f;
    const real t10 = t9 + t2;
    const real t11 = t6 * t4;
    const real t13 = t11 * 0.008503511548042297f;
    const real t14 = t10 - t13;
    const real t16 = t0 * 0.0007689361227676272f;
    const real t17 = t11 * 0.0039833588525652885f;
    const real t18 = t17 + t16;
    const real t20 = t7 * 0.028124283999204636f;
    const real t21 = t18 - t20;
    const real t23 = t0 * 0.026534991338849068f;
    const real t24 = t11 * 0.01026110164821148f;
    const real t25 = t23 - t24;
    const real t26 = t7 * 0.0007689361227676272f;
    const real t27 = t25 - t26;
    const real t29 = -t28;
    const real t30 = t0 * t14;
    const real t31 = t29 + t30;
    const real t32 = t7 * t14;
    const real t34 = t33 - t32;
    const real t35 = t11 * t21;
    const real t36 = t34 + t35;
    const real t37 = t11 * t27;
    const real t38 = t31 + t37;
    real t40, t41;
    turn(t39, &t40, &t41);
    const real t42 = t0 * t40;
    const real t43 = t11 * t41;
    const real t44 = t42 - t43;
    const real t45 = t11 * t40;
    const real t46 = t0 * t41;
    const real t47 = t45 + t46;
    const real t49 = t0 * 0.3160000145435333f;
    const real t50 = t11 * 0.3160000145435333f;
    const real t51 = t41 * t49;
    const real t52 = t40 * t50;
    const real t53 = t51 + t52;
    const real t54 = t40 * t49;
    const real t55 = t41 * t50;
    const real t56 = t55 - t54;
    const real t58 = t44 * 0.056494925171136856f;
    const real t60 = t56 * 0.2147086262702942f;
    const real t61 = t58 + t60;
    const real t63 = t47 * 0.008248332887887955f;
    const real t64 = t61 - t63;
    const real t66 = t65 + t7;
    const real t68 = t66 * 0.00548764830455184f;
    const real t69 = t64 - t68;
    const real t71 = t47 * 0.05287838354706764f;
    const real t72 = t44 * 0.008248332887887955f;
    const real t73 = t71 - t72;
    const real t75 = t66 * 0.004377257078886032f;
    const real t76 = t73 - t75;
    const real t77 = t53 * 0.2147086262702942f;
    const real t78 = t76 - t77;
    const real t80 = t66 * 0.018249202519655228f;
    const real t82 = t56 * 0.08884472399950027f;
    const real t83 = t80 + t82;
    const real t84 = t44 * 0.00548764830455184f;
    const real t85 = t83 - t84;
    const real t86 = t47 * 0.004377257078886032f;
    const real t87 = t85 - t86;
    const real t89 = t53 * 0.12672916054725647f;
    const real t90 = t87 - t89;
    const real t91 = t66 * 0.12672916054725647f;
    const real t93 = t53 * 3.2286040782928467f;
    const real t94 = t93 - t91;
    const real t95 = t47 * 0.2147086262702942f;
    const real t96 = t94 - t95;
    const real t97 = t66 * 0.08884472399950027f;
    const real t98 = t44 * 0.2147086262702942f;
    const real t99 = t97 + t98;
    const real t100 = t56 * 3.2286040782928467f;
    const real t101 = t99 + t100;
    const real t102 = t47 * 0.08884472399950027f;
    const real t103 = t44 * 0.12672916054725647f;
    const real t104 = t102 - t103;
    const real t105 = t44 * t78;
    const real t106 = t28 - t105;
    const real t107 = t47 * t69;
    const real t108 = t106 + t107;
    const real t109 = t66 * t69;
    const real t111 = -t110;
    const real t112 = t111 + t109;
    const real t113 = t53 * t101;
    const real t114 = t108 - t113;
    const real t115 = t56 * t96;
    const real t116 = t114 + t115;
    const real t117 = t44 * t90;
    const real t118 = t112 - t117;
    const real t119 = t53 * t104;
    const real t120 = t118 + t119;
    real t122, t123;
    turn(t121, &t122, &t123);
    const real t124 = t44 * t123;
    const real t125 = t66 * t122;
    const real t126 = t124 + t125;
    const real t127 = t44 * t122;
    const real t128 = t66 * t123;
    const real t129 = t128 - t127;
    const real t131 = t47 * 0.08250000327825546f;
    const real t132 = t53 * t123;
    const real t133 = t122 * t131;
    const real t134 = t132 - t133;
    const real t135 = t123 * t131;
    const real t136 = t53 * t122;
    const real t137 = t135 + t136;
    const real t139 = t126 * 0.06767726689577103f;
    const real t141 = t129 * 0.02771584317088127f;
    const real t142 = t139 + t141;
    const real t144 = t143 - t47;
    const real t146 = t144 * 0.0039053549990057945f;
    const real t147 = t142 + t146;
    const real t149 = t137 * 0.09850206971168518f;
    const real t150 = t147 + t149;
    const real t151 = t66 * t78;
    const real t152 = t66 * t101;
    const real t153 = t66 * t96;
    const real t154 = t66 * 0.08250000327825546f;
    const real t155 = t56 + t154;
    const real t157 = t155 * 0.37464439868927f;
    const real t158 = t150 - t157;
    const real t159 = t126 * 0.02771584317088127f;
    const real t161 = t129 * 0.03239943087100983f;
    const real t162 = t159 + t161;
    const real t163 = t134 * 0.09850206971168518f;
    const real t164 = t162 + t163;
    const real t166 = t144 * 0.001644487609155476f;
    const real t167 = t164 - t166;
    const real t169 = t155 * 0.19076837599277496f;
    const real t170 = t167 - t169;
    const real t172 = t144 * 0.07758615165948868f;
    const real t173 = t126 * 0.0039053549990057945f;
    const real t174 = t173 + t172;
    const real t175 = t137 * 0.19076837599277496f;
    const real t176 = t174 + t175;
    const real t177 = t129 * 0.001644487609155476f;
    const real t178 = t176 - t177;
    const real t179 = t134 * 0.37464439868927f;
    const real t180 = t178 - t179;
    const real t181 = t129 * 0.09850206971168518f;
    const real t183 = t134 * 3.587894916534424f;
    const real t184 = t181 + t183;
    const real t185 = t144 * 0.37464439868927f;
    const real t186 = t184 - t185;
    const real t187 = t144 * 0.19076837599277496f;
    const real t188 = t126 * 0.09850206971168518f;
    const real t189 = t187 + t188;
    const real t190 = t137 * 3.587894916534424f;
    const real t191 = t189 + t190;
    const real t192 = t129 * 0.19076837599277496f;
    const real t193 = t126 * 0.37464439868927f;
    const real t194 = t192 + t193;
    const real t195 = t155 * 3.587894916534424f;
    const real t196 = t194 - t195;
    const real t197 = -t155;
    const real t198 = 0.08250000327825546f * t129;
    const real t199 = t197 + t198;
    const real t201 = t126 * 0.3840000033378601f;
    const real t202 = t199 + t201;
    const real t203 = t126 * t170;
    const real t204 = t110 - t203;
    const real t205 = t129 * t158;
    const real t206 = t204 + t205;
    const real t207 = t137 * t186;
    const real t208 = t206 - t207;
    const real t209 = t134 * t191;
    const real t210 = t208 + t209;
    const real t211 = t144 * t158;
    const real t213 = t212 + t211;
    const real t214 = t126 * t180;
    const real t215 = t213 - t214;
    const real t216 = t155 * t186;
    const real t217 = t215 - t216;
    const real t218 = t134 * t196;
    const real t219 = t217 - t218;
    real t221, t222;
    turn(t220, &t221, &t222);
    const real t223 = t126 * t222;
    const real t224 = t144 * t221;
    const real t225 = t223 - t224;
    const real t226 = t126 * t221;
    const real t227 = t144 * t222;
    const real t228 = t226 + t227;
    const real t229 = t144 * 0.3840000033378601f;
    const real t230 = t134 - t229;
    const real t231 = t222 * t230;
    const real t232 = t221 * t202;
    const real t233 = t231 - t232;
    const real t234 = t221 * t230;
    const real t235 = t222 * t202;
    const real t236 = t234 + t235;
    const real t238 = t225 * 0.03942757099866867f;
    const real t240 = t228 * 0.0015152444830164313f;
    const real t241 = t238 + t240;
    const real t243 = t242 + t129;
    const real t245 = t243 * 0.004600245505571365f;
    const real t246 = t241 - t245;
    const real t247 = 0.08250000327825546f * t144;
    const real t248 = t137 + t247;
    const real t250 = t248 * 0.05034347251057625f;
    const real t251 = t246 - t250;
    const real t253 = t236 * 0.04712168499827385f;
    const real t254 = t251 - t253;
    const real t256 = t243 * 0.002164052100852132f;
    const real t257 = t225 * 0.0015152444830164313f;
    const real t258 = t256 - t257;
    const real t260 = t228 * 0.03146037086844444f;
    const real t261 = t258 - t260;
    const real t263 = t248 * 0.014653733000159264f;
    const real t264 = t261 - t263;
    const real t265 = t233 * 0.04712168499827385f;
    const real t266 = t264 - t265;
    const real t268 = t243 * 0.010869510471820831f;
    const real t269 = t236 * 0.014653733000159264f;
    const real t270 = t268 + t269;
    const real t271 = t225 * 0.004600245505571365f;
    const real t272 = t270 - t271;
    const real t273 = t228 * 0.002164052100852132f;
    const real t274 = t272 - t273;
    const real t275 = t233 * 0.05034347251057625f;
    const real t276 = t274 - t275;
    const real t277 = t228 * 0.04712168499827385f;
    const real t279 = t233 * 1.2259459495544434f;
    const real t280 = t277 + t279;
    const real t281 = t243 * 0.05034347251057625f;
    const real t282 = t280 - t281;
    const real t283 = t243 * 0.014653733000159264f;
    const real t284 = t236 * 1.2259459495544434f;
    const real t285 = t283 + t284;
    const real t286 = t225 * 0.04712168499827385f;
    const real t287 = t285 - t286;
    const real t288 = t248 * 1.2259459495544434f;
    const real t289 = t228 * 0.014653733000159264f;
    const real t290 = t289 + t288;
    const real t291 = t225 * 0.05034347251057625f;
    const real t292 = t290 - t291;
    const real t293 = t225 * t266;
    const real t294 = t212 - t293;
    const real t295 = t228 * t254;
    const real t296 = t294 - t295;
    const real t297 = t243 * t254;
    const real t299 = -t298;
    const real t300 = t299 + t297;
    const real t301 = t236 * t282;
    const real t302 = t296 - t301;
    const real t303 = t233 * t287;
    const real t304 = t302 + t303;
    const real t305 = t225 * t276;
    const real t306 = t300 - t305;
    const real t307 = t233 * t292;
    const real t308 = t306 + t307;
    const real t309 = t248 * t282;
    const real t310 = t308 - t309;
    const real t311 = t228 * t292;
    const real t312 = t243 * t287;
    const real t313 = t311 + t312;
    real t315, t316;
    turn(t314, &t315, &t316);
    const real t317 = t225 * t316;
    const real t318 = t243 * t315;
    const real t319 = t317 + t318;
    const real t320 = t225 * t315;
    const real t321 = t243 * t316;
    const real t322 = t321 - t320;
    const real t323 = t233 * t316;
    const real t324 = t248 * t315;
    const real t325 = t323 - t324;
    const real t326 = t233 * t315;
    const real t327 = t248 * t316;
    const real t328 = t327 + t326;
    const real t330 = t319 * 0.0024804603308439255f;
    const real t332 = t322 * 0.0015241109067574143f;
    const real t333 = t330 + t332;
    const real t335 = t334 + t228;
    const real t337 = t335 * 0.00010375891724834219f;
    const real t338 = t333 - t337;
    const real t340 = t236 * 0.023526756092905998f;
    const real t341 = t338 - t340;
    const real t343 = t328 * 0.017527159303426743f;
    const real t344 = t341 - t343;
    const real t345 = t319 * 0.0015241109067574143f;
    const real t347 = t322 * 0.010567765682935715f;
    const real t348 = t345 + t347;
    const real t350 = t335 * 9.356909868074581e-05f;
    const real t351 = t348 + t350;
    const real t353 = t236 * 0.10024161636829376f;
    const real t354 = t351 - t353;
    const real t355 = t325 * 0.017527159303426743f;
    const real t356 = t354 - t355;
    const real t358 = t335 * 0.011794560588896275f;
    const real t359 = t322 * 9.356909868074581e-05f;
    const real t360 = t359 + t358;
    const real t361 = t325 * 0.023526756092905998f;
    const real t362 = t360 + t361;
    const real t363 = t319 * 0.00010375891724834219f;
    const real t364 = t362 - t363;
    const real t365 = t328 * 0.10024161636829376f;
    const real t366 = t364 - t365;
    const real t367 = t335 * 0.023526756092905998f;
    const real t369 = t325 * 1.6665550470352173f;
    const real t370 = t367 + t369;
    const real t371 = t322 * 0.017527159303426743f;
    const real t372 = t370 - t371;
    const real t373 = t335 * 0.10024161636829376f;
    const real t374 = t319 * 0.017527159303426743f;
    const real t375 = t373 + t374;
    const real t376 = t328 * 1.6665550470352173f;
    const real t377 = t375 - t376;
    const real t378 = t236 * 1.6665550470352173f;
    const real t379 = t322 * 0.10024161636829376f;
    const real t380 = t378 - t379;
    const real t381 = t319 * 0.023526756092905998f;
    const real t382 = t380 - t381;
    const real t384 = t335 * 0.08799999952316284f;
    const real t385 = -t328;
    const real t386 = t385 + t384;
    const real t387 = t319 * t356;
    const real t388 = t298 - t387;
    const real t389 = t322 * t344;
    const real t390 = t388 + t389;
    const real t391 = t335 * t344;
    const real t393 = -t392;
    const real t394 = t393 + t391;
    const real t395 = t325 * t377;
    const real t396 = t390 - t395;
    const real t397 = t328 * t372;
    const real t398 = t396 - t397;
    const real t399 = t319 * t366;
    const real t400 = t394 - t399;
    const real t401 = t236 * t372;
    const real t402 = t400 + t401;
    const real t403 = t325 * t382;
    const real t404 = t402 - t403;
    real t406, t407;
    turn(t405, &t406, &t407);
    const real t408 = t319 * t407;
    const real t409 = t335 * t406;
    const real t410 = t408 + t409;
    const real t411 = t319 * t406;
    const real t412 = t335 * t407;
    const real t413 = t412 - t411;
    const real t414 = t322 * 0.08799999952316284f;
    const real t415 = t236 - t414;
    const real t416 = t325 * t407;
    const real t417 = t406 * t415;
    const real t418 = t416 + t417;
    const real t419 = t407 * t415;
    const real t420 = t325 * t406;
    const real t421 = t419 - t420;
    const real t423 = t410 * 0.031923599541187286f;
    const real t425 = t413 * 0.00038989048334769905f;
    const real t426 = t423 + t425;
    const real t428 = t427 - t322;
    const real t430 = t428 * 0.0009653051965869963f;
    const real t431 = t426 - t430;
    const real t433 = t386 * 0.00203443830832839f;
    const real t434 = t431 - t433;
    const real t436 = t421 * 0.15107598900794983f;
    const real t437 = t434 - t436;
    const real t438 = t410 * 0.00038989048334769905f;
    const real t440 = t413 * 0.029502656310796738f;
    const real t441 = t438 + t440;
    const real t443 = t386 * 0.00257360702380538f;
    const real t444 = t441 + t443;
    const real t445 = t418 * 0.15107598900794983f;
    const real t446 = t444 + t445;
    const real t448 = t428 * 0.00125553656835109f;
    const real t449 = t446 - t448;
    const real t451 = t428 * 0.006687650457024574f;
    const real t452 = t421 * 0.00257360702380538f;
    const real t453 = t451 + t452;
    const real t454 = t410 * 0.0009653051965869963f;
    const real t455 = t453 - t454;
    const real t456 = t413 * 0.00125553656835109f;
    const real t457 = t455 - t456;
    const real t458 = t418 * 0.00203443830832839f;
    const real t459 = t457 - t458;
    const real t460 = t413 * 0.15107598900794983f;
    const real t462 = t418 * 1.4955220222473145f;
    const real t463 = t460 + t462;
    const real t464 = t428 * 0.00203443830832839f;
    const real t465 = t463 - t464;
    const real t466 = t428 * 0.00257360702380538f;
    const real t467 = t421 * 1.4955220222473145f;
    const real t468 = t466 + t467;
    const real t469 = t410 * 0.15107598900794983f;
    const real t470 = t468 - t469;
    const real t471 = t386 * 1.4955220222473145f;
    const real t472 = t413 * 0.00257360702380538f;
    const real t473 = t472 + t471;
    const real t474 = t410 * 0.00203443830832839f;
    const real t475 = t473 - t474;
    const real t476 = t410 * t449;
    const real t477 = t392 - t476;
    const real t478 = t413 * t437;
    const real t479 = t477 + t478;
    const real t480 = t418 * t470;
    const real t481 = t479 - t480;
    const real t482 = t421 * t465;
    const real t483 = t481 + t482;
    const real t484 = t428 * t437;
    const real t485 = t418 * t475;
    const real t486 = t484 + t485;
    const real t487 = t413 * t459;
    const real t488 = t386 * t470;
    const real t489 = t487 + t488;
    const real t490 = t427 * t413;
    const real t492 = t490 * 0.031784266233444214f;
    const real t493 = t489 + t492;
    const real t494 = t427 * t418;
    const real t496 = t494 * 0.1507045030593872f;
    const real t497 = t493 + t496;
    const real t498 = t428 * t449;
    const real t499 = t497 - t498;
    const real t500 = t421 * t475;
    const real t501 = t499 - t500;
    const real t503 = t483 * 0.14434145390987396f;
    const real t504 = t501 - t503;
    const real t505 = t427 * t410;
    const real t507 = t505 * 0.00020866449631284922f;
    const real t508 = t504 - t507;
    const real t509 = t427 * t421;
    const real t511 = t509 * 0.0002936537784989923f;
    const real t512 = t508 - t511;
    const real t513 = t490 * 0.00020866449631284922f;
    const real t514 = t486 + t513;
    const real t516 = t509 * 0.15069404244422913f;
    const real t517 = t514 + t516;
    const real t518 = t410 * t459;
    const real t519 = t517 - t518;
    const real t520 = t386 * t465;
    const real t521 = t519 - t520;
    const real t523 = t483 * 0.1877395659685135f;
    const real t524 = t521 - t523;
    const real t526 = t505 * 0.02926694229245186f;
    const real t527 = t524 - t526;
    const real t529 = t494 * 0.00048316788161173463f;
    const real t530 = t527 - t529;
    const real t531 = t413 * t475;
    const real t532 = t413 * t465;
    const real t533 = t428 * t465;
    const real t534 = t410 * t475;
    const real t535 = t534 + t533;
    const real t536 = t428 * t470;
    const real t537 = t410 * t470;
    const real t538 = t490 * 0.00203443830832839f;
    const real t539 = t537 + t538;
    const real t540 = t505 * 0.00257360702380538f;
    const real t541 = t539 + t540;
    const real t542 = t541 - t532;
    const real t544 = t509 * 1.4949030876159668f;
    const real t545 = t544 - t536;
    const real t546 = t545 - t531;
    const real t548 = t483 * 0.3042082190513611f;
    const real t549 = t546 - t548;
    const real t550 = t490 * 0.0002936537784989923f;
    const real t551 = t549 - t550;
    const real t552 = t505 * 0.15069404244422913f;
    const real t553 = t551 - t552;
    const real t555 = t494 * 0.0007829124224372208f;
    const real t556 = t553 - t555;
    const real t558 = t483 * 0.3848297894001007f;
    const real t559 = t535 + t558;
    const real t560 = t509 * 0.0007829124224372208f;
    const real t561 = t559 + t560;
    const real t562 = t490 * 0.1507045030593872f;
    const real t563 = t561 - t562;
    const real t564 = t505 * 0.00048316788161173463f;
    const real t565 = t563 - t564;
    const real t567 = t494 * 1.4945316314697266f;
    const real t568 = t565 - t567;
    const real t569 = t406 * t406;
    const real t570 = t406 * t407;
    const real t572 = t569 * 0.002517324173822999f;
    const real t574 = t570 * 0.00041732899262569845f;
    const real t575 = t572 + t574;
    const real t577 = t569 * 0.0007768216310068965f;
    const real t579 = t570 * 1.0466377716511488e-05f;
    const real t580 = t577 + t579;
    const real t581 = t569 * 1.0466377716511488e-05f;
    const real t582 = t570 * 0.0007768216310068965f;
    const real t583 = t581 - t582;
    const real t584 = t407 * 0.00203443830832839f;
    const real t585 = t406 * 0.00257360702380538f;
    const real t586 = t584 + t585;
    const real t587 = t406 * 0.00203443830832839f;
    const real t588 = t407 * 0.00257360702380538f;
    const real t589 = t587 - t588;
    const real t591 = t569 * 0.0003715078055392951f;
    const real t593 = t570 * 0.0015658248448744416f;
    const real t594 = t591 + t593;
    const real t595 = t570 * 0.002517324173822999f;
    const real t597 = 0.00010490557178854942f + t595;
    const real t598 = t569 * 0.00041732899262569845f;
    const real t599 = t597 - t598;
    const real t600 = t570 * 0.0003715078055392951f;
    const real t601 = 0.0007829124224372208f + t600;
    const real t602 = t569 * 0.0015658248448744416f;
    const real t603 = t601 - t602;
    const real t604 = 0.08799999952316284f * t586;
    const real t605 = t599 - t604;
    const real t607 = t589 + (-0.13160593807697296f);
    const real t608 = t589 + t607;
    const real t609 = 0.08799999952316284f * t608;
    const real t611 = t575 + 0.04106150195002556f;
    const real t612 = t611 - t609;
    const real t613 = t322 * t382;
    const real t614 = t407 * t556;
    const real t615 = t613 + t614;
    const real t616 = t406 * t556;
    const real t617 = t407 * t568;
    const real t618 = t616 + t617;
    const real t620 = 0.03426472842693329f - t575;
    const real t622 = 1.0f / t612;
    const real t623 = t605 * t622;
    const real t624 = t605 * t623;
    const real t625 = t620 - t624;
    const real t626 = 0.00048316788161173463f - t580;
    const real t627 = 0.08799999952316284f * t626;
    const real t628 = 9.356909868074581e-05f - t627;
    const real t630 = (-0.1507045030593872f) + t583;
    const real t631 = 0.08799999952316284f * t630;
    const real t632 = 0.0015241109067574143f - t631;
    const real t633 = t628 * t622;
    const real t634 = t605 * t633;
    const real t635 = t632 - t634;
    const real t636 = t628 * t633;
    const real t637 = 1.4945316314697266f + t594;
    const real t639 = t637 * 0.00774399982765317f;
    const real t640 = 0.010567765682935715f + t639;
    const real t641 = t640 - t636;
    const real t643 = t580 + (-0.0002936537784989923f);
    const real t645 = t583 + 0.17422080039978027f;
    const real t646 = t645 * t622;
    const real t647 = t605 * t646;
    const real t648 = t643 - t647;
    const real t649 = 0.017527159303426743f - t586;
    const real t650 = 0.10024161636829376f - t607;
    const real t651 = t650 * t622;
    const real t652 = t605 * t651;
    const real t653 = t649 - t652;
    const real t655 = t630 + (-0.023526756092905998f);
    const real t656 = t626 * t622;
    const real t657 = t605 * t656;
    const real t658 = t655 - t657;
    const real t659 = 0.08799999952316284f * t603;
    const real t661 = (-0.017527159303426743f) - t659;
    const real t662 = t628 * t646;
    const real t663 = t661 - t662;
    const real t665 = 3.1614580154418945f - t594;
    const real t666 = t645 * t646;
    const real t667 = t665 - t666;
    const real t668 = 0.08799999952316284f * t637;
    const real t670 = (-0.10024161636829376f) - t668;
    const real t671 = t628 * t656;
    const real t672 = t670 - t671;
    const real t673 = t645 * t656;
    const real t674 = t603 - t673;
    const real t675 = t406 * t512;
    const real t676 = t398 - t675;
    const real t677 = t322 * t366;
    const real t678 = t407 * t512;
    const real t679 = t677 + t678;
    const real t680 = t407 * t530;
    const real t681 = t676 - t680;
    const real t682 = 0.08799999952316284f * t542;
    const real t683 = t681 + t682;
    const real t684 = -t542;
    const real t685 = t335 * t372;
    const real t686 = t684 + t685;
    const real t687 = t319 * t382;
    const real t688 = t686 - t687;
    const real t689 = t622 * t683;
    const real t690 = t605 * t689;
    const real t691 = t679 + t690;
    const real t692 = t322 * t372;
    const real t693 = t334 * t322;
    const real t694 = t693 * t625;
    const real t695 = t691 + t694;
    const real t696 = t335 * t356;
    const real t697 = t695 - t696;
    const real t698 = t328 * t382;
    const real t699 = t697 - t698;
    const real t700 = t236 * t377;
    const real t701 = t699 - t700;
    const real t702 = t406 * t530;
    const real t703 = t701 - t702;
    const real t704 = t334 * t319;
    const real t705 = t704 * t635;
    const real t706 = t703 - t705;
    const real t707 = t334 * t328;
    const real t708 = t707 * t648;
    const real t709 = t706 - t708;
    const real t710 = t334 * t325;
    const real t711 = t710 * t653;
    const real t712 = t709 - t711;
    const real t713 = 0.08799999952316284f * t618;
    const real t714 = t404 - t713;
    const real t715 = t243 * t266;
    const real t716 = -t618;
    const real t717 = t243 * t282;
    const real t718 = t716 + t717;
    const real t719 = t225 * t292;
    const real t720 = t718 + t719;
    const real t721 = t335 * t377;
    const real t722 = t319 * t377;
    const real t723 = t720 - t722;
    const real t724 = t723 + t692;
    const real t725 = t628 * t689;
    const real t726 = t714 + t725;
    const real t727 = t693 * t635;
    const real t728 = t726 + t727;
    const real t729 = t704 * t641;
    const real t730 = t728 - t729;
    const real t731 = t628 * t651;
    const real t732 = t710 * t731;
    const real t733 = t730 + t732;
    const real t734 = t707 * t663;
    const real t735 = t733 - t734;
    const real t736 = t645 * t689;
    const real t737 = t615 + t736;
    const real t738 = t693 * t648;
    const real t739 = t737 + t738;
    const real t740 = t645 * t651;
    const real t741 = t710 * t740;
    const real t742 = t739 + t741;
    const real t743 = t742 - t721;
    const real t744 = t406 * t568;
    const real t745 = t743 - t744;
    const real t746 = t704 * t663;
    const real t747 = t745 - t746;
    const real t748 = t707 * t667;
    const real t749 = t747 - t748;
    const real t750 = t650 * t689;
    const real t751 = t688 + t750;
    const real t752 = t626 * t689;
    const real t753 = t724 - t752;
    const real t754 = t693 * t653;
    const real t755 = t751 + t754;
    const real t756 = t704 * t731;
    const real t757 = t755 + t756;
    const real t758 = t707 * t740;
    const real t759 = t757 + t758;
    const real t760 = t650 * t651;
    const real t762 = 3.162076950073242f - t760;
    const real t763 = t710 * t762;
    const real t764 = t759 - t763;
    const real t766 = t637 + 2.89250111579895f;
    const real t767 = t626 * t656;
    const real t768 = t766 - t767;
    const real t769 = t315 * t316;
    const real t771 = t635 + (-0.004600245505571365f);
    const real t772 = t625 - t641;
    const real t773 = t769 * t772;
    const real t774 = t771 + t773;
    const real t775 = t635 + t635;
    const real t776 = t315 * t315;
    const real t777 = t776 * t772;
    const real t778 = t769 * t775;
    const real t779 = t777 + t778;
    const real t780 = t776 * t775;
    const real t781 = t774 - t780;
    const real t782 = 0.03942757099866867f + t625;
    const real t783 = t641 + t779;
    const real t784 = t782 - t779;
    const real t785 = t731 + t648;
    const real t786 = t653 + t663;
    const real t787 = t776 * t785;
    const real t788 = t769 * t786;
    const real t789 = t787 + t788;
    const real t790 = t769 * t785;
    const real t791 = t776 * t786;
    const real t792 = t790 - t791;
    const real t793 = t789 - t731;
    const real t794 = t648 - t789;
    const real t795 = 0.05034347251057625f + t653;
    const real t796 = t663 + t792;
    const real t797 = t795 + t792;
    const real t798 = -t740;
    const real t799 = t667 - t762;
    const real t800 = t769 * t799;
    const real t801 = t798 + t800;
    const real t802 = t740 + t740;
    const real t803 = t769 * t802;
    const real t804 = t776 * t799;
    const real t805 = t804 - t803;
    const real t806 = t776 * t802;
    const real t807 = t801 + t806;
    const real t808 = 1.2259459495544434f + t667;
    const real t809 = 1.2259459495544434f + t762;
    const real t810 = t808 - t805;
    const real t811 = t809 + t805;
    const real t812 = 0.010869510471820831f + t783;
    const real t813 = 1.0f / t812;
    const real t814 = t781 * t813;
    const real t815 = t781 * t814;
    const real t816 = t784 - t815;
    const real t818 = t796 + (-0.05034347251057625f);
    const real t819 = t818 * t813;
    const real t820 = t781 * t819;
    const real t821 = t794 - t820;
    const real t822 = t315 * t658;
    const real t824 = (-0.014653733000159264f) - t822;
    const real t825 = t316 * t672;
    const real t826 = t824 - t825;
    const real t827 = t316 * t658;
    const real t828 = 0.04712168499827385f - t827;
    const real t829 = t315 * t672;
    const real t830 = t828 + t829;
    const real t831 = t693 * t658;
    const real t832 = t753 - t831;
    const real t833 = t704 * t672;
    const real t834 = t832 + t833;
    const real t835 = t650 * t656;
    const real t836 = t710 * t835;
    const real t837 = t834 - t836;
    const real t838 = t707 * t674;
    const real t839 = t837 + t838;
    const real t840 = t826 * t813;
    const real t841 = t781 * t840;
    const real t842 = t830 - t841;
    const real t843 = t793 * t813;
    const real t844 = t781 * t843;
    const real t845 = t797 - t844;
    const real t846 = t818 * t819;
    const real t847 = t810 - t846;
    const real t848 = t316 * t674;
    const real t849 = t315 * t835;
    const real t850 = t848 + t849;
    const real t851 = t818 * t840;
    const real t852 = t850 + t851;
    const real t853 = t826 * t840;
    const real t854 = t768 - t853;
    const real t855 = t818 * t843;
    const real t856 = t807 - t855;
    const real t857 = t315 * t674;
    const real t858 = t826 * t843;
    const real t859 = t857 + t858;
    const real t860 = t316 * t835;
    const real t861 = t859 - t860;
    const real t862 = t793 * t843;
    const real t863 = t811 - t862;
    const real t864 = t315 * t712;
    const real t865 = t304 - t864;
    const real t866 = t236 * t292;
    const real t867 = t316 * t712;
    const real t868 = t866 + t867;
    const real t869 = t316 * t735;
    const real t870 = t865 - t869;
    const real t871 = t813 * t870;
    const real t872 = t781 * t871;
    const real t873 = t868 + t872;
    const real t874 = t228 * t276;
    const real t875 = t873 - t874;
    const real t876 = t875 - t715;
    const real t877 = t248 * t287;
    const real t878 = t876 - t877;
    const real t879 = t315 * t735;
    const real t880 = t878 - t879;
    const real t881 = t228 * t282;
    const real t882 = t242 * t228;
    const real t883 = t882 * t816;
    const real t884 = t880 - t883;
    const real t885 = t225 * t287;
    const real t886 = 0.002164052100852132f * t813;
    const real t887 = t781 * t886;
    const real t889 = (-0.0015152444830164313f) - t887;
    const real t890 = t242 * t225;
    const real t891 = t890 * t889;
    const real t892 = t884 - t891;
    const real t893 = t242 * t236;
    const real t894 = t893 * t821;
    const real t895 = t892 - t894;
    const real t896 = t242 * t233;
    const real t897 = t896 * t842;
    const real t898 = t895 - t897;
    const real t899 = 0.002164052100852132f * t871;
    const real t900 = t310 + t899;
    const real t901 = 0.002164052100852132f * t840;
    const real t902 = t896 * t901;
    const real t903 = t900 + t902;
    const real t904 = 0.002164052100852132f * t819;
    const real t906 = (-0.04712168499827385f) - t904;
    const real t907 = t893 * t906;
    const real t908 = t903 - t907;
    const real t909 = t882 * t889;
    const real t910 = t908 - t909;
    const real t912 = t813 * 4.683121460402617e-06f;
    const real t913 = 0.03146037086844444f - t912;
    const real t914 = t890 * t913;
    const real t915 = t910 - t914;
    const real t916 = t316 * t749;
    const real t917 = t313 + t916;
    const real t918 = t315 * t749;
    const real t919 = t881 + t918;
    const real t920 = t818 * t871;
    const real t921 = t917 + t920;
    const real t922 = t896 * t852;
    const real t923 = t921 + t922;
    const real t924 = t315 * t764;
    const real t925 = t923 - t924;
    const real t926 = t316 * t764;
    const real t927 = t919 + t926;
    const real t928 = t882 * t821;
    const real t929 = t925 - t928;
    const real t930 = t890 * t906;
    const real t931 = t929 - t930;
    const real t932 = t893 * t847;
    const real t933 = t931 - t932;
    const real t934 = t826 * t871;
    const real t935 = t839 + t934;
    const real t936 = t793 * t871;
    const real t937 = t927 + t936;
    const real t938 = t890 * t901;
    const real t939 = t935 + t938;
    const real t940 = t882 * t842;
    const real t941 = t939 - t940;
    const real t942 = t893 * t852;
    const real t943 = t941 + t942;
    const real t944 = t896 * t854;
    const real t945 = t943 - t944;
    const real t946 = t896 * t861;
    const real t947 = t937 + t946;
    const real t948 = t947 - t885;
    const real t949 = t882 * t845;
    const real t950 = t948 - t949;
    const real t951 = 0.002164052100852132f * t843;
    const real t952 = 0.014653733000159264f - t951;
    const real t953 = t890 * t952;
    const real t954 = t950 - t953;
    const real t955 = t893 * t856;
    const real t956 = t954 - t955;
    const real t957 = t144 * t186;
    const real t958 = t956 + t957;
    const real t959 = t126 * t196;
    const real t960 = t958 - t959;
    const real t961 = t221 * t222;
    const real t962 = t816 - t913;
    const real t963 = t221 * t221;
    const real t964 = t889 + t889;
    const real t965 = t963 * t962;
    const real t966 = t961 * t964;
    const real t967 = t965 + t966;
    const real t968 = 0.07758615165948868f + t913;
    const real t969 = 0.06767726689577103f + t816;
    const real t970 = t968 + t967;
    const real t971 = t969 - t967;
    const real t972 = t901 + t821;
    const real t973 = t842 + t906;
    const real t974 = t963 * t972;
    const real t975 = t961 * t973;
    const real t976 = t974 + t975;
    const real t977 = t961 * t972;
    const real t978 = t963 * t973;
    const real t979 = t977 - t978;
    const real t980 = t976 - t901;
    const real t981 = t821 - t976;
    const real t982 = t842 + t979;
    const real t983 = t906 + t979;
    const real t984 = t221 * t845;
    const real t985 = t222 * t952;
    const real t986 = t984 + t985;
    const real t987 = t222 * t845;
    const real t988 = t221 * t952;
    const real t989 = t987 - t988;
    const real t990 = -t852;
    const real t991 = t847 - t854;
    const real t992 = t961 * t991;
    const real t993 = t990 + t992;
    const real t994 = t961 * t962;
    const real t995 = t852 + t852;
    const real t996 = t961 * t995;
    const real t997 = t963 * t991;
    const real t998 = t997 - t996;
    const real t999 = t963 * t964;
    const real t1000 = t963 * t995;
    const real t1001 = t993 + t1000;
    const real t1002 = t847 - t998;
    const real t1003 = t854 + t998;
    const real t1004 = t222 * t856;
    const real t1005 = t221 * t861;
    const real t1006 = t1004 + t1005;
    const real t1007 = t221 * t856;
    const real t1008 = t222 * t861;
    const real t1009 = t1007 - t1008;
    const real t1010 = 0.3840000033378601f * t1009;
    const real t1011 = t989 - t1010;
    const real t1012 = 0.3840000033378601f * t1002;
    const real t1013 = t983 + t1012;
    const real t1014 = 0.08250000327825546f * t1006;
    const real t1015 = t1013 + t1014;
    const real t1016 = 0.3840000033378601f * t1006;
    const real t1017 = t986 + t1016;
    const real t1018 = 0.08250000327825546f * t863;
    const real t1019 = t1017 + t1018;
    const real t1020 = t986 + t1019;
    const real t1021 = 0.08250000327825546f * t1020;
    const real t1022 = t970 + t1021;
    const real t1023 = t983 + t1015;
    const real t1024 = 0.3840000033378601f * t1023;
    const real t1025 = t1022 + t1024;
    const real t1026 = 0.0039053549990057945f - t889;
    const real t1027 = 0.3840000033378601f * t1001;
    const real t1028 = t981 - t1027;
    const real t1029 = t980 - t1028;
    const real t1030 = 0.3840000033378601f * t1029;
    const real t1031 = t1026 + t1030;
    const real t1032 = t1031 + t999;
    const real t1033 = t1032 - t994;
    const real t1034 = 0.08250000327825546f * t1011;
    const real t1035 = t1033 - t1034;
    const real t1036 = t222 * t933;
    const real t1037 = t221 * t945;
    const real t1038 = t1036 - t1037;
    const real t1039 = t221 * t933;
    const real t1040 = t222 * t945;
    const real t1041 = t1039 + t1040;
    const real t1042 = t144 * t170;
    const real t1043 = t129 * t196;
    const real t1044 = t1038 + t1043;
    const real t1045 = t144 * t191;
    const real t1046 = t1044 + t1045;
    const real t1047 = -t982;
    const real t1048 = 0.3840000033378601f * t1003;
    const real t1049 = t1047 + t1048;
    const real t1050 = t1049 - t982;
    const real t1051 = 0.3840000033378601f * t1050;
    const real t1052 = t971 + t1051;
    const real t1053 = 1.0f / t1025;
    const real t1054 = t1035 * t1053;
    const real t1055 = t1035 * t1054;
    const real t1056 = t1052 - t1055;
    const real t1057 = 0.08250000327825546f * t1009;
    const real t1058 = t1027 + t1057;
    const real t1059 = t980 + t1058;
    const real t1060 = 0.08250000327825546f * t980;
    const real t1062 = (-0.001644487609155476f) + t1060;
    const real t1064 = t1001 * 0.03167999908328056f;
    const real t1065 = t1062 + t1064;
    const real t1067 = t1009 * 0.00680625019595027f;
    const real t1068 = t1065 + t1067;
    const real t1069 = 0.08250000327825546f * t1049;
    const real t1070 = 0.02771584317088127f + t1069;
    const real t1071 = t1068 * t1053;
    const real t1072 = t1035 * t1071;
    const real t1073 = t1070 - t1072;
    const real t1074 = t1068 * t1071;
    const real t1075 = t1003 * 0.00680625019595027f;
    const real t1076 = 0.03239943087100983f + t1075;
    const real t1077 = t1076 - t1074;
    const real t1079 = (-0.37464439868927f) - t1015;
    const real t1080 = t1079 * t1053;
    const real t1081 = t1035 * t1080;
    const real t1082 = t1028 - t1081;
    const real t1084 = (-0.19076837599277496f) - t1019;
    const real t1086 = t1011 + (-0.09850206971168518f);
    const real t1087 = t1084 * t1053;
    const real t1088 = t1035 * t1087;
    const real t1089 = t1086 - t1088;
    const real t1090 = 0.37464439868927f + t1049;
    const real t1091 = t1059 * t1053;
    const real t1092 = t1035 * t1091;
    const real t1093 = t1090 - t1092;
    const real t1094 = 0.08250000327825546f * t1001;
    const real t1095 = 0.09850206971168518f - t1094;
    const real t1096 = t1068 * t1080;
    const real t1097 = t1095 - t1096;
    const real t1098 = 3.587894916534424f + t1002;
    const real t1099 = t1079 * t1080;
    const real t1100 = t1098 - t1099;
    const real t1101 = t1068 * t1087;
    const real t1102 = t1057 + t1101;
    const real t1103 = 0.08250000327825546f * t1003;
    const real t1104 = 0.19076837599277496f + t1103;
    const real t1105 = t1068 * t1091;
    const real t1106 = t1104 - t1105;
    const real t1107 = t1079 * t1087;
    const real t1108 = t1006 - t1107;
    const real t1109 = 3.587894916534424f + t863;
    const real t1110 = t1084 * t1087;
    const real t1111 = t1109 - t1110;
    const real t1112 = t1079 * t1091;
    const real t1113 = t1001 + t1112;
    const real t1114 = t1084 * t1091;
    const real t1115 = t1009 + t1114;
    const real t1116 = 3.587894916534424f + t1003;
    const real t1117 = t1059 * t1091;
    const real t1118 = t1116 - t1117;
    const real t1119 = t221 * t898;
    const real t1120 = t210 + t1119;
    const real t1121 = t129 * t180;
    const real t1122 = t222 * t898;
    const real t1123 = t1121 + t1122;
    const real t1124 = t222 * t915;
    const real t1125 = t1120 + t1124;
    const real t1126 = 0.08250000327825546f * t956;
    const real t1127 = t1125 + t1126;
    const real t1128 = 0.3840000033378601f * t1038;
    const real t1129 = t1127 + t1128;
    const real t1130 = t1053 * t1129;
    const real t1131 = t1035 * t1130;
    const real t1132 = t1123 + t1131;
    const real t1133 = t129 * t186;
    const real t1134 = t143 * t129;
    const real t1135 = t1134 * t1056;
    const real t1136 = t1132 + t1135;
    const real t1137 = t1136 - t1042;
    const real t1138 = t137 * t196;
    const real t1139 = t1137 - t1138;
    const real t1140 = t155 * t191;
    const real t1141 = t1139 - t1140;
    const real t1142 = t221 * t915;
    const real t1143 = t1141 - t1142;
    const real t1144 = 0.3840000033378601f * t1041;
    const real t1145 = t1143 - t1144;
    const real t1146 = t126 * t191;
    const real t1147 = t143 * t126;
    const real t1148 = t1147 * t1073;
    const real t1149 = t1145 - t1148;
    const real t1150 = t143 * t137;
    const real t1151 = t1150 * t1082;
    const real t1152 = t1149 - t1151;
    const real t1153 = t143 * t134;
    const real t1154 = t1153 * t1089;
    const real t1155 = t1152 - t1154;
    const real t1156 = 0.08250000327825546f * t1041;
    const real t1157 = t219 - t1156;
    const real t1158 = t1068 * t1130;
    const real t1159 = t1157 + t1158;
    const real t1160 = t1134 * t1073;
    const real t1161 = t1159 + t1160;
    const real t1162 = t1147 * t1077;
    const real t1163 = t1161 - t1162;
    const real t1164 = t1153 * t1102;
    const real t1165 = t1163 + t1164;
    const real t1166 = t1150 * t1097;
    const real t1167 = t1165 - t1166;
    const real t1168 = t1079 * t1130;
    const real t1169 = t1046 + t1168;
    const real t1170 = t1134 * t1082;
    const real t1171 = t1169 + t1170;
    const real t1172 = t1147 * t1097;
    const real t1173 = t1171 - t1172;
    const real t1174 = t1150 * t1100;
    const real t1175 = t1173 - t1174;
    const real t1176 = t1153 * t1108;
    const real t1177 = t1175 - t1176;
    const real t1178 = t1084 * t1130;
    const real t1179 = t960 + t1178;
    const real t1180 = -t1041;
    const real t1181 = t1059 * t1130;
    const real t1182 = t1180 + t1181;
    const real t1183 = t1182 - t1146;
    const real t1184 = t1183 - t1133;
    const real t1185 = t1134 * t1089;
    const real t1186 = t1179 + t1185;
    const real t1187 = t1147 * t1102;
    const real t1188 = t1186 + t1187;
    const real t1189 = t1150 * t1108;
    const real t1190 = t1188 - t1189;
    const real t1191 = t1153 * t1111;
    const real t1192 = t1190 - t1191;
    const real t1193 = t1134 * t1093;
    const real t1194 = t1184 + t1193;
    const real t1195 = t1147 * t1106;
    const real t1196 = t1194 - t1195;
    const real t1197 = t1150 * t1113;
    const real t1198 = t1196 + t1197;
    const real t1199 = t1153 * t1115;
    const real t1200 = t1198 + t1199;
    const real t1201 = t122 * t123;
    const real t1203 = t1073 + (-0.00548764830455184f);
    const real t1204 = t1056 - t1077;
    const real t1205 = t1201 * t1204;
    const real t1206 = t1203 + t1205;
    const real t1207 = t1073 + t1073;
    const real t1208 = t122 * t122;
    const real t1209 = t1208 * t1204;
    const real t1210 = t1201 * t1207;
    const real t1211 = t1209 + t1210;
    const real t1212 = 0.018249202519655228f + t1077;
    const real t1213 = 0.056494925171136856f + t1056;
    const real t1214 = t1212 + t1211;
    const real t1215 = t1213 - t1211;
    const real t1216 = t1208 * t1207;
    const real t1217 = t1206 - t1216;
    const real t1218 = t1082 + t1102;
    const real t1219 = t1089 + t1097;
    const real t1220 = t1208 * t1218;
    const real t1221 = t1201 * t1219;
    const real t1222 = t1220 + t1221;
    const real t1223 = t1201 * t1218;
    const real t1224 = t1208 * t1219;
    const real t1225 = t1223 - t1224;
    const real t1226 = t1222 - t1102;
    const real t1227 = t1082 - t1222;
    const real t1228 = t1089 + t1225;
    const real t1229 = t1097 + t1225;
    const real t1230 = t123 * t1093;
    const real t1231 = t122 * t1106;
    const real t1232 = t1230 - t1231;
    const real t1233 = t122 * t1093;
    const real t1234 = t123 * t1106;
    const real t1235 = t1233 + t1234;
    const real t1236 = t1100 - t1111;
    const real t1237 = t1201 * t1236;
    const real t1238 = t1108 + t1237;
    const real t1239 = t1208 * t1236;
    const real t1240 = t1108 + t1108;
    const real t1241 = t1201 * t1240;
    const real t1242 = t1241 + t1239;
    const real t1243 = t1208 * t1240;
    const real t1244 = t1238 - t1243;
    const real t1245 = 3.2286040782928467f + t1100;
    const real t1246 = t1111 + t1242;
    const real t1247 = t1245 - t1242;
    const real t1248 = t122 * t1115;
    const real t1249 = t123 * t1113;
    const real t1250 = t1248 - t1249;
    const real t1251 = t123 * t1115;
    const real t1252 = t122 * t1113;
    const real t1253 = t1252 + t1251;
    const real t1254 = -t1235;
    const real t1255 = 0.08250000327825546f * t1118;
    const real t1256 = t1254 + t1255;
    const real t1257 = t1256 - t1235;
    const real t1258 = 0.08250000327825546f * t1257;
    const real t1259 = t1214 + t1258;
    const real t1260 = t122 * t1177;
    const real t1261 = t123 * t1192;
    const real t1262 = t1260 + t1261;
    const real t1263 = 0.08250000327825546f * t1262;
    const real t1264 = t120 - t1263;
    const real t1265 = 0.08250000327825546f * t1232;
    const real t1266 = t1217 - t1265;
    const real t1267 = 1.0f / t1259;
    const real t1268 = t1266 * t1267;
    const real t1269 = t1266 * t1268;
    const real t1270 = t1215 - t1269;
    const real t1271 = 0.08250000327825546f * t1226;
    const real t1273 = (-0.004377257078886032f) - t1271;
    const real t1274 = 0.00680625019595027f * t1253;
    const real t1275 = t1273 - t1274;
    const real t1276 = 0.08250000327825546f * t1228;
    const real t1278 = (-0.008248332887887955f) - t1276;
    const real t1279 = t1275 * t1267;
    const real t1280 = t1266 * t1279;
    const real t1281 = t1278 - t1280;
    const real t1282 = t1275 * t1279;
    const real t1283 = 0.00680625019595027f * t1246;
    const real t1284 = 0.05287838354706764f + t1283;
    const real t1285 = t1284 - t1282;
    const real t1287 = t1229 + (-0.12672916054725647f);
    const real t1288 = 0.08250000327825546f * t1250;
    const real t1289 = t1287 - t1288;
    const real t1290 = t1289 * t1267;
    const real t1291 = t1266 * t1290;
    const real t1292 = t1227 - t1291;
    const real t1293 = 0.08884472399950027f + t1256;
    const real t1294 = 0.2147086262702942f - t1232;
    const real t1295 = t1293 * t1267;
    const real t1296 = t1266 * t1295;
    const real t1297 = t1294 - t1296;
    const real t1298 = 0.12672916054725647f + t1228;
    const real t1299 = 0.08250000327825546f * t1253;
    const real t1300 = t1226 + t1299;
    const real t1301 = t1300 * t1267;
    const real t1302 = t1266 * t1301;
    const real t1303 = t1298 - t1302;
    const real t1304 = 0.08250000327825546f * t1244;
    const real t1306 = (-0.2147086262702942f) - t1304;
    const real t1307 = t1275 * t1290;
    const real t1308 = t1306 - t1307;
    const real t1309 = t1289 * t1290;
    const real t1310 = t1247 - t1309;
    const real t1311 = t1275 * t1295;
    const real t1312 = t1299 + t1311;
    const real t1313 = 0.08250000327825546f * t1246;
    const real t1315 = (-0.08884472399950027f) - t1313;
    const real t1316 = t1275 * t1301;
    const real t1317 = t1315 - t1316;
    const real t1318 = t1289 * t1295;
    const real t1319 = t1250 + t1318;
    const real t1320 = 3.2286040782928467f + t1118;
    const real t1321 = t1293 * t1295;
    const real t1322 = t1320 - t1321;
    const real t1323 = t1289 * t1301;
    const real t1324 = t1244 - t1323;
    const real t1325 = t1293 * t1301;
    const real t1326 = t1253 - t1325;
    const real t1327 = t122 * t1155;
    const real t1328 = t116 - t1327;
    const real t1329 = t47 * t90;
    const real t1330 = t123 * t1155;
    const real t1331 = t1329 + t1330;
    const real t1332 = t123 * t1167;
    const real t1333 = t1328 - t1332;
    const real t1334 = 0.08250000327825546f * t1200;
    const real t1335 = t1333 + t1334;
    const real t1336 = -t1200;
    const real t1337 = t1336 + t153;
    const real t1338 = t44 * t104;
    const real t1339 = t1337 + t1338;
    const real t1340 = t1267 * t1335;
    const real t1341 = t1266 * t1340;
    const real t1342 = t1331 + t1341;
    const real t1343 = t65 * t47;
    const real t1344 = t1343 * t1270;
    const real t1345 = t1342 + t1344;
    const real t1346 = t47 * t104;
    const real t1347 = t56 * t104;
    const real t1348 = t65 * t56;
    const real t1349 = t1348 * t1292;
    const real t1350 = t1345 + t1349;
    const real t1351 = t1350 - t151;
    const real t1352 = t1351 - t1347;
    const real t1353 = t122 * t1167;
    const real t1354 = t1352 - t1353;
    const real t1355 = t65 * t44;
    const real t1356 = t1355 * t1281;
    const real t1357 = t1354 - t1356;
    const real t1358 = t65 * t53;
    const real t1359 = t1358 * t1297;
    const real t1360 = t1357 - t1359;
    const real t1361 = t1275 * t1340;
    const real t1362 = t1264 + t1361;
    const real t1363 = t1343 * t1281;
    const real t1364 = t1362 + t1363;
    const real t1365 = t1355 * t1285;
    const real t1366 = t1364 - t1365;
    const real t1367 = t1348 * t1308;
    const real t1368 = t1366 + t1367;
    const real t1369 = t1358 * t1312;
    const real t1370 = t1368 + t1369;
    const real t1371 = t123 * t1177;
    const real t1372 = t1289 * t1340;
    const real t1373 = t1371 + t1372;
    const real t1374 = t1293 * t1340;
    const real t1375 = t1339 + t1374;
    const real t1376 = t1343 * t1292;
    const real t1377 = t1373 + t1376;
    const real t1378 = t1348 * t1310;
    const real t1379 = t1377 + t1378;
    const real t1380 = t1358 * t1319;
    const real t1381 = t1379 + t1380;
    const real t1382 = t1381 - t1346;
    const real t1383 = t1382 - t152;
    const real t1384 = t122 * t1192;
    const real t1385 = t1383 - t1384;
    const real t1386 = t1355 * t1308;
    const real t1387 = t1385 - t1386;
    const real t1388 = t1343 * t1297;
    const real t1389 = t1375 + t1388;
    const real t1390 = t1355 * t1312;
    const real t1391 = t1389 + t1390;
    const real t1392 = t1348 * t1319;
    const real t1393 = t1391 - t1392;
    const real t1394 = t1358 * t1322;
    const real t1395 = t1393 - t1394;
    const real t1396 = t40 * t41;
    const real t1397 = t1270 - t1285;
    const real t1398 = t40 * t40;
    const real t1399 = t1281 + t1281;
    const real t1400 = t1398 * t1397;
    const real t1401 = t1396 * t1399;
    const real t1402 = t1400 + t1401;
    const real t1403 = 0.026534991338849068f + t1285;
    const real t1404 = 0.008503511548042297f + t1270;
    const real t1405 = t1403 + t1402;
    const real t1406 = t1404 - t1402;
    const real t1407 = t1292 + t1312;
    const real t1408 = t1297 + t1308;
    const real t1409 = t1398 * t1407;
    const real t1410 = t1396 * t1408;
    const real t1411 = t1409 + t1410;
    const real t1412 = t1396 * t1407;
    const real t1413 = t1398 * t1408;
    const real t1414 = t1412 - t1413;
    const real t1415 = t1297 + t1414;
    const real t1416 = t1308 + t1414;
    const real t1417 = t1292 - t1411;
    const real t1418 = t1411 - t1312;
    const real t1419 = -t1319;
    const real t1420 = t1310 - t1322;
    const real t1421 = t1396 * t1420;
    const real t1422 = t1419 + t1421;
    const real t1423 = t1396 * t1397;
    const real t1424 = t1319 + t1319;
    const real t1425 = t1396 * t1424;
    const real t1426 = t1398 * t1420;
    const real t1427 = t1426 - t1425;
    const real t1428 = t1398 * t1399;
    const real t1429 = t1398 * t1424;
    const real t1430 = t1422 + t1429;
    const real t1431 = t1310 - t1427;
    const real t1432 = t1322 + t1427;
    const real t1433 = 0.3160000145435333f * t1430;
    const real t1434 = t1417 - t1433;
    const real t1435 = t1415 + t1415;
    const real t1436 = 0.3160000145435333f * t1432;
    const real t1437 = t1435 - t1436;
    const real t1438 = 0.01026110164821148f + t1281;
    const real t1439 = t1434 - t1418;
    const real t1440 = 0.3160000145435333f * t1439;
    const real t1441 = t1438 + t1440;
    const real t1442 = t1441 + t1423;
    const real t1443 = t1442 - t1428;
    const real t1444 = 0.3160000145435333f * t1431;
    const real t1445 = t1416 + t1444;
    const real t1446 = t1416 + t1445;
    const real t1447 = 0.3160000145435333f * t1446;
    const real t1448 = t1405 + t1447;
    const real t1449 = t41 * t1324;
    const real t1450 = t40 * t1326;
    const real t1451 = t1449 - t1450;
    const real t1452 = t40 * t1324;
    const real t1453 = t41 * t1326;
    const real t1454 = t1452 + t1453;
    const real t1455 = t41 * t1387;
    const real t1456 = t40 * t1395;
    const real t1457 = t1455 - t1456;
    const real t1458 = t40 * t1387;
    const real t1459 = t41 * t1395;
    const real t1460 = t1458 + t1459;
    const real t1461 = 1.0f / t1448;
    const real t1462 = t1443 * t1461;
    const real t1463 = t1443 * t1462;
    const real t1464 = t1406 - t1463;
    const real t1465 = 0.3160000145435333f * t1437;
    const real t1466 = t1464 - t1465;
    const real t1467 = t40 * t1303;
    const real t1469 = (-0.002031994517892599f) - t1467;
    const real t1470 = t41 * t1317;
    const real t1471 = t1469 - t1470;
    const real t1472 = 0.3160000145435333f * t1451;
    const real t1473 = t1471 - t1472;
    const real t1474 = 0.3160000145435333f * t1454;
    const real t1475 = t40 * t1317;
    const real t1476 = t1475 + t1474;
    const real t1477 = t41 * t1303;
    const real t1478 = t1476 - t1477;
    const real t1479 = t1473 * t1461;
    const real t1480 = t1443 * t1479;
    const real t1481 = t1478 - t1480;
    const real t1483 = 0.018579714000225067f + t1445;
    const real t1484 = t1483 * t1461;
    const real t1485 = 0.0007689361227676272f * t1484;
    const real t1486 = t1481 - t1485;
    const real t1487 = 0.0007689361227676272f * t1479;
    const real t1488 = t1434 + t1487;
    const real t1489 = t1443 * t1484;
    const real t1490 = t1488 - t1489;
    const real t1491 = -t1487;
    const real t1492 = t4 * t4;
    const real t1493 = t1492 * t1490;
    const real t1494 = t1491 + t1493;
    const real t1495 = t4 * t5;
    const real t1496 = t1495 * t1486;
    const real t1497 = t1494 + t1496;
    const real t1498 = t40 * t1360;
    const real t1499 = t36 - t1498;
    const real t1500 = t41 * t1370;
    const real t1501 = t1499 - t1500;
    const real t1502 = 0.3160000145435333f * t1457;
    const real t1503 = t1501 - t1502;
    const real t1505 = t1461 * 5.912627329962561e-07f;
    const real t1506 = 0.028124283999204636f - t1505;
    const real t1507 = t1466 - t1506;
    const real t1508 = t1492 * t1507;
    const real t1509 = t41 * t1360;
    const real t1510 = t1461 * t1503;
    const real t1511 = t1443 * t1510;
    const real t1512 = t1509 + t1511;
    const real t1513 = 0.0007689361227676272f * t1510;
    const real t1514 = t38 + t1513;
    const real t1515 = 0.0007689361227676272f * t1461;
    const real t1516 = t1443 * t1515;
    const real t1518 = (-0.0039833588525652885f) - t1516;
    const real t1519 = t0 * t11;
    const real t1520 = t1519 * t1518;
    const real t1521 = t1512 + t1520;
    const real t1522 = t7 * t27;
    const real t1523 = t1521 - t1522;
    const real t1524 = t0 * t21;
    const real t1525 = t1523 - t1524;
    const real t1526 = t40 * t1370;
    const real t1527 = t1525 - t1526;
    const real t1528 = 0.3160000145435333f * t1460;
    const real t1529 = t1527 - t1528;
    const real t1530 = t0 * t7;
    const real t1531 = t1530 * t1466;
    const real t1532 = t1529 - t1531;
    const real t1533 = t1518 + t1518;
    const real t1534 = t1495 * t1533;
    const real t1535 = t1519 * t1506;
    const real t1536 = t1514 + t1535;
    const real t1537 = t1530 * t1518;
    const real t1538 = t1536 - t1537;
    const real t1539 = t4 * t1532;
    const real t1541 = t1540 + t1539;
    const real t1542 = t5 * t1538;
    const real t1543 = t1541 + t1542;
    const real t1545 = t1497 * 9.8100004196167f;
    const real t1546 = t1543 - t1545;
    const real t1548 = t1506 + 0.009213163517415524f;
    const real t1549 = t1548 + t1508;
    const real t1550 = t1549 + t1534;
    const real t1551 = 1.0f / t1550;
    const real t1552 = t1551 * t1546;
    a[0] = t1552;
    const real t1553 = t4 * t1552;
    const real t1554 = t1530 + t1553;
    const real t1555 = t5 * t1552;
    const real t1556 = t1519 - t1555;
    const real t1557 = 0.0007689361227676272f * t1556;
    const real t1558 = t1503 - t1557;
    const real t1559 = t1443 * t1554;
    const real t1560 = t1558 + t1559;
    const real t1561 = t4 * 9.8100004196167f;
    const real t1562 = t1483 * t1561;
    const real t1563 = t1560 + t1562;
    const real t1564 = t5 * 9.8100004196167f;
    const real t1565 = t1473 * t1564;
    const real t1566 = t1563 + t1565;
    const real t1567 = t1461 * t1566;
    a[1 * a_element] = t1567;
    const real t1568 = -t1561;
    const real t1569 = 0.3160000145435333f * t1567;
    const real t1570 = t1568 + t1569;
    const real t1571 = t40 * t1567;
    const real t1572 = t1343 + t1571;
    const real t1573 = t41 * t1554;
    const real t1574 = t1572 - t1573;
    const real t1575 = t1266 * t1574;
    const real t1576 = t1335 - t1575;
    const real t1577 = -t1355;
    const real t1578 = t40 * t1554;
    const real t1579 = t1577 + t1578;
    const real t1580 = t41 * t1567;
    const real t1581 = t1579 + t1580;
    const real t1582 = t1275 * t1581;
    const real t1583 = t1576 - t1582;
    const real t1584 = t1259 * t1556;
    const real t1585 = t1583 + t1584;
    const real t1586 = t41 * t1570;
    const real t1587 = t1348 + t1586;
    const real t1588 = 0.3160000145435333f * t1554;
    const real t1589 = t41 * t1588;
    const real t1590 = -t1358;
    const real t1591 = t1590 + t1589;
    const real t1592 = t40 * t1588;
    const real t1593 = t1587 + t1592;
    const real t1594 = t40 * t1570;
    const real t1595 = t1591 - t1594;
    const real t1596 = t1289 * t1593;
    const real t1597 = t1585 - t1596;
    const real t1598 = t1293 * t1595;
    const real t1599 = t1597 - t1598;
    const real t1600 = t1300 * t1564;
    const real t1601 = t1599 - t1600;
    const real t1602 = t1267 * t1601;
    a[2 * a_element] = t1602;
    const real t1603 = t1602 - t1556;
    const real t1604 = 0.08250000327825546f * t1603;
    const real t1605 = t1595 + t1604;
    const real t1606 = 0.08250000327825546f * t1581;
    const real t1607 = t1564 - t1606;
    const real t1608 = t123 * t1574;
    const real t1609 = t1134 + t1608;
    const real t1610 = t122 * t1603;
    const real t1611 = t1609 + t1610;
    const real t1612 = t123 * t1603;
    const real t1613 = -t1147;
    const real t1614 = t1613 + t1612;
    const real t1615 = t122 * t1574;
    const real t1616 = t1614 - t1615;
    const real t1617 = t1035 * t1611;
    const real t1618 = t1129 - t1617;
    const real t1619 = t1068 * t1616;
    const real t1620 = t1618 - t1619;
    const real t1621 = t1025 * t1581;
    const real t1622 = t1620 + t1621;
    const real t1623 = -t1150;
    const real t1624 = t123 * t1593;
    const real t1625 = t1623 + t1624;
    const real t1626 = t123 * t1607;
    const real t1627 = -t1153;
    const real t1628 = t1627 + t1626;
    const real t1629 = t122 * t1607;
    const real t1630 = t1625 + t1629;
    const real t1631 = t122 * t1593;
    const real t1632 = t1628 - t1631;
    const real t1633 = t1079 * t1630;
    const real t1634 = t1622 - t1633;
    const real t1635 = t1084 * t1632;
    const real t1636 = t1634 - t1635;
    const real t1637 = t1059 * t1605;
    const real t1638 = t1636 + t1637;
    const real t1639 = t1053 * t1638;
    a[3 * a_element] = t1639;
    const real t1640 = t1639 - t1581;
    const real t1641 = 0.3840000033378601f * t1640;
    const real t1642 = t1630 - t1641;
    const real t1643 = 0.08250000327825546f * t1640;
    const real t1644 = t1632 - t1643;
    const real t1645 = -t1605;
    const real t1646 = 0.08250000327825546f * t1616;
    const real t1647 = t1645 + t1646;
    const real t1648 = 0.3840000033378601f * t1611;
    const real t1649 = t1647 + t1648;
    const real t1650 = -t882;
    const real t1651 = t222 * t1611;
    const real t1652 = t1650 + t1651;
    const real t1653 = t221 * t1611;
    const real t1654 = t890 + t1653;
    const real t1655 = t221 * t1640;
    const real t1656 = t1652 - t1655;
    const real t1657 = t222 * t1640;
    const real t1658 = t1654 + t1657;
    const real t1659 = t781 * t1656;
    const real t1660 = t870 - t1659;
    const real t1661 = -t893;
    const real t1662 = t222 * t1642;
    const real t1663 = t1661 + t1662;
    const real t1664 = t221 * t1642;
    const real t1665 = t896 + t1664;
    const real t1666 = t221 * t1649;
    const real t1667 = t1663 - t1666;
    const real t1668 = t222 * t1649;
    const real t1669 = t1665 + t1668;
    const real t1670 = 0.002164052100852132f * t1658;
    const real t1671 = t1660 + t1670;
    const real t1672 = t812 * t1616;
    const real t1673 = t1671 - t1672;
    const real t1674 = t818 * t1667;
    const real t1675 = t1673 - t1674;
    const real t1676 = t826 * t1669;
    const real t1677 = t1675 + t1676;
    const real t1678 = t793 * t1644;
    const real t1679 = t1677 - t1678;
    const real t1680 = t813 * t1679;
    a[4 * a_element] = t1680;
    const real t1681 = t1616 + t1680;
    const real t1682 = t316 * t1656;
    const real t1683 = t693 + t1682;
    const real t1684 = t315 * t1681;
    const real t1685 = t1683 + t1684;
    const real t1686 = t316 * t1681;
    const real t1687 = -t704;
    const real t1688 = t1687 + t1686;
    const real t1689 = t315 * t1656;
    const real t1690 = t1688 - t1689;
    const real t1691 = t605 * t1685;
    const real t1692 = t683 - t1691;
    const real t1693 = t628 * t1690;
    const real t1694 = t1692 - t1693;
    const real t1695 = t612 * t1658;
    const real t1696 = t1694 - t1695;
    const real t1697 = -t707;
    const real t1698 = t316 * t1667;
    const real t1699 = t1697 + t1698;
    const real t1700 = t316 * t1644;
    const real t1701 = -t710;
    const real t1702 = t1701 + t1700;
    const real t1703 = t315 * t1644;
    const real t1704 = t1699 + t1703;
    const real t1705 = t315 * t1667;
    const real t1706 = t1702 - t1705;
    const real t1707 = t650 * t1706;
    const real t1708 = t645 * t1704;
    const real t1709 = t1696 - t1708;
    const real t1710 = t1709 - t1707;
    const real t1711 = t626 * t1669;
    const real t1712 = t1710 - t1711;
    const real t1713 = t622 * t1712;
    a[5 * a_element] = t1713;
    const real t1714 = t1658 + t1713;
    const real t1715 = 0.08799999952316284f * t1690;
    const real t1716 = t1669 - t1715;
    const real t1717 = t407 * t1685;
    const real t1718 = t490 + t1717;
    const real t1719 = t406 * t1714;
    const real t1720 = t1718 + t1719;
    const real t1721 = -t505;
    const real t1722 = t407 * t1714;
    const real t1723 = t1721 + t1722;
    const real t1724 = t406 * t1685;
    const real t1725 = t1723 - t1724;
    const real t1726 = t407 * t1704;
    const real t1727 = t509 + t1726;
    const real t1728 = -t494;
    const real t1729 = t407 * t1716;
    const real t1730 = t1728 + t1729;
    const real t1731 = t406 * t1716;
    const real t1732 = t1727 + t1731;
    const real t1733 = t406 * t1704;
    const real t1734 = t1730 - t1733;
    const real t1735 = 0.00257360702380538f * t1734;
    const real t1736 = t483 - t1735;
    const real t1737 = 0.00203443830832839f * t1732;
    const real t1738 = t1736 + t1737;
    const real t1739 = 0.0009653051965869963f * t1720;
    const real t1740 = t1738 + t1739;
    const real t1741 = 0.00125553656835109f * t1725;
    const real t1742 = t1740 + t1741;
    const real t1743 = 0.006687650457024574f * t1690;
    const real t1744 = t1742 + t1743;
    const real t1746 = 149.5293426513672f * t1744;
    a[6 * a_element] = t1746;
}

#ifndef __CUDACC_RTC__
extern "C" int panda_forward_dynamics_launch(long long count,
                                         const real *restrict q, long long q_state, long long q_element,
                                         const real *restrict v, long long v_state, long long v_element,
                                         const real *restrict tau, long long tau_state, long long tau_element,
                                         real *restrict a, long long a_state, long long a_element,
                                         cudaStream_t stream);

/* all states, in this stream; what it returns is a cudaError_t */
int panda_forward_dynamics_launch(long long count,
                                  const real *restrict q, long long q_state, long long q_element,
                                  const real *restrict v, long long v_state, long long v_element,
                                  const real *restrict tau, long long tau_state, long long tau_element,
                                  real *restrict a, long long a_state, long long a_element,
                                  cudaStream_t stream)
{
    if (count <= 0) return 0;
    const int threads = count > 16384 ? 128 : 32;
    const unsigned int blocks = (unsigned int)((count + threads - 1) / threads);
    panda_forward_dynamics<<<blocks, threads, 0, stream>>>(count,
        q, q_state, q_element,
        v, v_state, v_element,
        tau, tau_state, tau_element,
        a, a_state, a_element);
    return (int)cudaGetLastError();
}
#endif

#ifdef SELF_TEST
#include <stdio.h>

/* what is no number is wrong */
static double self_test_error(const float *found, const float *expected, int size)
{
    double wrong = 0, largest = 1;
    for (int i = 0; i < size; ++i) {
        const double off = fabs((double)found[i] - (double)expected[i]), value = fabs((double)expected[i]);
        wrong = off <= wrong ? wrong : off;
        largest = value > largest ? value : largest;
    }
    return wrong / largest;
}

int main(void)
{
    static const float self_test_x0[21] = {
        0.7248780131340027f, 1.4004169702529907f, 1.5974880456924438f, (-2.39572811126709f), (-1.1579560041427612f), 3.2757959365844727f, (-2.8667900562286377f),
        (-1.9689350128173828f), 0.39677000045776367f, (-2.642673969268799f), (-2.9646880626678467f), 0.08627499639987946f, 1.7400970458984375f, 2.4173200130462646f,
        0.05673399940133095f, 1.2239129543304443f, 0.8096050024032593f, (-0.8450040221214294f), (-2.3671200275421143f), 2.0226120948791504f, 0.04503700137138367f
    };
    static const float self_test_x1[21] = {
        0.6424570083618164f, 0.5941389799118042f, (-0.06413000077009201f), (-0.3939349949359894f), (-0.44314900040626526f), (-0.4902609884738922f), (-0.10984700173139572f),
        0.25845301151275635f, 0.028234999626874924f, (-0.006252999883145094f), (-0.5049700140953064f), (-0.9764119982719421f), (-0.6151959896087646f), 0.3840639889240265f,
        0.7426789999008179f, (-0.27747198939323425f), 0.1963679939508438f, (-0.8814970254898071f), (-0.22473600506782532f), (-0.35392698645591736f), (-0.6996009945869446f)
    };
    static const float self_test_x2[21] = {
        0.009096999652683735f, 0.10699500143527985f, 0.9910010099411011f, 0.5853239893913269f, 0.24435800313949585f, 0.9779199957847595f, (-0.5693830251693726f),
        (-0.5987870097160339f), (-0.2609269917011261f), (-0.9925320148468018f), 0.6600949764251709f, (-0.6910780072212219f), (-0.46480101346969604f), 0.7606639862060547f,
        0.6326760053634644f, (-0.2411080002784729f), 0.9574959874153137f, 0.1799830049276352f, 0.21011300384998322f, 0.2759929895401001f, 0.3528999984264374f
    };
    static const float self_test_expected0[21] = {
        3.706941843032837f, 23.388769149780273f, (-18.4664249420166f), (-7.8777618408203125f), 16.06435775756836f, 23.409088134765625f, (-136.41610717773438f),
        (-7.764951705932617f), (-5.847832202911377f), 13.931062698364258f, (-16.697782516479492f), (-13.181513786315918f), 37.10670471191406f, 120.35662078857422f,
        2.5507283210754395f, 30.096643447875977f, 16.537466049194336f, 23.73436164855957f, (-20.556148529052734f), 12.43659496307373f, 52.2135124206543f
    };
    static float self_test_y0[21];
    float *self_test_x0_device = 0;
    if (cudaMalloc((void **)&self_test_x0_device, 21 * sizeof(float)) != cudaSuccess) return puts("the GPU does not answer"), 2;
    cudaMemcpy(self_test_x0_device, self_test_x0, 21 * sizeof(float), cudaMemcpyHostToDevice);
    float *self_test_x1_device = 0;
    if (cudaMalloc((void **)&self_test_x1_device, 21 * sizeof(float)) != cudaSuccess) return puts("the GPU does not answer"), 2;
    cudaMemcpy(self_test_x1_device, self_test_x1, 21 * sizeof(float), cudaMemcpyHostToDevice);
    float *self_test_x2_device = 0;
    if (cudaMalloc((void **)&self_test_x2_device, 21 * sizeof(float)) != cudaSuccess) return puts("the GPU does not answer"), 2;
    cudaMemcpy(self_test_x2_device, self_test_x2, 21 * sizeof(float), cudaMemcpyHostToDevice);
    float *self_test_y0_device = 0;
    if (cudaMalloc((void **)&self_test_y0_device, 21 * sizeof(float)) != cudaSuccess) return puts("the GPU does not answer"), 2;
    if (panda_forward_dynamics_launch(3, self_test_x0_device, 7, 1, self_test_x1_device, 7, 1, self_test_x2_device, 7, 1, self_test_y0_device, 7, 1, 0) != 0) return puts("the GPU does not answer"), 2;
    cudaMemcpy(self_test_y0, self_test_y0_device, 21 * sizeof(float), cudaMemcpyDeviceToHost);
    cudaFree(self_test_x0_device);
    cudaFree(self_test_x1_device);
    cudaFree(self_test_x2_device);
    cudaFree(self_test_y0_device);
    const double errors[] = {self_test_error(self_test_y0, self_test_expected0, 21)};
    double worst = 0;
    for (unsigned i = 0; i < sizeof errors / sizeof *errors; ++i) worst = errors[i] <= worst ? worst : errors[i];
    printf("panda_forward_dynamics: 3 states, largest relative error %.1e", worst);
    puts("");
    return worst <= 0.002 ? 0 : 1;
}
#endif
