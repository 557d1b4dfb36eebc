/*
 * All states of a batch, on one thread: whole blocks of lanes wherever that is possible, so that states go in and out as
 * vectors. The last block overlaps the one before it; fewer states than lanes are copied to a block beside their arrays,
 * unless their rows lie behind each other; a few are computed one by one. One text serves all computations: what is
 * particular to one is data.
 */

#include <stddef.h>

/*
 * axes of a port; bytes of a block, and of what a few states give, that are copied, at most; and states of large outputs
 * that go one by one, for a block of them takes as long as calls of five
 */
enum { AXES = 8, MOVED = 1 << 18, GIVEN = 1 << 19, SINGLY = 4 };

/* what a port holds of a state; `kind` and `number` are NumPy's words for the type of its arrays */
typedef struct {
    void *kind;
    ptrdiff_t number, bytes, whole, axes, size, shape[AXES];
} Port;

typedef void Many(long, char *const *, const long *, const long *, char *const *, const long *, const long *);
typedef void One(const void *, void *);

/*
 * A computation: its loop over states, `lanes` of them at a time; itself for one state, all ports behind each other; up to
 * how many states are a few, which are not worth a block of lanes; up to how many all is work of one thread, and beyond
 * how many other threads go on meanwhile; bytes of a number; and its ports, inputs first.
 */
typedef struct {
    Many *many;
    One *one;
    ptrdiff_t lanes, few, most, apart, bytes, inputs, outputs;
    Port ports[];
} Batch;

/* all ports of one kind: addresses, and strides in numbers from state to state and from element to element */
typedef struct {
    char *const *data;
    const long *state, *element;
} Views;

/* numbers, that many bytes from each to the next */
static void copy(char *to, ptrdiff_t to_step, const char *from, ptrdiff_t from_step, ptrdiff_t count, ptrdiff_t bytes)
{
    if (to_step == bytes && from_step == bytes)
        __builtin_memcpy(to, from, (size_t)(count * bytes));
    else if (bytes == 8)
        for (; count-- > 0; to += to_step, from += from_step) __builtin_memcpy(to, from, 8);
    else
        for (; count-- > 0; to += to_step, from += from_step) __builtin_memcpy(to, from, 4);
}

/* up to 64 bytes: beginning and end, which may overlap */
static void copy_few(char *to, const char *from, size_t bytes)
{
#define ENDS(size) __builtin_memcpy(to, from, size), __builtin_memcpy(to + bytes - size, from + bytes - size, size)
    if (bytes >= 32)
        ENDS(32);
    else if (bytes >= 16)
        ENDS(16);
    else if (bytes >= 8)
        ENDS(8);
    else
        ENDS(4);
#undef ENDS
}

/* fewer states than lanes, from one array to another */
static void copy_states(char *to, long to_state, long to_element, const char *from, long from_state, long from_element,
                        long states, ptrdiff_t size, ptrdiff_t bytes)
{
    if (to_state == 1 && from_state == 1)
        for (ptrdiff_t i = 0; i < size; ++i, to += to_element * bytes, from += from_element * bytes)
            copy_few(to, from, (size_t)(states * bytes));
    else
        for (; states-- > 0; to += to_state * bytes, from += from_state * bytes)
            copy(to, to_element * bytes, from, from_element * bytes, size, bytes);
}

#if defined __GNUC__ && !defined __clang__
__attribute__((optimize("O3")))
#endif
/* a few states that lie behind each other, number by number beside each other */
static void beside(char *restrict to, const char *restrict from, ptrdiff_t apart, long states, ptrdiff_t size,
                   ptrdiff_t bytes)
{
#define BESIDE(real, count) \
    for (ptrdiff_t i = 0; i < size; ++i) \
        for (ptrdiff_t k = 0; k < count; ++k) ((real *)to)[i * count + k] = ((const real *)from)[k * apart + i]
    if (bytes == 8 && states == 2)
        BESIDE(double, 2);
    else if (bytes == 8)
        BESIDE(double, states);
    else if (states == 2)
        BESIDE(float, 2);
    else if (states == 4)
        BESIDE(float, 4);
    else
        BESIDE(float, states);
#undef BESIDE
}

static ptrdiff_t numbers(const Port *ports, ptrdiff_t count)
{
    ptrdiff_t total = 0;
    while (count-- > 0) total += ports[count].size;
    return total;
}

/* whether numbers of all states lie beside each other, those of each number behind those of the one before it */
static int dense(const Batch *batch, long states, Views y)
{
    for (ptrdiff_t p = 0; p < batch->outputs; ++p)
        if (y.state[p] != 1 || y.element[p] != states) return 0;
    return 1;
}

/* states one by one, and then all of them beside each other */
static void alone_beside(const Batch *batch, long states, Views x, Views y)
{
    const Port *in = batch->ports, *out = in + batch->inputs;
    const ptrdiff_t bytes = batch->bytes, all = numbers(out, batch->outputs);
    double inputs[numbers(in, batch->inputs) + 1], outputs[all * states + 1];
    for (long k = 0; k < states; ++k) {
        char *place = (char *)inputs;
        for (ptrdiff_t p = 0; p < batch->inputs; place += in[p++].size * bytes)
            copy(place, bytes, x.data[p] + k * x.state[p] * bytes, x.element[p] * bytes, in[p].size, bytes);
        batch->one(inputs, (char *)outputs + k * all * bytes);
    }
    const char *place = (const char *)outputs;
    for (ptrdiff_t p = 0; p < batch->outputs; place += out[p++].size * bytes)
        beside(y.data[p], place, all, states, out[p].size, bytes);
}

