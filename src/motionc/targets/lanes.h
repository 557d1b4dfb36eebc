/*
 * Lanes: several states side by side in one vector, the same steps for each. As many as the machine's vectors hold:
 * 8, 4 or 2 in double precision, twice as many in single. No function here branches on a lane's value, but where angles
 * are beyond what vectors reach; a kernel leaves out what no lane needs.
 */

#define APART static __attribute__((noinline, unused))

/* ---------------------------------------------------------------- choosing: conditions are 1 or 0, or masks */

INLINE lanes splat(real value) { return value - (lanes){0}; }

INLINE lanes where(mask yes, lanes a, lanes b) { return (lanes)(((mask)a & yes) | ((mask)b & ~yes)); }

INLINE lanes flag(mask yes) { return (lanes)((mask)splat(1) & yes); }

INLINE lanes less(lanes a, lanes b) { return flag((mask)(a < b)); }

INLINE lanes less_equal(lanes a, lanes b) { return flag((mask)(a <= b)); }

INLINE lanes equal(lanes a, lanes b) { return flag((mask)(a == b)); }

INLINE lanes not_equal(lanes a, lanes b) { return flag((mask)(a != b)); }

INLINE lanes choose(lanes condition, lanes a, lanes b) { return where((mask)(condition != 0), a, b); }

/* of a number and a NaN, the number, as fmin and fmax have it */
INLINE lanes lesser(lanes a, lanes b) { return where((mask)(a < b) | (mask)(b != b), a, b); }

INLINE lanes larger(lanes a, lanes b) { return where((mask)(a > b) | (mask)(b != b), a, b); }

INLINE lanes sign(lanes a) { return flag((mask)(a > 0)) - flag((mask)(a < 0)); }

/* the entry of a table at an index, another one in each lane: rounded down, and kept within */
INLINE lanes entry(const lanes *table, int stride, int count, lanes index)
{
    lanes found;
    for (int k = 0; k < LANES; ++k) {
        const real above = index[k] >= 1 ? index[k] : 0, last = (real)(count - 1), kept = above < last ? above : last;
        found[k] = table[stride * (int)kept][k];
    }
    return found;
}

/* ---------------------------------------------------------------- square roots */

/* vectors of which this machine takes the roots at once */
#ifdef __has_builtin
#if __has_builtin(__builtin_elementwise_sqrt)
#define ROOT_BYTES VECTOR_BYTES
#define ROOT __builtin_elementwise_sqrt
#elif defined __AVX512F__ && VECTOR_BYTES == 64 && __has_builtin(__builtin_ia32_sqrtpd512_mask)
#define ROOT_BYTES 64
#define ROOT_SINGLE(a) __builtin_ia32_sqrtps512_mask(a, a, -1, 4)
#define ROOT_DOUBLE(a) __builtin_ia32_sqrtpd512_mask(a, a, -1, 4)
#elif defined __AVX__ && VECTOR_BYTES > 16 && __has_builtin(__builtin_ia32_sqrtps256)
#define ROOT_BYTES 32
#define ROOT_SINGLE __builtin_ia32_sqrtps256
#define ROOT_DOUBLE __builtin_ia32_sqrtpd256
#elif defined __SSE2__ && __has_builtin(__builtin_ia32_sqrtps)
#define ROOT_BYTES 16
#define ROOT_SINGLE __builtin_ia32_sqrtps
#define ROOT_DOUBLE __builtin_ia32_sqrtpd
#endif
#endif
#if !defined ROOT && SINGLE
#define ROOT ROOT_SINGLE
#elif !defined ROOT
#define ROOT ROOT_DOUBLE
#endif

INLINE lanes sqrt_lanes(lanes a)
{
#ifdef ROOT_BYTES
    enum { PARTS = VECTOR_BYTES / ROOT_BYTES };
    typedef real part __attribute__((vector_size(ROOT_BYTES)));
    part parts[PARTS];
    __builtin_memcpy(parts, &a, sizeof a);
    for (int k = 0; k < PARTS; ++k) parts[k] = ROOT(parts[k]);
    __builtin_memcpy(&a, parts, sizeof a);
#elif SINGLE
    for (int k = 0; k < LANES; ++k) a[k] = sqrtf(a[k]);
#else
    for (int k = 0; k < LANES; ++k) a[k] = sqrt(a[k]);
#endif
    return a;
}

