/*
 * A batch as Python calls it. NumPy arrays that are just right (the computation's type, as many states in each, one
 * stride from state to state and one from element to element) are read in place, outputs are made or, where they are
 * given and fit, written in place. Everything else is left to a slower function of Python, which converts it, names what
 * is wrong, or shares out large work among threads. What is computed is in batch_states.c.
 */

/* ALONE: how many times as many states one thread computes before Python hears of interruptions */
enum { LINE = 64, ALONE = 64, ALIGNED = 0x100, WRITEABLE = 0x400, AS_MADE = 0x501 };

static struct {
    Object *(*new_array)(void *, int, const ptrdiff_t *, int, const ptrdiff_t *, void *, int, int, void *);
    int (*set_base)(Object *, Object *);
    Object *(*call)(Object *, Object *const *, size_t, Object *);
    Object *(*new_tuple)(ptrdiff_t);
    int (*set_item)(Object *, ptrdiff_t, Object *);
    Object *(*get_item)(Object *, ptrdiff_t);
    ptrdiff_t (*tuple_size)(Object *);
    long (*as_long)(Object *, int *);
    void (*keep)(Object *);
    void (*release)(Object *);
    void *(*leave)(void);
    void (*enter)(void *);
    void *array_type, *float_type, *double_type, *int_type, *tuple_type, *none, *first, *last, *axis, *threads, *out;
} python;

/* an array of states: where it begins, how many there are (none: one value for all), and its strides in numbers */
typedef struct {
    char *data;
    ptrdiff_t states;
    long state, element;
    double number;
} Sheet;

void motionc_connect(void **pointers);
void motionc_connect(void **pointers)
{
    for (size_t k = 0; k < sizeof python / sizeof(void *); ++k) ((void **)&python)[k] = pointers[k];
}

/* ---------------------------------------------------------------- arrays */

/* whether an object is such an array, with its states first or last, or one value for all */
static int reads(const Port *port, Object *object, int last, Sheet *sheet)
{
    const Array *array = (const Array *)object;
    if (object->type != python.array_type || array->kind != port->kind || !(array->flags & ALIGNED)) return 0;
    const int many = array->axes != port->axes, own = many && !last;
    if (array->axes != port->axes + many) return 0;
    ptrdiff_t step = port->bytes, next = 0, seen = 0;
    for (ptrdiff_t k = port->axes; k-- > 0;) {
        const ptrdiff_t size = array->shape[own + k], stride = array->strides[own + k];
        if (size != port->shape[k]) return 0;
        if (size == 1) continue;
        if (!seen++)
            step = stride;
        else if (stride != next)
            return 0;
        next = stride * size;
    }
    const ptrdiff_t axis = last ? port->axes : 0, state = many ? array->strides[axis] : 0;
    if (step % port->bytes || state % port->bytes) return 0;
    sheet->data = array->data;
    sheet->states = many ? array->shape[axis] : -1;
    sheet->state = (long)(state / port->bytes);
    sheet->element = (long)(step / port->bytes);
    return 1;
}

/* the same, or where a port is one number, a float of Python or a double of NumPy for all */
static int takes(const Port *port, Object *object, int last, Sheet *sheet)
{
    if (port->axes || (object->type != python.float_type && object->type != python.double_type))
        return reads(port, object, last, sheet);
    sheet->number = *(const double *)((const Object *)object + 1);
    if (port->bytes == 4) {
        const float single = (float)sheet->number;
        __builtin_memcpy(&sheet->number, &single, 4);
    }
    sheet->data = (char *)&sheet->number;
    sheet->states = -1;
    sheet->state = 0;
    sheet->element = 1;
    return 1;
}

/* whether two arrays may have memory in common: whether what lies between their ends has */
static int meet(const Port *p, const Sheet *a, const Port *q, const Sheet *b)
{
    const Port *port[] = {p, q};
    const Sheet *sheet[] = {a, b};
    const char *from[2], *to[2];
    for (int k = 0; k < 2; ++k) {
        const ptrdiff_t bytes = port[k]->bytes, size = port[k]->size, states = sheet[k]->states;
        const ptrdiff_t along = size ? (size - 1) * sheet[k]->element * bytes : 0;
        const ptrdiff_t across = states > 0 ? (states - 1) * sheet[k]->state * bytes : 0;
        from[k] = sheet[k]->data + (along < 0 ? along : 0) + (across < 0 ? across : 0);
        to[k] = sheet[k]->data + (along > 0 ? along : 0) + (across > 0 ? across : 0) + (size ? bytes : 0);
    }
    return from[0] < to[1] && from[1] < to[0];
}

