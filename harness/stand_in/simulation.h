/* tocuda, Apache-2.0. */
/* What the simulated runtime answers about itself, in plain C, so that any program can ask by dlsym. Stands alone. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* `version` is filled in by the caller with the number it was compiled for: 1. */
struct tocuda_simulation_state_t {
    uint64_t version;
    uint64_t gpus;
    uint64_t kernels_launched; /* all of them */
    uint64_t
        kernels_not_executed; /* of these: not computed; once above 0, a byte that comes back counts as not computed */
    double seconds;           /* virtual time of the host */
    uint64_t unsupported_calls;   /* calls answered with 801 */
    char unsupported_names[2048]; /* their names once each, separated by a space; cut at a whole name */
};

/* 0, or 1 where the version is not known. */
int tocuda_simulation_state(struct tocuda_simulation_state_t* state);

/* For other stand-ins: something that would have computed was asked for and not done. Counts as a kernel launched and
 * not executed. */
void tocuda_simulation_not_executed(const char* name);

/* While it is on, copies, fills and host kernels that are begun only pass their time: nothing is moved or computed.
   Arguments are checked, faults happen and costs are charged as always, and flags are still polled. Below 0 it is only
   asked, which any thread may do at any time. Answers what it was before: 0 or 1. */
int tocuda_simulation_clock_only(int on);

/* The host was busy for so long by itself, as for a copy of its own: its virtual clock moves on. 0, or 1 where this is
 * no time. */
int tocuda_simulation_pass(double seconds);

/* The host itself touched these bytes. Managed memory among them comes back to the host, which takes its time; 1 where
 * there is none. */
int tocuda_simulation_host_touched(const void* address, size_t bytes);

/* How busy a GPU (by its index in the file) was in this process. `version` is filled in by the caller: 1. */
struct tocuda_simulation_load_t {
    uint64_t version;
    double seconds;    /* virtual time of the host */
    double work_begin; /* when the first copy, fill or kernel began; below 0 where there was none */
    double work_end;   /* when the last one so far ends */
};

/* What NVML's stand-in asks: the host is busy for `pass` seconds with that. 0; 1 where the version, the GPU or a
 * simulation is not known. */
int tocuda_simulation_load(int gpu, double pass, struct tocuda_simulation_load_t* load);

/* Bytes of a GPU (by its index in the file, visible or not) that this process has taken; -1 where there is no such GPU.
 */
int64_t tocuda_simulation_bytes_in_use(int gpu);

/* A kernel of which the host has its own build. */
struct tocuda_launch {
    unsigned grid[3];
    unsigned block[3];
    size_t shared_bytes;
    int device;
};

struct tocuda_host_kernel {
    uint64_t version;     /* 1 */
    const void* function; /* what is given to cudaLaunchKernel; null where it is known by name */
    const char* name;     /* its (mangled) name; kept, not copied. With a function, the name it is listed under */
    size_t arguments;     /* how many */
    const size_t* argument_bytes; /* of each: they are copied at the launch */
    /* Computes. Called in the order of the stream; it must neither call the runtime nor poll: that is what `ready` is
       for. What its arguments point to counts as written from there to the end of the allocation, and must be there on
       the host. */
    void (*run)(void* const* arguments, const struct tocuda_launch* launch);
    /* A flag that the kernel polls: 0 while it would still wait. May be null. */
    int (*ready)(void* const* arguments, const struct tocuda_launch* launch);
    /* What it costs in seconds of virtual time beside what any kernel costs: in the GPU's own memory. Where its
       arguments point to host memory it costs more, as if it touched as much behind each address in them (or all there
       is). May be null, or answer below 0: nothing. */
    double (*seconds)(void* const* arguments, const struct tocuda_launch* launch);
};

/* 0, or 1 where the version is not known or neither name nor function is given. */
int tocuda_simulation_host_kernel(const struct tocuda_host_kernel* kernel);

/* Memory that a kernel touches: what of it lies with the host goes over the link, managed memory that is elsewhere
 * moves. */
struct tocuda_touch {
    const void* address;
    size_t bytes; /* in all, also where it touches the same ones again */
    int writes;
};

/* What else can be said of such a kernel. */
struct tocuda_host_kernel_more {
    uint64_t version; /* 1 */
    /* So long it polls in virtual time, then it goes on by itself; so too when someone has waited for so long in real
     * time. 0: for ever. */
    double patience_seconds;
    /* What it touches, exactly: fills in up to `room` and answers how many. It costs what that takes at the profile's
       rates, and no less than `seconds`, which is then not made more. May be null. */
    size_t (*touches)(void* const* arguments, const struct tocuda_launch* launch, struct tocuda_touch* touches,
                      size_t room);
};

/* The same, and what else can be said of it. */
int tocuda_simulation_host_kernel_with(const struct tocuda_host_kernel* kernel,
                                       const struct tocuda_host_kernel_more* more);

#ifdef __cplusplus
}
#endif