/* ---------------------------------------------------------------- states in and out */

/* entries of two vectors, by their numbers, those of the second counted on */
#ifdef __has_builtin
#if __has_builtin(__builtin_shufflevector)
#define MIX(a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)
#endif
#endif
#ifndef MIX
#define MIX(a, b, ...) __builtin_shuffle(a, b, (mask){__VA_ARGS__})
#endif

/* of two rows whose numbers differ in one bit: every entry where that bit is 0 in both, and where it is 1 */
#if LANES == 2
#define TURN_1(a, b, low, high) low = MIX(a, b, 0, 2), high = MIX(a, b, 1, 3)
#elif LANES == 4
#define TURN_1(a, b, low, high) low = MIX(a, b, 0, 4, 2, 6), high = MIX(a, b, 1, 5, 3, 7)
#define TURN_2(a, b, low, high) low = MIX(a, b, 0, 1, 4, 5), high = MIX(a, b, 2, 3, 6, 7)
#elif LANES == 8
#define TURN_1(a, b, low, high) \
    low = MIX(a, b, 0, 8, 2, 10, 4, 12, 6, 14), high = MIX(a, b, 1, 9, 3, 11, 5, 13, 7, 15)
#define TURN_2(a, b, low, high) \
    low = MIX(a, b, 0, 1, 8, 9, 4, 5, 12, 13), high = MIX(a, b, 2, 3, 10, 11, 6, 7, 14, 15)
#define TURN_4(a, b, low, high) \
    low = MIX(a, b, 0, 1, 2, 3, 8, 9, 10, 11), high = MIX(a, b, 4, 5, 6, 7, 12, 13, 14, 15)
#else
#define TURN_1(a, b, low, high) \
    low = MIX(a, b, 0, 16, 2, 18, 4, 20, 6, 22, 8, 24, 10, 26, 12, 28, 14, 30), \
    high = MIX(a, b, 1, 17, 3, 19, 5, 21, 7, 23, 9, 25, 11, 27, 13, 29, 15, 31)
#define TURN_2(a, b, low, high) \
    low = MIX(a, b, 0, 1, 16, 17, 4, 5, 20, 21, 8, 9, 24, 25, 12, 13, 28, 29), \
    high = MIX(a, b, 2, 3, 18, 19, 6, 7, 22, 23, 10, 11, 26, 27, 14, 15, 30, 31)
#define TURN_4(a, b, low, high) \
    low = MIX(a, b, 0, 1, 2, 3, 16, 17, 18, 19, 8, 9, 10, 11, 24, 25, 26, 27), \
    high = MIX(a, b, 4, 5, 6, 7, 20, 21, 22, 23, 12, 13, 14, 15, 28, 29, 30, 31)
#define TURN_8(a, b, low, high) \
    low = MIX(a, b, 0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23), \
    high = MIX(a, b, 8, 9, 10, 11, 12, 13, 14, 15, 24, 25, 26, 27, 28, 29, 30, 31)
#endif

/* all pairs of rows whose numbers differ in that bit alone */
#define TURN_ROWS(bit, from, to)                                                  \
    _Pragma("GCC unroll 16") for (int pair = 0; pair < LANES / 2; ++pair) {       \
        const int i = pair % (bit) + 2 * (pair - pair % (bit));                   \
        TURN_##bit(from[i], from[i + (bit)], to[i], to[i + (bit)]);               \
    }

/* a square of numbers with rows and columns exchanged, a bit of their numbers at a time */
INLINE void transpose(lanes *square)
{
    lanes other[LANES];
    TURN_ROWS(1, square, other)
#if LANES == 2
    square[0] = other[0], square[1] = other[1];
#else
    TURN_ROWS(2, other, square)
#endif
#if LANES == 8
    TURN_ROWS(4, square, other)
    _Pragma("GCC unroll 16") for (int i = 0; i < LANES; ++i) square[i] = other[i];
#elif LANES == 16
    TURN_ROWS(4, square, other)
    TURN_ROWS(8, other, square)
#endif
}