/* whether no two numbers of an array lie in one place: elements of a state between two states, or the other way round */
static int lies_apart(const Port *port, const Sheet *sheet)
{
    const ptrdiff_t state = sheet->state < 0 ? -sheet->state : sheet->state;
    const ptrdiff_t element = sheet->element < 0 ? -sheet->element : sheet->element;
    const int elements = port->size < 2 || element, states = sheet->states < 2 || state;
    return elements && states && (port->size < 2 || sheet->states < 2 || state > (port->size - 1) * element ||
                                  element > (sheet->states - 1) * state);
}

/* a new array of `count` states, in a piece of memory that it keeps */
static Object *made(const Port *port, ptrdiff_t count, int last, Object *memory, Sheet *sheet)
{
    ptrdiff_t shape[AXES + 1];
    for (ptrdiff_t k = 0; k < port->axes; ++k) shape[k + !last] = port->shape[k];
    shape[last ? port->axes : 0] = count;
    Object *array = python.new_array(python.array_type, (int)port->axes + 1, shape, (int)port->number, NULL,
                                     sheet->data, 0, AS_MADE, NULL);
    if (!array) return NULL;
    python.keep(memory);
    if (python.set_base(array, memory)) {
        python.release(array);
        return NULL;
    }
    sheet->states = count;
    sheet->state = last ? 1 : (long)port->size;
    sheet->element = last ? (long)count : 1;
    return array;
}

/* counts as integers; where nothing could be counted, none */
static void count_out(const Port *port, const Sheet *to, const char *from, ptrdiff_t bytes)
{
    for (ptrdiff_t k = 0; k < to->states; ++k)
        for (ptrdiff_t i = 0; i < port->size; ++i, from += bytes) {
            const double value = bytes == 8 ? *(const double *)from : *(const float *)from;
            ((long long *)to->data)[k * to->state + i * to->element] = value - value == 0 ? (long long)value : 0;
        }
}

/* ---------------------------------------------------------------- the builtin function */

/* what is asked: with states first or last, on one thread whatever it takes, of how many, and into which arrays, if any
   are given */
typedef struct {
    int last, alone;
    ptrdiff_t states;
    Object *out;
} Asked;

/* what is said by name; other words, and other values, are not understood */
static int named(Object *const *values, Object *names, Asked *asked)
{
    const ptrdiff_t count = names ? python.tuple_size(names) : 0;
    for (ptrdiff_t k = 0; k < count; ++k) {
        Object *name = python.get_item(names, k), *value = values[k];
        if (name == python.axis) {
            if (value != python.first && value != python.last) return 0;
            asked->last = value == python.last;
        } else if (name == python.threads) {
            int beyond = 0;
            if (value == python.none) continue;
            const long threads = value->type == python.int_type ? python.as_long(value, &beyond) : 0;
            if (threads < 1 && beyond < 1) return 0;
            asked->alone = threads == 1;
        } else if (name == python.out)
            asked->out = value == python.none ? NULL : value;
        else
            return 0;
    }
    return 1;
}

/* the inputs, all of as many states */
static int all_read(const Batch *batch, Object *const *given, Asked *asked, Sheet *sheets)
{
    for (ptrdiff_t k = 0; k < batch->inputs; ++k) {
        if (!takes(batch->ports + k, given[k], asked->last, sheets + k)) return 0;
        if (sheets[k].states < 0) continue;
        if (asked->states >= 0 && asked->states != sheets[k].states) return 0;
        asked->states = sheets[k].states;
    }
    return asked->states > 0 && asked->states <= (asked->alone ? ALONE : 1) * batch->most;
}

/* arrays that are given for the outputs, as a record or a tuple, none of which has memory in common with another array */
static int all_fit(const Batch *batch, const Object *record, const Asked *asked, Sheet *sheets)
{
    const ptrdiff_t several = batch->outputs > 1;
    if (several && asked->out->type != (const void *)record && asked->out->type != python.tuple_type) return 0;
    if (several && python.tuple_size(asked->out) != batch->outputs) return 0;
    for (ptrdiff_t k = batch->inputs; k < batch->inputs + batch->outputs; ++k) {
        Object *item = several ? python.get_item(asked->out, k - batch->inputs) : asked->out;
        if (!reads(batch->ports + k, item, asked->last, sheets + k) || sheets[k].states != asked->states) return 0;
        if (!(((const Array *)item)->flags & WRITEABLE) || !lies_apart(batch->ports + k, sheets + k)) return 0;
        for (ptrdiff_t i = 0; i < k; ++i)
            if (meet(batch->ports + i, sheets + i, batch->ports + k, sheets + k)) return 0;
    }
    return 1;
}