/* states one by one */
static void alone(const Batch *batch, long states, Views x, Views y)
{
    const Port *in = batch->ports, *out = in + batch->inputs;
    const ptrdiff_t bytes = batch->bytes;
    const int straight = batch->outputs == 1 && y.element[0] == 1;
    double inputs[numbers(in, batch->inputs) + 1], outputs[numbers(out, batch->outputs) + 1];
    for (long k = 0; k < states; ++k) {
        char *place = (char *)inputs;
        for (ptrdiff_t p = 0; p < batch->inputs; place += in[p++].size * bytes)
            copy(place, bytes, x.data[p] + k * x.state[p] * bytes, x.element[p] * bytes, in[p].size, bytes);
        if (straight) {
            batch->one(inputs, y.data[0] + k * y.state[0] * bytes);
            continue;
        }
        batch->one(inputs, outputs);
        place = (char *)outputs;
        for (ptrdiff_t p = 0; p < batch->outputs; place += out[p++].size * bytes)
            copy(y.data[p] + k * y.state[p] * bytes, y.element[p] * bytes, place, bytes, out[p].size, bytes);
    }
}

/* fewer states than lanes as a whole block, in arrays beside theirs; what is no state repeats the last one */
static void as_block(const Batch *batch, long states, Views x, Views y)
{
    const ptrdiff_t inputs = batch->inputs, ports = inputs + batch->outputs, bytes = batch->bytes;
    const long lanes = (long)batch->lanes;
    double room[numbers(batch->ports, ports) * lanes * bytes / (ptrdiff_t)sizeof(double) + 1];
    char *place = (char *)room, *data[ports + 1];
    long state[ports + 1], element[ports + 1];
    for (ptrdiff_t p = 0; p < ports; ++p) {
        const ptrdiff_t size = batch->ports[p].size;
        const long beside = p < inputs ? x.state[p] : y.state[p - inputs];
        data[p] = place, state[p] = beside == 1 ? 1 : (long)size, element[p] = beside == 1 ? lanes : 1;
        place += size * lanes * bytes;
        if (p >= inputs) continue;
        const char *last = x.data[p] + (states - 1) * beside * bytes;
        copy_states(data[p], state[p], element[p], x.data[p], beside, x.element[p], states, size, bytes);
        for (long k = states; k < lanes; ++k)
            copy(data[p] + k * state[p] * bytes, element[p] * bytes, last, x.element[p] * bytes, size, bytes);
    }
    batch->many(lanes, data, state, element, data + inputs, state + inputs, element + inputs);
    for (ptrdiff_t p = inputs, k = 0; p < ports; ++p, ++k)
        copy_states(y.data[k], y.state[k], y.element[k], data[p], state[p], element[p], states, batch->ports[p].size,
                    bytes);
}

/* the last states of many as a whole block, in which states before them are computed once more */
static void last_block(const Batch *batch, long first, Views x, Views y)
{
    const ptrdiff_t inputs = batch->inputs, ports = inputs + batch->outputs;
    char *data[ports + 1];
    for (ptrdiff_t p = 0; p < ports; ++p)
        data[p] = p < inputs ? x.data[p] + first * x.state[p] * batch->bytes
                             : y.data[p - inputs] + first * y.state[p - inputs] * batch->bytes;
    batch->many((long)batch->lanes, data, x.state, x.element, data + inputs, y.state, y.element);
}

/*
 * all states, as whole blocks; a few are computed one by one. Of what is much no copy is made, and nothing is computed
 * twice: fewer than lanes are a block where they are
 */
static void compute(const Batch *batch, long states, Views x, Views y)
{
    const long lanes = (long)batch->lanes, left = states % lanes;
    const ptrdiff_t block = lanes * numbers(batch->ports, batch->inputs + batch->outputs) * batch->bytes;
    const ptrdiff_t given = states * numbers(batch->ports + batch->inputs, batch->outputs) * batch->bytes;
    const int rows = states > 1 && states < lanes && dense(batch, states, y), large = block > MOVED;
    const int singly = large && !rows && states <= SINGLY && 2 * states <= lanes;
    if (rows && states <= batch->few && given <= GIVEN)
        alone_beside(batch, states, x, y);
    else if (singly || (states <= batch->few && !(rows && large)))
        alone(batch, states, x, y);
    else if (states < lanes && !rows && !large)
        as_block(batch, states, x, y);
    else if (states < lanes || large)
        batch->many(states, x.data, x.state, x.element, y.data, y.state, y.element);
    else {
        batch->many(states - left, x.data, x.state, x.element, y.data, y.state, y.element);
        if (left) last_block(batch, states - lanes, x, y);
    }
}

void motionc_states(const Batch *batch, long states, char *const *x, const long *x_state, const long *x_element,
                    char *const *y, const long *y_state, const long *y_element);
void motionc_states(const Batch *batch, long states, char *const *x, const long *x_state, const long *x_element,
                    char *const *y, const long *y_state, const long *y_element)
{
    compute(batch, states, (Views){x, x_state, x_element}, (Views){y, y_state, y_element});
}
