/* Dynamics of any tree of revolute and prismatic joints, driven by tables: what a library does that knows no robot.
 *
 * Bodies stand parents first; each turns about or slides along its own z. A row of `body` is R (9, row by row) and
 * p (3), the pose of the joint on its parent at q = 0; mass; com (3) and inertia about it (9); rotor. Inertia of rotors
 * counts along the joint alone. Recursive Newton and Euler on classical accelerations, articulated bodies in three
 * blocks, both in the axes of each body. With -DCOUNTING arithmetic operations are counted, a sine or cosine as one.
 */

#include <math.h>

enum { MOST = 64, ROW = 26 };

#ifdef COUNTING
long operations;
#define COUNT(n) (operations += (n))
#else
#define COUNT(n) ((void)0)
#endif

typedef double vector[3];
typedef double matrix[9];

/* ------------------------------------------------------------ three dimensions */

static double dot(const double *a, const double *b)
{
    COUNT(5);
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void add(const double *a, const double *b, double *y)
{
    COUNT(3);
    for (int i = 0; i < 3; ++i) y[i] = a[i] + b[i];
}

/* y = y + s a */
static void add_scaled(double s, const double *a, double *y)
{
    COUNT(6);
    for (int i = 0; i < 3; ++i) y[i] += s * a[i];
}

static void cross(const double *a, const double *b, double *y)
{
    COUNT(9);
    vector c = {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
    for (int i = 0; i < 3; ++i) y[i] = c[i];
}

/* y = A x, and y = Aᵀ x */
static void times(const double *A, const double *x, double *y)
{
    vector found = {dot(A, x), dot(A + 3, x), dot(A + 6, x)};
    for (int i = 0; i < 3; ++i) y[i] = found[i];
}

static void transposed_times(const double *A, const double *x, double *y)
{
    COUNT(15);
    vector found;
    for (int i = 0; i < 3; ++i) found[i] = A[i] * x[0] + A[i + 3] * x[1] + A[i + 6] * x[2];
    for (int i = 0; i < 3; ++i) y[i] = found[i];
}

/* y = A B, and y = A Bᵀ */
static void product(const double *A, const double *B, double *y)
{
    COUNT(45);
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            y[3 * i + j] = A[3 * i] * B[j] + A[3 * i + 1] * B[j + 3] + A[3 * i + 2] * B[j + 6];
}

static void product_transposed(const double *A, const double *B, double *y)
{
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) y[3 * i + j] = dot(A + 3 * i, B + 3 * j);
}

/* E A Eᵀ */
static void turned(const double *E, const double *A, double *y)
{
    matrix half;
    product(E, A, half);
    product_transposed(half, E, y);
}

/* y = y + s [r]× B, column by column, and y = y + s B [r]×, row by row */
static void add_crossed(double s, const double *r, const double *B, double *y)
{
    for (int j = 0; j < 3; ++j) {
        vector b = {B[j], B[j + 3], B[j + 6]}, c;
        cross(r, b, c);
        COUNT(3);
        for (int i = 0; i < 3; ++i) y[3 * i + j] += s * c[i];
    }
}

static void add_crossing(double s, const double *B, const double *r, double *y)
{
    for (int i = 0; i < 3; ++i) {
        vector c;
        cross(B + 3 * i, r, c);
        COUNT(3);
        for (int j = 0; j < 3; ++j) y[3 * i + j] += s * c[j];
    }
}

/* ------------------------------------------------------------ joints */

static const double *com(const double *body) { return body + 13; }
static const double *about_com(const double *body) { return body + 16; }
static double rotor(const double *body) { return body[25]; }

/* where a body stands on its parent: E turns its axes into the parent's, r is its origin there */
static void place(const double *body, long slides, double q, double *E, double *r)
{
    for (int i = 0; i < 3; ++i) r[i] = body[9 + i];
    if (slides) {
        vector z = {body[2], body[5], body[8]};
        for (int i = 0; i < 9; ++i) E[i] = body[i];
        add_scaled(q, z, r);
        return;
    }
    double s = sin(q), c = cos(q);
    COUNT(20);
    for (int i = 0; i < 3; ++i) {
        E[3 * i] = body[3 * i] * c + body[3 * i + 1] * s;
        E[3 * i + 1] = body[3 * i + 1] * c - body[3 * i] * s;
        E[3 * i + 2] = body[3 * i + 2];
    }
}

/* ------------------------------------------------------------ recursive Newton and Euler */

static void newton_euler(
    long n, const long *tree, const double *table, double gravity, const double *q, const double *v, const double *a,
    double *tau)
{
    matrix E[MOST];
    vector r[MOST], w[MOST], alpha[MOST], acceleration[MOST], moment[MOST], force[MOST];
    const vector still = {0, 0, 0}, up = {0, 0, gravity};

    /* outward: velocities and accelerations, and what each body takes to move so */
    for (long i = 0; i < n; ++i) {
        const double *body = table + i * ROW, mass = body[12];
        long parent = tree[2 * i], slides = tree[2 * i + 1];
        const double *w_p = parent < 0 ? still : w[parent], *alpha_p = parent < 0 ? still : alpha[parent];
        vector at, swing;
        place(body, slides, q[i], E[i], r[i]);
        cross(alpha_p, r[i], at);
        cross(w_p, r[i], swing);
        cross(w_p, swing, swing);
        add(at, swing, at);
        add(at, parent < 0 ? up : acceleration[parent], at);
        transposed_times(E[i], at, acceleration[i]);
        transposed_times(E[i], w_p, w[i]);
        transposed_times(E[i], alpha_p, alpha[i]);
        if (slides) {
            COUNT(6);
            acceleration[i][0] += 2 * v[i] * w[i][1];
            acceleration[i][1] -= 2 * v[i] * w[i][0];
            acceleration[i][2] += a[i];
        } else {
            COUNT(6);
            alpha[i][0] += v[i] * w[i][1];
            alpha[i][1] -= v[i] * w[i][0];
            alpha[i][2] += a[i];
            w[i][2] += v[i];
        }

        /* Newton at the centre of mass, Euler about it, and both at the origin */
        vector turn, spin;
        cross(alpha[i], com(body), at);
        cross(w[i], com(body), swing);
        cross(w[i], swing, swing);
        add(at, swing, at);
        add(at, acceleration[i], at);
        COUNT(3);
        for (int k = 0; k < 3; ++k) force[i][k] = mass * at[k];
        times(about_com(body), alpha[i], turn);
        times(about_com(body), w[i], spin);
        cross(w[i], spin, spin);
        add(turn, spin, turn);
        cross(com(body), force[i], spin);
        add(turn, spin, moment[i]);
    }

    /* inward: what a joint feels, and what it hands down */
    for (long i = n - 1; i >= 0; --i) {
        long parent = tree[2 * i], slides = tree[2 * i + 1];
        COUNT(2);
        tau[i] = (slides ? force[i][2] : moment[i][2]) + rotor(table + i * ROW) * a[i];
        if (parent < 0) continue;
        vector f, m, lever;
        times(E[i], force[i], f);
        times(E[i], moment[i], m);
        cross(r[i], f, lever);
        add(force[parent], f, force[parent]);
        add(m, lever, m);
        add(moment[parent], m, moment[parent]);
    }
}

/* ------------------------------------------------------------ articulated bodies */

struct articulated {
    matrix A, B, D; /* n = A w + B v, f = Bᵀ w + D v */
    vector n, f;    /* bias */
};

/* the same as the parent feels it, added to its own */
static void hand_down(const double *E, const double *r, const struct articulated *I, struct articulated *parent)
{
    matrix A, B, D, shifted;
    vector n, f, lever;
    turned(E, I->A, A);
    turned(E, I->B, B);
    turned(E, I->D, D);
    for (int k = 0; k < 9; ++k) shifted[k] = B[k];
    add_crossed(1, r, D, shifted);
    matrix back = {shifted[0], shifted[3], shifted[6], shifted[1], shifted[4], shifted[7],
                   shifted[2], shifted[5], shifted[8]};
    add_crossing(-1, B, r, A);
    add_crossed(1, r, back, A);
    COUNT(27);
    for (int k = 0; k < 9; ++k) {
        parent->A[k] += A[k];
        parent->B[k] += shifted[k];
        parent->D[k] += D[k];
    }
    times(E, I->n, n);
    times(E, I->f, f);
    cross(r, f, lever);
    add(n, lever, n);
    add(parent->n, n, parent->n);
    add(parent->f, f, parent->f);
}

static void rigid(const double *body, struct articulated *I)
{
    const double m = body[12], *c = com(body);
    vector mc = {m * c[0], m * c[1], m * c[2]};
    matrix first = {0, -mc[2], mc[1], mc[2], 0, -mc[0], -mc[1], mc[0], 0};
    COUNT(3);
    for (int k = 0; k < 9; ++k) {
        I->A[k] = about_com(body)[k];
        I->B[k] = first[k];
        I->D[k] = k % 4 ? 0 : m;
    }
    add_crossing(-1, first, c, I->A);
}

static void articulated_bodies(
    long n, const long *tree, const double *table, double gravity, const double *q, const double *v, const double *tau,
    double *a)
{
    struct articulated I[MOST];
    matrix E[MOST];
    vector r[MOST], w[MOST], u[MOST], bias_w[MOST], bias_v[MOST], felt_n[MOST], felt_f[MOST], alpha[MOST], at[MOST];
    double inertia[MOST], left[MOST];
    const vector still = {0, 0, 0}, up = {0, 0, gravity};

    /* outward: velocities, and what they cost each body by itself */
    for (long i = 0; i < n; ++i) {
        const double *body = table + i * ROW;
        long parent = tree[2 * i], slides = tree[2 * i + 1];
        vector shifted, h_w, h_v, part;
        place(body, slides, q[i], E[i], r[i]);
        cross(parent < 0 ? still : w[parent], r[i], shifted);
        add(shifted, parent < 0 ? still : u[parent], shifted);
        transposed_times(E[i], shifted, u[i]);
        transposed_times(E[i], parent < 0 ? still : w[parent], w[i]);
        for (int k = 0; k < 3; ++k) bias_w[i][k] = bias_v[i][k] = 0;
        COUNT(slides ? 3 : 5);
        if (slides) {
            u[i][2] += v[i];
            bias_v[i][0] = v[i] * w[i][1];
            bias_v[i][1] = -v[i] * w[i][0];
        } else {
            w[i][2] += v[i];
            bias_w[i][0] = v[i] * w[i][1];
            bias_w[i][1] = -v[i] * w[i][0];
            bias_v[i][0] = v[i] * u[i][1];
            bias_v[i][1] = -v[i] * u[i][0];
        }
        rigid(body, &I[i]);
        times(I[i].A, w[i], h_w);
        times(I[i].B, u[i], part);
        add(h_w, part, h_w);
        transposed_times(I[i].B, w[i], h_v);
        add_scaled(body[12], u[i], h_v);
        cross(w[i], h_w, I[i].n);
        cross(u[i], h_v, part);
        add(I[i].n, part, I[i].n);
        cross(w[i], h_v, I[i].f);
    }

    /* inward: what is left of a body when its joint gives way */
    for (long i = n - 1; i >= 0; --i) {
        long parent = tree[2 * i], slides = tree[2 * i + 1];
        struct articulated *own = &I[i];
        for (int k = 0; k < 3; ++k) {
            felt_n[i][k] = slides ? own->B[3 * k + 2] : own->A[3 * k + 2];
            felt_f[i][k] = slides ? own->D[3 * k + 2] : own->B[6 + k];
        }
        COUNT(3);
        inertia[i] = 1 / ((slides ? felt_f[i][2] : felt_n[i][2]) + rotor(table + i * ROW));
        left[i] = tau[i] - (slides ? own->f[2] : own->n[2]);
        if (parent < 0) continue;
        vector part;
        COUNT(6 + 54 + 1);
        for (int k = 0; k < 3; ++k) {
            double n_k = felt_n[i][k] * inertia[i], f_k = felt_f[i][k] * inertia[i];
            for (int l = 0; l < 3; ++l) {
                own->A[3 * k + l] -= n_k * felt_n[i][l];
                own->B[3 * k + l] -= n_k * felt_f[i][l];
                own->D[3 * k + l] -= f_k * felt_f[i][l];
            }
        }
        times(own->A, bias_w[i], part);
        add(own->n, part, own->n);
        times(own->B, bias_v[i], part);
        add(own->n, part, own->n);
        transposed_times(own->B, bias_w[i], part);
        add(own->f, part, own->f);
        times(own->D, bias_v[i], part);
        add(own->f, part, own->f);
        double rate = left[i] * inertia[i];
        add_scaled(rate, felt_n[i], own->n);
        add_scaled(rate, felt_f[i], own->f);
        hand_down(E[i], r[i], own, &I[parent]);
    }

    /* outward: accelerations */
    for (long i = 0; i < n; ++i) {
        long parent = tree[2 * i], slides = tree[2 * i + 1];
        vector shifted;
        cross(parent < 0 ? still : alpha[parent], r[i], shifted);
        add(shifted, parent < 0 ? up : at[parent], shifted);
        transposed_times(E[i], shifted, at[i]);
        transposed_times(E[i], parent < 0 ? still : alpha[parent], alpha[i]);
        add(at[i], bias_v[i], at[i]);
        add(alpha[i], bias_w[i], alpha[i]);
        COUNT(4);
        a[i] = (left[i] - dot(felt_n[i], alpha[i]) - dot(felt_f[i], at[i])) * inertia[i];
        if (slides) at[i][2] += a[i];
        else alpha[i][2] += a[i];
    }
}

/* ------------------------------------------------------------ what is asked: all inputs in x, all outputs in y */

static const double GRAVITY = 9.81;

void inverse_dynamics(long n, const long *tree, const double *table, const double *x, double *y)
{
    newton_euler(n, tree, table, GRAVITY, x, x + n, x + 2 * n, y);
}

void forward_dynamics(long n, const long *tree, const double *table, const double *x, double *y)
{
    articulated_bodies(n, tree, table, GRAVITY, x, x + n, x + 2 * n, y);
}

/* a column of M is what an acceleration of one joint takes, a column of its inverse what a force on one joint gives */
void mass_matrix(long n, const long *tree, const double *table, const double *x, double *y)
{
    double still[MOST] = {0}, one[MOST] = {0};
    for (long k = 0; k < n; ++k) {
        one[k] = 1;
        newton_euler(n, tree, table, 0, x, still, one, y + k * n);
        one[k] = 0;
    }
}

/* the inverse, and the Jacobian of the last body's origin above which the tip stands: tip (3) follows the table */
void mass_matrix_inverse_and_jacobian(long n, const long *tree, const double *table, const double *x, double *y)
{
    double still[MOST] = {0}, one[MOST] = {0};
    for (long k = 0; k < n; ++k) {
        one[k] = 1;
        articulated_bodies(n, tree, table, 0, x, still, one, y + k * n);
        one[k] = 0;
    }

    /* poses in the world, then a column for each joint on the way to the tip */
    matrix E[MOST], own;
    vector p[MOST], r, tip;
    const double *offset = table + n * ROW;
    double *J = y + n * n;
    long last = (long)offset[3];
    for (long i = 0; i < n; ++i) {
        long parent = tree[2 * i];
        if (parent < 0) {
            place(table + i * ROW, tree[2 * i + 1], x[i], E[i], p[i]);
            continue;
        }
        place(table + i * ROW, tree[2 * i + 1], x[i], own, r);
        product(E[parent], own, E[i]);
        times(E[parent], r, p[i]);
        add(p[i], p[parent], p[i]);
    }
    times(E[last], offset, tip);
    add(tip, p[last], tip);
    for (long k = 0; k < 6 * n; ++k) J[k] = 0;
    for (long i = last; i >= 0; i = tree[2 * i]) {
        vector z = {E[i][2], E[i][5], E[i][8]}, arm, turn;
        COUNT(3);
        for (int k = 0; k < 3; ++k) arm[k] = tip[k] - p[i][k];
        if (!tree[2 * i + 1]) cross(z, arm, turn);
        for (int k = 0; k < 3; ++k) {
            J[k * n + i] = tree[2 * i + 1] ? 0 : z[k];
            J[(k + 3) * n + i] = tree[2 * i + 1] ? z[k] : turn[k];
        }
    }
}

typedef void question(long, const long *, const double *, const double *, double *);
void repeat(long count, question *asked, long n, const long *tree, const double *table, const double *x, long given,
            double *y, long found)
{
    for (long i = 0; i < count; ++i) asked(n, tree, table, x + i * given, y + i * found);
}