/* several arrays, which are given away, as one record */
static Object *recorded(Object *record, Object *const *items, ptrdiff_t count)
{
    Object *all = python.new_tuple(count);
    for (ptrdiff_t k = 0; k < count; ++k)
        if (all)
            python.set_item(all, k, items[k]);
        else
            python.release(items[k]);
    if (!all) return NULL;
    Object *const each[] = {all};
    Object *result = python.call(record, each, 1, NULL);
    python.release(all);
    return result;
}

/* self: the slower function; the records of several outputs with states first, and last; the Batch, in an array */
Object *motionc_many(Object *self, Object *const *given, ptrdiff_t count, Object *names);
Object *motionc_many(Object *self, Object *const *given, ptrdiff_t count, Object *names)
{
    const Batch *batch = (const Batch *)((const Array *)python.get_item(self, 3))->data;
    const ptrdiff_t inputs = batch->inputs, outputs = batch->outputs, ports = inputs + outputs;
    const Port *in = batch->ports, *out = in + inputs;
    Sheet sheets[ports + 1], *answers = sheets + inputs;
    Object *items[outputs + 1], *memory = NULL;
    Asked asked = {0, 0, -1, NULL};
    int understood = count == inputs && named(given + count, names, &asked) && all_read(batch, given, &asked, sheets);
    Object *record = python.get_item(self, 1 + asked.last);
    if (understood && asked.out) understood = all_fit(batch, record, &asked, sheets);
    if (!understood) return python.call(python.get_item(self, 0), given, (size_t)count, names);

    /* room for new arrays, each from the beginning of a line on, and behind them for what is counted */
    ptrdiff_t total = 0, places[2 * outputs + 1];
    for (ptrdiff_t k = 0; k < 2 * outputs; ++k) {
        const Port *port = out + k % outputs;
        const ptrdiff_t bytes = k < outputs ? (asked.out ? 0 : port->bytes) : (port->whole ? batch->bytes : 0);
        places[k] = total;
        total += (asked.states * port->size * bytes + LINE - 1) / LINE * LINE;
    }
    total += LINE;
    if (total > LINE || !asked.out) {
        memory = python.new_array(python.array_type, 1, &total, 1, NULL, NULL, 0, 0, NULL);
        if (!memory) return NULL;
    }
    char *start = memory ? ((Array *)memory)->data : NULL;
    start += -(size_t)start % LINE;
    for (ptrdiff_t k = 0; !asked.out && k < outputs; ++k) {
        answers[k].data = start + places[k];
        items[k] = made(out + k, asked.states, asked.last, memory, answers + k);
        if (items[k]) continue;
        while (k-- > 0) python.release(items[k]);
        python.release(memory);
        return NULL;
    }

    /* the work; what takes long lets other threads go on */
    char *data[ports + 1];
    long state[ports + 1], element[ports + 1];
    for (ptrdiff_t k = 0; k < ports; ++k) {
        const int whole = k >= inputs && in[k].whole;
        data[k] = whole ? start + places[outputs + k - inputs] : sheets[k].data;
        state[k] = whole ? (long)in[k].size : sheets[k].state;
        element[k] = whole ? 1 : sheets[k].element;
    }
    void *thread = asked.states > batch->apart ? python.leave() : NULL;
    compute(batch, (long)asked.states, (Views){data, state, element},
            (Views){data + inputs, state + inputs, element + inputs});
    if (thread) python.enter(thread);
    for (ptrdiff_t k = 0; k < outputs; ++k)
        if (out[k].whole) count_out(out + k, answers + k, data[inputs + k], batch->bytes);
    if (memory) python.release(memory);

    /* what was given, a tuple as a record */
    const int tuple = asked.out && outputs > 1 && asked.out->type == python.tuple_type;
    for (ptrdiff_t k = 0; tuple && k < outputs; ++k) python.keep(items[k] = python.get_item(asked.out, k));
    if (asked.out && !tuple) {
        python.keep(asked.out);
        return asked.out;
    }
    return outputs == 1 ? items[0] : recorded(record, items, outputs);
}