/*
 * One port of `valid` states, or of all lanes' and more that follow: x[k] holds element k of all of them. Lanes without a
 * state repeat the last one.
 */
APART void gather(lanes *restrict x, int size, const real *from, long state, long element, long valid)
{
    const int full = valid >= LANES, beside = (element == 1) & (state >= size);
    if (!full)
        for (int k = 0; k < size; ++k)
            for (int i = 0; i < LANES; ++i) x[k][i] = from[(i < valid ? i : valid - 1) * state + k * element];
    else if (state == 1)
        for (int k = 0; k < size; ++k) __builtin_memcpy(x + k, from + k * element, sizeof *x);
    else if (state == 0)
        for (int k = 0; k < size; ++k) x[k] = splat(from[k * element]);
    else if (beside && size >= LANES)
        /* squares, of which the last may overlap the one before it */
        for (int k = 0; k < size; k += LANES) {
            const int first = k + LANES <= size ? k : size - LANES;
            lanes square[LANES];
            _Pragma("GCC unroll 16") for (int i = 0; i < LANES; ++i)
                __builtin_memcpy(square + i, from + i * state + first, sizeof *square);
            transpose(square);
            _Pragma("GCC unroll 16") for (int i = 0; i < LANES; ++i) x[first + i] = square[i];
        }
    else if (beside && size >= LANES / 2) {
        /* one square; what of its rows is not of a state is of the next one; where there is none, it is not read */
        lanes square[LANES], last = {0};
        _Pragma("GCC unroll 16") for (int i = 0; i < LANES - 1; ++i)
            __builtin_memcpy(square + i, from + i * state, sizeof *square);
        if (valid > LANES)
            __builtin_memcpy(&last, from + (LANES - 1) * state, sizeof last);
        else
            for (int k = 0; k < size && k < LANES; ++k) last[k] = from[(LANES - 1) * state + k];
        square[LANES - 1] = last;
        transpose(square);
        _Pragma("GCC unroll 16") for (int k = 0; k < LANES; ++k)
            if (k < size) x[k] = square[k];
    } else
        for (int k = 0; k < size; ++k) {
            const real *row = from + k * element;
            x[k] = (lanes){
                row[0],
                row[state],
#if LANES > 2
                row[2 * state],
                row[3 * state],
#endif
#if LANES > 4
                row[4 * state],
                row[5 * state],
                row[6 * state],
                row[7 * state],
#endif
#if LANES > 8
                row[8 * state],
                row[9 * state],
                row[10 * state],
                row[11 * state],
                row[12 * state],
                row[13 * state],
                row[14 * state],
                row[15 * state],
#endif
            };
        }
}

/* and out again, the valid states alone; element k is y[at[k]], or y[k] where there is no such table */
APART void scatter(const lanes *restrict y, const int *at, int size, real *to, long state, long element, long valid)
{
    const int full = valid >= LANES, beside = (element == 1) & (state >= size);
    const int packed = full & beside & (state == size);
    /* rows of fewer states, each behind the one before it: what is no state is where the next row is written */
    const int rows = (!full & (state == 1) & (element == valid) & (size > LANES)) * (size - LANES);
    if (4 * valid <= LANES)
        for (int k = 0; k < rows; ++k) __builtin_memcpy(to + k * element, y + (at ? at[k] : k), sizeof *y / 4);
    else
        for (int k = 0; k < rows; ++k) __builtin_memcpy(to + k * element, y + (at ? at[k] : k), sizeof *y);
    if (full && state == 1)
        for (int k = 0; k < size; ++k) __builtin_memcpy(to + k * element, y + (at ? at[k] : k), sizeof *y);
    else if (beside && size >= LANES)
        for (int k = 0; k < size; k += LANES) {
            const int first = k + LANES <= size ? k : size - LANES;
            lanes square[LANES];
            _Pragma("GCC unroll 16") for (int i = 0; i < LANES; ++i) square[i] = y[at ? at[first + i] : first + i];
            transpose(square);
            _Pragma("GCC unroll 16") for (int i = 0; i < LANES; ++i)
                if (i < valid) __builtin_memcpy(to + i * state + first, square + i, sizeof *square);
        }
    else if (packed && size >= LANES / 2) {
        /* one square; what of its rows is not of a state is where the next is written; where there is none, it is not */
        lanes square[LANES];
        _Pragma("GCC unroll 16") for (int k = 0; k < LANES; ++k)
            if (k < size)
                square[k] = y[at ? at[k] : k];
            else
                square[k] = splat(0);
        transpose(square);
        _Pragma("GCC unroll 16") for (int i = 0; i < LANES - 1; ++i)
            __builtin_memcpy(to + i * state, square + i, sizeof *square);
        if (valid > LANES)
            __builtin_memcpy(to + (LANES - 1) * state, square + LANES - 1, sizeof *square);
        else
            for (int k = 0; k < size && k < LANES; ++k) to[(LANES - 1) * state + k] = square[LANES - 1][k];
    } else
        for (int k = rows; k < size; ++k)
            for (int i = 0; i < valid && i < LANES; ++i) to[k * element + i * state] = y[at ? at[k] : k][i];
}

