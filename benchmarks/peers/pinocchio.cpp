/* Pinocchio's algorithms in a loop of C++, instantiated here from its headers: nothing of its compiled library is used.

   A robot comes as numbers, since that library and this one may align matrices differently: per joint its type, its
   parent, its place on the parent, the inertia behind it, its axis and its armature. */

#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include <pinocchio/algorithm/aba-derivatives.hpp>
#include <pinocchio/algorithm/aba.hpp>
#include <pinocchio/algorithm/constrained-dynamics.hpp>
#include <pinocchio/algorithm/crba.hpp>
#include <pinocchio/algorithm/pv.hpp>
#include <pinocchio/algorithm/rnea-derivatives.hpp>
#include <pinocchio/algorithm/rnea.hpp>
#include <pinocchio/multibody.hpp>

#ifdef PINOCCHIO_ENABLE_TEMPLATE_INSTANTIATION
#error "algorithms would come from the compiled library, with its flags instead of ours"
#endif

namespace pin = pinocchio;
using Eigen::Map;
using Eigen::MatrixXd;
using Eigen::VectorXd;
typedef Eigen::Matrix<double, 3, 3, Eigen::RowMajor> Rows3;

namespace {

enum Joint { RX, RY, RZ, PX, PY, PZ, RUBX, RUBY, RUBZ, REVOLUTE, PRISMATIC, UNBOUNDED, FREE };

/* Numbers of a joint: rotation and translation, mass, centre, inertia about it, axis, armature of its coordinates. */
enum { PLACE = 0, MASS = 12, CENTRE = 13, INERTIA = 16, AXIS = 25, ARMATURE = 28, NUMBERS = 34 };

pin::SE3 place(const double *at)
{
    return pin::SE3(Map<const Rows3>(at), Map<const Eigen::Vector3d>(at + 9));
}

pin::JointModel joint(long type, const Eigen::Vector3d &axis)
{
    switch (type) {
    case RX: return pin::JointModelRX();
    case RY: return pin::JointModelRY();
    case RZ: return pin::JointModelRZ();
    case PX: return pin::JointModelPX();
    case PY: return pin::JointModelPY();
    case PZ: return pin::JointModelPZ();
    case RUBX: return pin::JointModelRUBX();
    case RUBY: return pin::JointModelRUBY();
    case RUBZ: return pin::JointModelRUBZ();
    case REVOLUTE: return pin::JointModelRevoluteUnaligned(axis);
    case PRISMATIC: return pin::JointModelPrismaticUnaligned(axis);
    case UNBOUNDED: return pin::JointModelRevoluteUnboundedUnaligned(axis);
    default: return pin::JointModelFreeFlyer();
    }
}

struct Race {
    pin::Model model;
    std::unique_ptr<pin::Data> data;
    std::vector<VectorXd> q, v, u;
    std::vector<pin::FrameAnchorConstraintModel> anchors;
    std::vector<pin::FrameAnchorConstraintData> anchored;
    std::vector<pin::PointAnchorConstraintModel> points;
    std::vector<pin::PointAnchorConstraintData> pointed;
    std::vector<pin::RigidConstraintModel> contacts;
    std::vector<pin::RigidConstraintData> contacted;
    pin::ProximalSettings settings{1e-12, 0.0, 1}; // exact rows: no regularisation, one iteration
};

/* Matrices are written row by row. */
double *matrix(const MatrixXd &from, double *y)
{
    Map<Eigen::Matrix<double, -1, -1, Eigen::RowMajor>>(y, from.rows(), from.cols()) = from;
    return y + from.size();
}

double *symmetric(const MatrixXd &from, double *y)
{
    return matrix(MatrixXd(from.selfadjointView<Eigen::Upper>()), y);
}

void tau(const Race &r, double *y) { Map<VectorXd>(y, r.model.nv) = r.data->tau; }
void ddq(const Race &r, double *y) { Map<VectorXd>(y, r.model.nv) = r.data->ddq; }
void mass(const Race &r, double *y) { symmetric(r.data->M, y); }
void dtau(const Race &r, double *y) { matrix(r.data->dtau_dv, matrix(r.data->dtau_dq, y)); }
void dddq(const Race &r, double *y) { symmetric(r.data->Minv, matrix(r.data->ddq_dv, matrix(r.data->ddq_dq, y))); }

struct Function {
    const char *name;
    void (*asked)(Race &race, size_t i);
    void (*read)(const Race &race, double *y);
};

#define ASK(call) [](Race &r, size_t i) { call; }

const Function FUNCTIONS[] = {
    {"rnea", ASK(pin::rnea(r.model, *r.data, r.q[i], r.v[i], r.u[i])), tau},
    {"crba, local", ASK(pin::crba(r.model, *r.data, r.q[i], pin::Convention::LOCAL)), mass},
    {"crba, world", ASK(pin::crba(r.model, *r.data, r.q[i], pin::Convention::WORLD)), mass},
    {"aba, local", ASK(pin::aba(r.model, *r.data, r.q[i], r.v[i], r.u[i], pin::Convention::LOCAL)), ddq},
    {"aba, world", ASK(pin::aba(r.model, *r.data, r.q[i], r.v[i], r.u[i], pin::Convention::WORLD)), ddq},
    {"computeRNEADerivatives", ASK(pin::computeRNEADerivatives(r.model, *r.data, r.q[i], r.v[i], r.u[i])), dtau},
    {"computeABADerivatives", ASK(pin::computeABADerivatives(r.model, *r.data, r.q[i], r.v[i], r.u[i])), dddq},
    {"pv", ASK(pin::pv(r.model, *r.data, r.q[i], r.v[i], r.u[i], r.anchors, r.anchored, r.settings)), ddq},
    {"pv, points", ASK(pin::pv(r.model, *r.data, r.q[i], r.v[i], r.u[i], r.points, r.pointed, r.settings)), ddq},
    {"constraintDynamics",
     ASK(pin::constraintDynamics(r.model, *r.data, r.q[i], r.v[i], r.u[i], r.contacts, r.contacted, r.settings)), ddq},
};

const Function &function(const char *name)
{
    const Function *one = FUNCTIONS;
    while (std::strcmp(one->name, name)) ++one;
    return *one;
}

} // namespace

