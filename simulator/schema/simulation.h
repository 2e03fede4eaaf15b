/* tocuda, Apache-2.0. */
/* What the simulated runtime reports about itself, in plain C, so that any program can ask by dlsym. Self-contained. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The caller sets `version` to the number it was compiled for: 1. */
struct tocuda_simulation_state_t {
    uint64_t version;
    uint64_t gpus;
    uint64_t kernels_launched; /* all of them */
    /* Of these, the ones that neither ran nor were computed as an operator of LibTorch; once above 0, a byte that comes
       back counts as not computed. */
    uint64_t kernels_not_executed;
    double seconds;               /* virtual time of the host */
    uint64_t unsupported_calls;   /* of functions that are not simulated */
    char unsupported_names[2048]; /* each name once, separated by spaces; cut after a whole name */
};

/* Returns 0, or 1 if it does not know the version. */
int tocuda_simulation_state(struct tocuda_simulation_state_t* state);

/* For the simulated BLAS: reports an operation that should have computed something but did not. Counts as a kernel that
   was launched and not executed. */
void tocuda_simulation_not_executed(const char* name);

/* A function that a simulated library does not have was called: counts it, reports it once on stderr, returns 801. */
int tocuda_simulation_unsupported(const char* name);

/* While on, copies, fills and host kernels that begin only take their time: nothing is moved or computed. Arguments are
   checked, faults happen and costs are charged as always, and flags are still polled. A negative value only queries,
   which any thread may do at any time. Returns the previous setting: 0 or 1. */
int tocuda_simulation_clock_only(int on);

/* The host was busy by itself for this long, with a copy of its own for example: advances its virtual clock. Returns 0,
   or 1 if `seconds` is negative or not finite. */
int tocuda_simulation_pass(double seconds);

/* The host itself accessed these bytes: managed memory among them moves back to the host, which takes the host's time.
   Returns 1 if the address is not in managed memory. */
int tocuda_simulation_host_touched(const void* address, size_t bytes);

/* How busy a GPU (by its index in the file) was in this process. The caller sets `version` to 1. */
struct tocuda_simulation_load_t {
    uint64_t version;
    double seconds;    /* virtual time of the host */
    double work_begin; /* when the first copy, fill or kernel began; below 0 if there was none */
    double work_end;   /* when the last one so far ends */
};

/* Queried by the simulated NVML: reads the load and keeps the host busy for `pass` seconds. Returns 0, or 1 if the
   version or the GPU is unknown or no simulation runs. */
int tocuda_simulation_load(int gpu, double pass, struct tocuda_simulation_load_t* load);

/* Bytes that this process has allocated on a GPU (by its index in the file, visible or not); -1 if there is none. */
int64_t tocuda_simulation_bytes_in_use(int gpu);

/* Memory that a kernel touches: what is on the host goes over the link, managed memory that is elsewhere moves. */
struct tocuda_touch {
    const void* address;
    size_t bytes; /* in all, counting repeated accesses */
    int writes;
};

/* A kernel that the host has its own build of. */
struct tocuda_launch {
    unsigned grid[3];
    unsigned block[3];
    size_t shared_bytes;
    int device;
};

struct tocuda_host_kernel {
    uint64_t version;             /* 1 */
    const void* function;         /* as passed to cudaLaunchKernel; null to find it by name */
    const char* name;             /* its mangled name; kept, not copied. With a function, the name to list it under */
    size_t arguments;             /* their number */
    const size_t* argument_bytes; /* size of each; they are copied at the launch */
    /* Computes. Called in stream order; must neither call the runtime nor poll: that is what `ready` is for. The memory
       behind its arguments counts as written up to the end of the allocation, and the host must have room for it. */
    void (*run)(void* const* arguments, const struct tocuda_launch* launch);
    /* The flag that the kernel polls: returns 0 while it would keep waiting. May be null. */
    int (*ready)(void* const* arguments, const struct tocuda_launch* launch);
    /* What it costs in seconds of virtual time, beyond what any kernel costs, with all data in the GPU's own memory. It
       costs more if its arguments point to host memory: the bytes that this time amounts to are then spread evenly over
       the addresses in them, up to the end of each allocation. Null or a negative result: no cost. */
    double (*seconds)(void* const* arguments, const struct tocuda_launch* launch);
};