/* what caches do not keep goes past them, in whole lines of memory: nothing is read to be replaced */
#ifdef __has_builtin
#if __has_builtin(__builtin_nontemporal_store)
#define STREAM(to, value) __builtin_nontemporal_store(value, to)
#elif VECTOR_BYTES == 64 && SINGLE && __has_builtin(__builtin_ia32_movntps512)
#define STREAM(to, value) __builtin_ia32_movntps512((float *)(to), value)
#elif VECTOR_BYTES == 64 && !SINGLE && __has_builtin(__builtin_ia32_movntpd512)
#define STREAM(to, value) __builtin_ia32_movntpd512((double *)(to), value)
#elif VECTOR_BYTES == 32 && SINGLE && __has_builtin(__builtin_ia32_movntps256)
#define STREAM(to, value) __builtin_ia32_movntps256((float *)(to), value)
#elif VECTOR_BYTES == 32 && !SINGLE && __has_builtin(__builtin_ia32_movntpd256)
#define STREAM(to, value) __builtin_ia32_movntpd256((double *)(to), value)
#endif
#endif
enum {
    LINE = 64,          /* bytes of a line of memory */
    LARGE = 8000000,    /* of a port that caches do not keep */
    FAR = 1000000,      /* of all ports, from which on some of them may not be near */
    FARTHER = 2000000,  /* the same of rows whose states are side by side */
    ROWS = 4            /* rows that are brought near before they are read */
};

/*
 * whether what is written to a port goes past caches: of `count` states, or of as many as elements are apart where states
 * are side by side, which caches keep half as well
 */
INLINE int goes_past(int size, long state, long element, long count)
{
#ifdef STREAM
    const long bytes = (state == 1 ? element : count) * size * (long)sizeof(real);
    return (size >= MANY) & (bytes > (state == 1 ? LARGE / 2 : LARGE));
#else
    (void)size, (void)state, (void)element, (void)count;
    return 0;
#endif
}

/* One port of so many blocks of states in, `apart` vectors from block to block; `left` states are there. */
APART void take(lanes *restrict x, int apart, int size, const real *from, long state, long element, int blocks, long left)
{
    if (state == 1 && blocks * LANES <= left)
        for (int k = 0; k < size; ++k) {
            /*
             * rows may be as far apart as caches cannot keep many of: they are brought near just before they are read, by
             * the last number of each line's length, for the first lies in a line that came with the piece before
             */
            const real *row = from + k * element;
            for (long b = LINE - (long)sizeof *row; b < blocks * VECTOR_BYTES; b += LINE)
                __builtin_prefetch((const void *)((__UINTPTR_TYPE__)row + (__UINTPTR_TYPE__)(ROWS * element * (long)sizeof *row + b)));
            for (int b = 0; b < blocks; ++b) __builtin_memcpy(x + b * apart + k, row + b * LANES, sizeof *x);
        }
    else
        for (int b = 0; b < blocks; ++b)
            gather(x + b * apart, size, from + b * LANES * state, state, element, left - b * LANES);
}

