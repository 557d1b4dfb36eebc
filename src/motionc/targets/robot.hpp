/* Numbers that somebody else holds, in order: made of std::array, of a C array, or of a vector of Eigen's of that size. */
template <int N>
class In {
public:
    In(const std::array<Scalar, N> &numbers) noexcept : start(numbers.data()) {}
    In(const Scalar (&numbers)[N ? N : 1]) noexcept : start(numbers) {}
    static In at(const Scalar *numbers) noexcept { return In(numbers, 0); }
    const Scalar *data() const noexcept { return start; }

#ifdef MOTIONC_EIGEN
    template <typename M, typename = std::enable_if_t<M::SizeAtCompileTime == N && M::IsVectorAtCompileTime>>
    In(const Eigen::PlainObjectBase<M> &vector) noexcept : start(vector.data()) {}
    template <typename M, typename = std::enable_if_t<M::SizeAtCompileTime == N && M::IsVectorAtCompileTime>>
    In(const Eigen::Map<M> &vector) noexcept : start(vector.data()) {}
    template <typename M, typename = std::enable_if_t<M::SizeAtCompileTime == N && M::IsVectorAtCompileTime>>
    In(const Eigen::Ref<M> &vector) noexcept : start(vector.data()) {}
#endif

private:
    In(const Scalar *numbers, int) noexcept : start(numbers) {}
    const Scalar *start;
};

/* The same to be written to; nothing that a call reads may lie there. */
template <int N>
class Out {
public:
    Out(std::array<Scalar, N> &numbers) noexcept : start(numbers.data()) {}
    Out(Scalar (&numbers)[N ? N : 1]) noexcept : start(numbers) {}
    static Out at(Scalar *numbers) noexcept { return Out(numbers, 0); }
    Scalar *data() const noexcept { return start; }

#ifdef MOTIONC_EIGEN
    template <typename M, typename = std::enable_if_t<M::SizeAtCompileTime == N && M::IsVectorAtCompileTime>>
    Out(Eigen::PlainObjectBase<M> &vector) noexcept : start(vector.data()) {}
    template <typename M, typename = std::enable_if_t<M::SizeAtCompileTime == N && M::IsVectorAtCompileTime>>
    Out(Eigen::Map<M> vector) noexcept : start(vector.data()) {}
    template <typename M, typename = std::enable_if_t<M::SizeAtCompileTime == N && M::IsVectorAtCompileTime>>
    Out(Eigen::Ref<M> vector) noexcept : start(vector.data()) {}
#endif

private:
    Out(Scalar *numbers, int) noexcept : start(numbers) {}
    Scalar *start;
};

/* R rows of C numbers each, row by row. */
template <int R, int C>
class Matrix {
public:
    static constexpr int rows = R, columns = C;
    Scalar operator()(int row, int column) const noexcept { return numbers[static_cast<std::size_t>(C * row + column)]; }
    Scalar &operator()(int row, int column) noexcept { return numbers[static_cast<std::size_t>(C * row + column)]; }
    const Scalar *data() const noexcept { return numbers.data(); }
    Scalar *data() noexcept { return numbers.data(); }

#ifdef MOTIONC_EIGEN
    using EigenMatrix = Eigen::Matrix<Scalar, R, C, C == 1 ? Eigen::ColMajor : Eigen::RowMajor>;
    Eigen::Map<const EigenMatrix> eigen() const noexcept { return Eigen::Map<const EigenMatrix>(data()); }
#endif

private:
    std::array<Scalar, static_cast<std::size_t>(R * C)> numbers{};
};

/* One T for each link that moves: map[Link::name]. */
template <typename T>
class LinkDataMap {
public:
    T &operator[](Link link) noexcept { return each[static_cast<std::size_t>(link)]; }
    const T &operator[](Link link) const noexcept { return each[static_cast<std::size_t>(link)]; }
    const T *data() const noexcept { return each.data(); }

private:
    std::array<T, LINKS> each{};
};

/* Wrenches (n; f) on links, each at the origin of its link's frame and in its axes (N m, N). */
using ExtForces = LinkDataMap<std::array<Scalar, 6>>;
