"""What ends a search early: the clock, a flag set from another thread, and their names."""

cdef extern from * nogil:
    """
    #include <time.h>
    static double bura_seconds(void) {
        struct timespec t;
        clock_gettime(CLOCK_MONOTONIC, &t);
        return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
    }
    """
    double seconds "bura_seconds"() noexcept

cdef extern from *:
    """
    #define BURA_LOAD(p) __atomic_load_n((p), __ATOMIC_RELAXED)
    #define BURA_STORE(p, v) __atomic_store_n((p), (v), __ATOMIC_RELAXED)
    """
    int load_flag "BURA_LOAD"(const int*) noexcept nogil
    void store_flag "BURA_STORE"(int*, int) noexcept nogil

cdef enum:
    STOPPED_NODES = 1
    STOPPED_TIME = 2
    STOPPED_FLAG = 3
