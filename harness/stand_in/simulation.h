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
    uint64_t kernels_launched;     /* all of them */
    uint64_t kernels_not_executed; /* of these: not computed; once above 0, a byte that comes back counts as not computed */
    double seconds;                /* virtual time of the host */
    uint64_t unsupported_calls;    /* calls answered with 801 */
    char unsupported_names[2048];  /* their names once each, separated by a space; cut at a whole name */
};

/* 0, or 1 where the version is not known. */
int tocuda_simulation_state(struct tocuda_simulation_state_t* state);

/* For other stand-ins: something that would have computed was asked for and not done. Counts as a kernel launched and not executed. */
void tocuda_simulation_not_executed(const char* name);

/* Bytes of a GPU (by its index in the file, visible or not) that this process has taken; -1 where there is no such GPU. */
int64_t tocuda_simulation_bytes_in_use(int gpu);

/* A kernel of which the host has its own build. */
struct tocuda_launch {
    unsigned grid[3];
    unsigned block[3];
    size_t shared_bytes;
    int device;
};

struct tocuda_host_kernel {
    uint64_t version;            /* 1 */
    const void* function;        /* what is given to cudaLaunchKernel; null where it is known by name */
    const char* name;            /* its (mangled) name; kept, not copied. With a function, the name it is listed under */
    size_t arguments;            /* how many */
    const size_t* argument_bytes; /* of each: they are copied at the launch */
    /* Computes. Called in the order of the stream; it must neither call the runtime nor poll: that is what `ready` is for. What its
       arguments point to counts as written from there to the end of the allocation, and must be there on the host. */
    void (*run)(void* const* arguments, const struct tocuda_launch* launch);
    /* A flag that the kernel polls: 0 while it would still wait. May be null. */
    int (*ready)(void* const* arguments, const struct tocuda_launch* launch);
    /* Its cost in seconds of virtual time. May be null: then the profile's cost of a kernel. */
    double (*seconds)(void* const* arguments, const struct tocuda_launch* launch);
};

/* 0, or 1 where the version is not known or neither name nor function is given. */
int tocuda_simulation_host_kernel(const struct tocuda_host_kernel* kernel);

#ifdef __cplusplus
}
#endif