#define PUBLIC extern "C" __attribute__((visibility("default")))

PUBLIC void *race_made(long joints, const long *tree, const double *numbers)
{
    Race *race = new Race;
    for (long k = 0; k < joints; ++k, tree += 2, numbers += NUMBERS) {
        const Map<const Eigen::Vector3d> axis(numbers + AXIS), centre(numbers + CENTRE);
        const pin::JointModel type = joint(tree[0], axis);
        const auto at = race->model.addJoint(tree[1], type, place(numbers + PLACE), "joint_" + std::to_string(k));
        const Eigen::Matrix3d inertia = Map<const Rows3>(numbers + INERTIA);
        race->model.appendBodyToJoint(at, pin::Inertia(numbers[MASS], centre, inertia));
        const auto &made = race->model.joints[at];
        race->model.armature.segment(made.idx_v(), made.nv()) = Map<const VectorXd>(numbers + ARMATURE, made.nv());
    }
    race->data.reset(new pin::Data(race->model));
    return race;
}

/* Hold frames, each by so many rows (6, or 3 for its point), for one of the functions that can: each prepares the data
   in its own way, once it knows them all. */
PUBLIC void race_held(void *made, const char *name, long rows, long count, const long *at, const double *frames)
{
    Race &race = *static_cast<Race *>(made);
    const bool whole = rows == 6;
    for (long k = 0; k < count; ++k) {
        const pin::SE3 frame = place(frames + 12 * k);
        if (!std::strcmp(name, "constraintDynamics")) {
            const auto kind = whole ? pin::CONTACT_6D : pin::CONTACT_3D;
            race.contacts.push_back(pin::RigidConstraintModel(kind, race.model, at[k], frame, pin::LOCAL));
            race.contacted.push_back(race.contacts[k].createData());
        } else if (whole) {
            race.anchors.push_back(pin::FrameAnchorConstraintModel(race.model, at[k], frame));
            race.anchored.push_back(race.anchors[k].createData());
        } else {
            race.points.push_back(pin::PointAnchorConstraintModel(race.model, at[k], frame));
            race.pointed.push_back(race.points[k].createData());
        }
    }
    if (!race.contacts.empty())
        pin::initConstraintDynamics(race.model, *race.data, race.contacts, race.contacted);
    else if (whole)
        pin::initPvSolver(race.model, *race.data, race.anchors);
    else
        pin::initPvSolver(race.model, *race.data, race.points);
}

/* States are q, v and u one after the other. */
PUBLIC void race_states(void *made, long count, const double *x)
{
    Race &race = *static_cast<Race *>(made);
    const long nq = race.model.nq, nv = race.model.nv;
    for (long i = 0; i < count; ++i, x += nq + 2 * nv) {
        race.q.push_back(Map<const VectorXd>(x, nq));
        race.v.push_back(Map<const VectorXd>(x + nq, nv));
        race.u.push_back(Map<const VectorXd>(x + nq + nv, nv));
    }
}

PUBLIC void race_block(void *made, const char *name)
{
    Race &race = *static_cast<Race *>(made);
    const auto asked = function(name).asked;
    for (size_t i = 0; i < race.q.size(); ++i) asked(race, i);
}

PUBLIC void race_answers(void *made, const char *name, double *y, long found)
{
    Race &race = *static_cast<Race *>(made);
    for (size_t i = 0; i < race.q.size(); ++i, y += found) {
        function(name).asked(race, i);
        function(name).read(race, y);
    }
}
