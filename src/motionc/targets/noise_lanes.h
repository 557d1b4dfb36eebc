/*
 * Philox4x32-10 (Salmon et al. 2011): four words for each of some lanes, the first of which has this number. Words of 32
 * bits stand in 64, so that their products are whole.
 */
typedef unsigned long long words __attribute__((vector_size(VECTOR_BYTES)));
enum { WORDS = VECTOR_BYTES / 8 };

/* words times a word; GCC by itself would multiply what is always 0 too */
INLINE words times(words a, unsigned int b)
{
#if defined __GNUC__ && !defined __clang__ && defined __AVX2__ && VECTOR_BYTES >= 32
    typedef int part __attribute__((vector_size(32)));
    part parts[VECTOR_BYTES / 32];
    __builtin_memcpy(parts, &a, sizeof a);
    for (int k = 0; k < VECTOR_BYTES / 32; ++k)
        parts[k] = (part)__builtin_ia32_pmuludq256(parts[k], (part){0} + (int)b);
    __builtin_memcpy(&a, parts, sizeof a);
    return a;
#else
    return a * (unsigned long long)b;
#endif
}

INLINE void philox(unsigned long long seed, unsigned long long lane, unsigned long long step, unsigned int block,
                   words *word)
{
    const unsigned long long low = 0xFFFFFFFF;
    unsigned long long one = seed & low, other = seed >> 32;
    words lane_of;
    for (int k = 0; k < WORDS; ++k) lane_of[k] = lane + (unsigned long long)k;
    word[0] = (words){0} + block;
    word[1] = (words){0} + (step & low);
    word[2] = lane_of & low;
    word[3] = (lane_of >> 32) << 16 | (step >> 32);
    for (int i = 0; i < 10; ++i) {
        const words left = times(word[0], 0xD2511F53), right = times(word[2], 0xCD9E8D57);
        word[0] = (right >> 32) ^ word[1] ^ one;
        word[1] = right & low;
        word[2] = (left >> 32) ^ word[3] ^ other;
        word[3] = left & low;
        one = (one + 0x9E3779B9) & low;
        other = (other + 0xBB67AE85) & low;
    }
}

/* words below 2^32 as numbers: 2^52 + k has k in its last bits */
typedef double doubles __attribute__((vector_size(VECTOR_BYTES)));

INLINE doubles counted(words k) { return (doubles)(k | 0x4330000000000000) - 4503599627370496.0; }

/* the two numbers of a block in [0, 1): of 53 bits each, in single precision of 24, half of the lanes after half */
APART void draw_pair(unsigned long long seed, unsigned long long lane, unsigned long long step, unsigned int block,
                     lanes *u)
{
    words word[4];
#if SINGLE
    for (int first = 0; first < LANES; first += WORDS) {
        philox(seed, lane + first, step, block, word);
        for (int i = 0; i < 2; ++i) {
            const half part = __builtin_convertvector(counted(word[2 * i] >> 8) * (1.0 / 16777216.0), half);
            __builtin_memcpy((float *)&u[i] + first, &part, sizeof part);
        }
    }
#else
    philox(seed, lane, step, block, word);
    for (int i = 0; i < 2; ++i)
        u[i] = (counted(word[2 * i]) * 2097152.0 + counted(word[2 * i + 1] >> 11)) * (1.0 / 9007199254740992.0);
#endif
}

/* n numbers in [0, 1), from this block on */
APART void draw_uniform(unsigned long long seed, unsigned long long lane, unsigned long long step, unsigned int block,
                        int n, lanes *out)
{
    for (int i = 0; i < n; i += 2) {
        lanes u[2];
        draw_pair(seed, lane, step, block + i / 2, u);
        out[i] = u[0];
        if (i + 1 < n) out[i + 1] = u[1];
    }
}

/* n normal numbers of mean 0 and deviation 1, from this block on (Box and Muller) */
APART void draw_normal(unsigned long long seed, unsigned long long lane, unsigned long long step, unsigned int block,
                       int n, lanes *out)
{
    for (int i = 0; i < n; i += 2) {
        lanes u[2], sine, cosine;
        draw_pair(seed, lane, step, block + i / 2, u);
        lanes radius = sqrt_lanes((real)-2 * log_lanes((real)1 - u[0]));
        /* the nearest quarter turn, and the angle from there */
        const lanes quarter = flag((mask)(u[1] >= (real)0.125)) + flag((mask)(u[1] >= (real)0.375)) +
                              flag((mask)(u[1] >= (real)0.625)) + flag((mask)(u[1] >= (real)0.875));
        turn(((real)4 * u[1] - quarter) * (real)1.5707963267948966, &sine, &cosine);
        radius = where((mask)(quarter == (real)2) | (mask)(quarter == (real)3), -radius, radius);
        const mask odd = (mask)(quarter == (real)1) | (mask)(quarter == (real)3);
        out[i] = radius * where(odd, -sine, cosine);
        if (i + 1 < n) out[i + 1] = radius * where(odd, cosine, sine);
    }
}
