/*
 * Vectors of GCC and Clang, as wide as the machine's: 8, 4 or 2 numbers in double precision, twice as many in single.
 */

#ifndef VECTOR_BYTES
#if defined __AVX512F__
#define VECTOR_BYTES 64
#elif defined __AVX__
#define VECTOR_BYTES 32
#else
#define VECTOR_BYTES 16
#endif
#endif

/* nothing but this file sees these vectors: how they are passed is nobody else's business */
#if defined __GNUC__ && !defined __clang__
#pragma GCC diagnostic ignored "-Wpsabi"
#endif

#define LANES (VECTOR_BYTES / (SINGLE ? 4 : 8))
#define INLINE static inline __attribute__((always_inline, unused))

#if SINGLE
typedef float real;
typedef unsigned int whole;
#else
typedef double real;
typedef unsigned long long whole;
#endif

typedef real lanes __attribute__((vector_size(VECTOR_BYTES)));
typedef whole mask __attribute__((vector_size(VECTOR_BYTES)));

INLINE lanes magnitude(lanes a) { return (lanes)((mask)a & (~(whole)0 >> 1)); }

/* what rounding makes of a sum is meant: compilers that may reorder sums (-ffast-math) must not see through it */
#if defined __AVX512F__
#define ROUNDED(sum) __asm__("" : "+v"(sum))
#elif defined __x86_64__
#define ROUNDED(sum) __asm__("" : "+x"(sum))
#elif defined __aarch64__
#define ROUNDED(sum) __asm__("" : "+w"(sum))
#else
#define ROUNDED(sum) (void)(sum)
#endif

/* a b + c, rounded once, where this machine has it */
#ifdef __has_builtin
#if (defined __FMA__ || defined __aarch64__) && __has_builtin(__builtin_elementwise_fma)
#define FUSED __builtin_elementwise_fma
#elif defined __AVX512F__ && VECTOR_BYTES == 64 && __has_builtin(__builtin_ia32_vfmaddpd512_mask)
#define FUSED_SINGLE(a, b, c) __builtin_ia32_vfmaddps512_mask(a, b, c, -1, 4)
#define FUSED_DOUBLE(a, b, c) __builtin_ia32_vfmaddpd512_mask(a, b, c, -1, 4)
#elif defined __FMA__ && VECTOR_BYTES == 32 && __has_builtin(__builtin_ia32_vfmaddpd256)
#define FUSED_SINGLE __builtin_ia32_vfmaddps256
#define FUSED_DOUBLE __builtin_ia32_vfmaddpd256
#elif defined __FMA__ && VECTOR_BYTES == 16 && __has_builtin(__builtin_ia32_vfmaddpd)
#define FUSED_SINGLE __builtin_ia32_vfmaddps
#define FUSED_DOUBLE __builtin_ia32_vfmaddpd
#endif
#endif
#if !defined FUSED && defined FUSED_DOUBLE && SINGLE
#define FUSED FUSED_SINGLE
#elif !defined FUSED && defined FUSED_DOUBLE
#define FUSED FUSED_DOUBLE
#endif