/* Returns 0, or 1 if it does not know the version, `run` is null, or neither name nor function is given. */
int tocuda_simulation_host_kernel(const struct tocuda_host_kernel* kernel);

/* Further properties of such a kernel. */
struct tocuda_host_kernel_more {
    uint64_t version; /* 1 */
    /* After polling for this long in virtual time it continues by itself; also when someone has waited for this long in
     * real time. 0: polls forever. */
    double patience_seconds;
    /* What exactly it touches: fills in up to `room` entries and returns how many. The kernel then costs what that
       takes at the profile's rates, but no less than `seconds`, which is not increased. May be null. */
    size_t (*touches)(void* const* arguments, const struct tocuda_launch* launch, struct tocuda_touch* touches,
                      size_t room);
    /* How many loads it makes one after the other, each at an address that the one before returned, at random within
       what it touches first. It then costs their latency and no bandwidth. May be null. */
    size_t (*dependent_loads)(void* const* arguments, const struct tocuda_launch* launch);
    /* Of a kernel that goes through the same bytes again and again: how many these are; 0 if they are in shared memory.
       What it touches first then costs the rate of the level that holds them, and fewer blocks than multiprocessors
       have only their share of it. May be null. */
    size_t (*working_set)(void* const* arguments, const struct tocuda_launch* launch);
};

/* The same with further properties. */
int tocuda_simulation_host_kernel_with(const struct tocuda_host_kernel* kernel,
                                       const struct tocuda_host_kernel_more* more);

/* Kernels that the calling thread has launched and that were not executed. */
uint64_t tocuda_simulation_launched_here(void);

/* What the host does in stream order: it computes in place of kernels that were not executed, or meets other GPUs. */
struct tocuda_computation {
    uint64_t version; /* 1 or 2 */
    /* Computes, in stream order: on the calling thread and outside every lock if nothing in the stream is left to wait
       for. Otherwise later, when it must not call the runtime. Called again at each launch of a graph that captured it.
     */
    void (*run)(void* state);
    int (*ready)(void* state); /* 0 while the stream has to wait; must not call the runtime; may be null */
    void (*drop)(void* state); /* called once, when it will not run again */
    void* state;
    const struct tocuda_touch* touches; /* the memory that it reads and writes */
    size_t count;
    /* From version 2 on. It is a kernel that receives from other GPUs for so long. */
    double link_seconds;
};

/* Whether the calling thread is in an operator that will be computed if it launches something. Returns the previous
   setting. */
int tocuda_simulation_in_operator(int inside);

/* An operator or kernel was not computed, called at this line of the user's program (may be null). The memory that it
   would have written counts as not computed until it is written again, and so does what is computed from it. */
void tocuda_simulation_not_computed(const char* name, const char* line, const struct tocuda_touch* touches,
                                    size_t count);

/* Whether any of these bytes counts as not computed; and that they do, because of `what`. Also for computations. */
int tocuda_simulation_is_tainted(const void* address, size_t bytes);
void tocuda_simulation_taint(const void* address, size_t bytes, const char* what);

/* A check that a kernel makes of its values has failed: from now on every call answers cudaErrorAssert. */
void tocuda_simulation_assertion_failed(void);

/* Whether the calling thread computes something that had to wait, for whichever thread queued it, so that it must not
   wait for anybody. */
int tocuda_simulation_computes_later(void);

/* The position in the machine of a device of this process, and the bytes per second from one position to another: those
   of the link, or without peer access those through the host. */
int tocuda_simulation_position(int device);
double tocuda_simulation_link(int from, int to);

/* The SharedCounts (simulator/schema/counts.hpp) of this process, and how much of what it did was not computed, is not
   known, or was computed otherwise than on a GPU: what --strict does not accept. */
void* tocuda_simulation_counts(void);
unsigned long long tocuda_simulation_otherwise(void);

/* One more operation of the stream (a cudaStream_t) of a device. Takes over the state. Returns a cudaError_t: 0 if it
   was computed or queued. */
int tocuda_simulation_compute(int device, void* stream, const struct tocuda_computation* computation);

#ifdef __cplusplus
}
#endif