/* whether the states of a port lie one behind the other, a state's numbers side by side */
INLINE int is_packed(int size, long state, long element) { return (element == 1) & (state == size); }

/*
 * whether such a port is asked for ahead, of so many bytes in all ports; of states side by side, whose rows are moved in
 * whole pieces, from where no cache has them
 */
INLINE int is_late(int size, long state, long element, long bytes)
{
    const int rows = (state == 1) & (size > 1);
    return (is_packed(size, state, element) & (bytes > FAR)) | (rows & (bytes > FARTHER));
}

INLINE void bring_line_near(const real *port, long at, int written)
{
    const void *line = (const void *)((__UINTPTR_TYPE__)port + (__UINTPTR_TYPE__)at);
    if (written)
        __builtin_prefetch(line, 1);
    else
        __builtin_prefetch(line, 0);
}

/*
 * brings the share of one turn near, of the lines of such a port that so many blocks have, with so many turns each: lines
 * of states one behind the other, or whole pieces of rows, by their last numbers as above
 */
INLINE void bring_near(const real *port, int size, long state, long element, int turns, long turn, int blocks, int written)
{
    const long bytes = (long)size * VECTOR_BYTES, share = (bytes + turns - 1) / turns;
    const long all = (long)turns * blocks, begin = turn * size / all, end = (turn + 1) * size / all;
    const long wide = (long)blocks * VECTOR_BYTES, apart = element * (long)sizeof(real);
    if ((state > 1) | (size == 1))
        for (long at = 0; at < share; at += LINE) bring_line_near(port, turn * bytes / turns + at, written);
    else
        for (long k = begin; k < end; ++k)
            for (long at = LINE - (long)sizeof *port; at < wide; at += LINE) bring_line_near(port, k * apart + at, written);
}

#ifdef STREAM
/*
 * One block past caches, some numbers of each state at a time, in whole lines: what does not fill one waits for the next
 * numbers, or for the next state where that follows at once. Lines that are shared with other blocks go the usual way.
 */
APART void stream(const lanes *restrict y, const int *at, int size, real *to, long state)
{
    enum { FULL = LINE / sizeof(real), WIDE = 16 * FULL, ROOM = WIDE + 2 * FULL };
    real rows[LANES * ROOM] __attribute__((aligned(LINE))), heads[LANES * FULL] __attribute__((aligned(LINE)));
    const int joined = state == size;
    /* numbers of each state before its first whole line */
    int lead[LANES];
    for (int i = 0; i < LANES; ++i) lead[i] = (int)(-((__UINTPTR_TYPE__)(to + i * state) / sizeof *to) % FULL);
    for (int first = 0; first < size; first += WIDE) {
        const int width = size - first < WIDE ? size - first : WIDE, last = first + width == size;
        scatter(at ? y : y + first, at ? at + first : 0, width, rows + FULL, ROOM, 1, LANES);
        for (int i = 0; i < LANES; ++i) {
            real *row = rows + i * ROOM + FULL, *line = to + i * state + first;
            if (first == 0) {
                const int own = (!joined | (i == 0)) * lead[i];
                __builtin_memcpy(heads + i * FULL, row, LINE);
                for (int k = 0; k < own; ++k) line[k] = row[k];
            }
        }
        for (int i = 0; i < LANES; ++i) {
            real *row = rows + i * ROOM + FULL, *line = to + i * state + first;
            const int fills = last & joined & (i + 1 < LANES), end = fills ? width + lead[i + 1] : width;
            int k = first == 0 ? lead[i] : -((FULL - lead[i]) % FULL);
            if (fills) __builtin_memcpy(row + width, heads + (i + 1) * FULL, LINE);
            for (; k + FULL <= end; k += FULL)
                for (int j = 0; j < FULL; j += LANES) {
                    lanes value;
                    __builtin_memcpy(&value, row + k + j, sizeof value);
                    STREAM((lanes *)(line + k + j), value);
                }
            if (last)
                for (; k < end; ++k) line[k] = row[k];
            else
                __builtin_memcpy(row - FULL, row + width - FULL, LINE);
        }
    }
}
#endif

