"""Which names are taken in C and C++? Words of the languages, macros, and what headers declare at the outermost place.

Found by giving every name in the headers that emitted code includes to GCC and Clang as a namespace.
"""

WORDS = """
auto break case char const continue default do double else enum extern float for goto if inline int long register
restrict return short signed sizeof static struct switch typedef union unsigned void volatile while main
alignas alignof and and_eq asm bitand bitor bool catch char16_t char32_t char8_t class co_await co_return co_yield
compl concept const_cast consteval constexpr constinit decltype delete dynamic_cast explicit export false friend
mutable namespace new noexcept not not_eq nullptr operator or or_eq private protected public reinterpret_cast
requires static_assert static_cast template this thread_local throw true try typeid typename typeof using virtual
wchar_t xor xor_eq
acos acosh asin asinh atan atan2 atanh cbrt ceil copysign cos cosh drem erf erfc exp exp10 exp2 expm1 fabs fdim
floor fma fmax fmin fmod frexp gamma hypot ilogb isinf isnan finite j0 j1 jn ldexp lgamma llrint llround log log10
log1p log2 logb lrint lround modf nan nearbyint nextafter nexttoward pow pow10 remainder remquo rint round scalb
scalbln scalbn significand sin sincos sinh sqrt tan tanh tgamma trunc y0 y1 yn abs labs abort exit malloc free
printf puts putchar perror remove rename stdin stdout stderr tmpfile tmpnam getc gets putc scanf sprintf vprintf
APART SELF_TEST INFINITY NAN linux unix std Eigen
BIG_ENDIAN BUFSIZ BYTE_ORDER EOF FILENAME_MAX FOPEN_MAX LITTLE_ENDIAN MAXFLOAT MB_CUR_MAX NFDBITS NULL PDP_ENDIAN
P_tmpdir RAND_MAX TMP_MAX WCONTINUED WEXITED WEXITSTATUS WIFCONTINUED WIFEXITED WIFSIGNALED WIFSTOPPED WNOHANG
WNOWAIT WSTOPPED WSTOPSIG WTERMSIG WUNTRACED alloca be16toh be32toh be64toh fpclassify htobe16 htobe32 htobe64
htole16 htole32 htole64 isfinite isgreater isgreaterequal isless islessequal islessgreater isnormal issubnormal
isunordered le16toh le32toh le64toh math_errhandling offsetof signbit
"""
"""What nothing may be called anywhere: words of C and C++, the mathematics we use, and macros."""

MACROS = (
    r"M_(E|LOG2E|LOG10E|LN2|LN10|PI|PI_2|PI_4|1_PI|2_PI|2_SQRTPI|SQRT2|SQRT1_2)(l|f\d*x?)?|(HUGE_VAL|SNAN)_?\w*"
    r"|FP_(INFINITE|NAN|NORMAL|SUBNORMAL|ZERO|L?L?ILOGB(0|NAN)|LLOGB(0|NAN)|INT_\w+|FAST_\w+)|SEEK_(SET|CUR|END|DATA|HOLE)"
    r"|EXIT_(SUCCESS|FAILURE)|FD_(SET|CLR|ISSET|ZERO|SETSIZE)|L_(tmpnam|ctermid|cuserid)|MATH_ERR(NO|EXCEPT)|RENAME_\w+"
)
"""Macros that come in families."""

GLOBALS = """
FILE a64l aligned_alloc arc4random arc4random_buf arc4random_uniform asprintf at_quick_exit atexit atof atoi atol atoll
bsearch calloc canonicalize canonicalize_file_name clearenv clearerr clearerr_unlocked ctermid cuserid daddl ddivl
dfmal div dmull dprintf drand48 drand48_data drand48_r dsqrtl dsubl ecvt ecvt_r erand48 erand48_r fadd fclose
fcloseall fcvt fcvt_r fd_mask fd_set fdiv fdopen feof feof_unlocked ferror ferror_unlocked fflush fflush_unlocked
ffma fgetc fgetc_unlocked fgetpos fgetpos64 fgets fgets_unlocked fileno fileno_unlocked flockfile fmaximum
fmaximum_mag fmaximum_mag_num fmaximum_num fmaxmag fmemopen fminimum fminimum_mag fminimum_mag_num fminimum_num
fminmag fmul fopen fopen64 fopencookie fprintf fputc fputc_unlocked fputs fputs_unlocked fread fread_unlocked
freopen freopen64 fromfp fromfpx fscanf fseek fseeko fseeko64 fsetpos fsetpos64 fsqrt fsub ftell ftello ftello64
ftrylockfile funlockfile fwrite fwrite_unlocked gcvt getc_unlocked getchar getchar_unlocked getdelim getenv getline
getloadavg getpayload getpt getsubopt getw grantpt initstate initstate_r iscanonical iseqsig issignaling iszero
jrand48 jrand48_r l64a lcong48 lcong48_r ldiv lgamma_r llabs lldiv llogb lrand48 lrand48_r mblen mbstowcs mbtowc
mkdtemp mkostemp mkostemp64 mkostemps mkostemps64 mkstemp mkstemp64 mkstemps mkstemps64 mktemp mrand48 mrand48_r
nextdown nextup nrand48 nrand48_r obstack obstack_printf obstack_vprintf on_exit open_memstream pclose popen
posix_memalign posix_openpt pselect ptsname ptsname_r putc_unlocked putchar_unlocked putenv putw qecvt qecvt_r qfcvt
qfcvt_r qgcvt qsort qsort_r quick_exit rand rand_r random random_data random_r realloc reallocarray realpath
renameat renameat2 rewind roundeven rpmatch secure_getenv seed48 seed48_r select setbuf setbuffer setenv setlinebuf
setpayload setpayloadsig setstate setstate_r setvbuf signgam snprintf srand srand48 srand48_r srandom srandom_r
sscanf system strtod strtof strtol strtold strtoll strtoul strtoull memcpy memmove memset memcmp memchr strlen strcpy
strcat strcmp index rindex ffs time clock
blkcnt64_t blkcnt_t blksize_t caddr_t char16_t char32_t clock_t clockid_t comparison_fn_t cookie_close_function_t
cookie_io_functions_t cookie_read_function_t cookie_seek_function_t cookie_write_function_t daddr_t dev_t div_t
double_t float_t fpos64_t fpos_t fsblkcnt64_t fsblkcnt_t fsfilcnt64_t fsfilcnt_t fsid_t gid_t id_t ino64_t ino_t
int16_t int32_t int64_t int8_t key_t ldiv_t lldiv_t locale_t loff_t max_align_t mode_t nlink_t nullptr_t off64_t
off_t pid_t pthread_attr_t pthread_barrier_t pthread_barrierattr_t pthread_cond_t pthread_condattr_t pthread_key_t
pthread_mutex_t pthread_mutexattr_t pthread_once_t pthread_rwlock_t pthread_rwlockattr_t pthread_spinlock_t
pthread_t ptrdiff_t quad_t register_t sigset_t size_t ssize_t
"""
"""What no function and no namespace may be called: types and functions of the library."""

VARIANTS = r"(f|l|f32|f64|f128|f32x|f64x)(_r)?"
"""What the library's functions end in for other numbers than doubles."""