/* and out again, of `count` states in all; what is large goes past caches */
APART void send(const lanes *restrict y, int apart, const int *at, int size, real *to, long state, long element,
                int blocks, long left, long count)
{
    const int whole = blocks * LANES <= left;
#ifdef STREAM
    const int large = whole & goes_past(size, state, element, count);
    const int lines = ((__UINTPTR_TYPE__)to | (blocks * VECTOR_BYTES) | (element * sizeof *to)) % LINE == 0;
    if (large && lines && state == 1) {
        for (int k = 0; k < size; ++k)
            for (int b = 0; b < blocks; ++b) STREAM((lanes *)(to + k * element) + b, y[b * apart + (at ? at[k] : k)]);
        return;
    }
    if (large && element == 1 && state >= size) {
        for (int b = 0; b < blocks; ++b) stream(y + b * apart, at, size, to + b * LANES * state, state);
        return;
    }
#endif
    const int last = blocks - 1;
    if ((state == 1) & (whole | (last > 0))) {
        const long rest = left - last * LANES;
        /* where the next row begins with the first of these states it is written later: a vector may end in it */
        const int dense = (left == count) & (element == count), over = whole ? size : dense * (size - 1);
        for (int k = 0; k < size; ++k) {
            const lanes *row = y + (at ? at[k] : k);
            real *line = to + k * element;
            for (int b = 0; b < last; ++b) __builtin_memcpy(line + b * LANES, row + b * apart, sizeof *y);
            if (k < over)
                __builtin_memcpy(line + last * LANES, row + last * apart, sizeof *y);
            else
                for (int i = 0; i < rest; ++i) line[last * LANES + i] = row[last * apart][i];
        }
    } else
        for (int b = 0; b < blocks; ++b)
            scatter(y + b * apart, at, size, to + b * LANES * state, state, element, left - b * LANES);
}

/* ---------------------------------------------------------------- what the kernels are written in */

/* A kernel's text is the same for one number and for lanes. A place is an index, another one in each lane. */
typedef lanes number;
typedef lanes place;

INLINE place spot(int i) { return splat((real)i); }

INLINE place choose_spot(number condition, place p, place q) { return choose(condition, p, q); }

INLINE void exchange(number condition, number *p, number *q)
{
    const mask yes = (mask)(condition != 0);
    const number kept = where(yes, *q, *p);
    *q = where(yes, *p, *q);
    *p = kept;
}

/* whether a condition is 1 in all lanes: then what is for the others may be left out */
INLINE int everywhere(number condition)
{
    typedef unsigned long long words __attribute__((vector_size(16)));
    const mask yes = (mask)(condition != 0);
    words part[VECTOR_BYTES / 16];
    __builtin_memcpy(part, &yes, sizeof yes);
    for (int k = 1; k < VECTOR_BYTES / 16; ++k) part[0] &= part[k];
    return (part[0][0] & part[0][1]) == ~0ULL;
}

/* the least and the largest of a place in all lanes; whether an index is between two */
INLINE int least_of(place p)
{
    int found = (int)p[0];
    for (int k = 1; k < LANES; ++k) found = (int)p[k] < found ? (int)p[k] : found;
    return found;
}

INLINE int most_of(place p)
{
    int found = (int)p[0];
    for (int k = 1; k < LANES; ++k) found = (int)p[k] > found ? (int)p[k] : found;
    return found;
}

INLINE number inside(int i, place from, place to) { return less_equal(from, spot(i)) * less(spot(i), to); }

/* the larger one, the first of a number and a NaN */
INLINE number peak(number p, number q) { return where((mask)(p < q), q, p); }

INLINE number trough(number p, number q) { return where((mask)(q < p), q, p); }

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
    for (int i = 1; i < m; ++i) found = where((mask)(p == (real)i), v[i], found);
    return found;
}

/* v[p] = value */
INLINE void put(number *v, int m, place p, number value)
{
    for (int i = 0; i < m; ++i) v[i] = where((mask)(p == (real)i), value, v[i]);
}
