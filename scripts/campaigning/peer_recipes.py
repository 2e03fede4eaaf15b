# tocuda, Apache-2.0.
"""How the peers that are known by name are built and run. None of their sources are kept here.

Placeholders: {source} the carried sources, {built} the build folder, {nvcc} the compiler, {capability} as in sm_90,
{needs} what was carried for the peer, {nvml} and {stubs} linker options."""

NVBANDWIDTH_BUILD = """{nvcc} --threads 8 -std=c++17 -O2 -arch=sm_{capability} -DGIT_VERSION="{commit}"
    -I{source} -I{needs}/include {source}/*.cpp {source}/*.cu {source}/json/*.cpp
    {needs}/lib/libboost_program_options.a {stubs} {nvml} -lcuda -o {built}/nvbandwidth"""
NVBANDWIDTH_RUN = """{built}/nvbandwidth --json --testcase host_to_device_memcpy_ce device_to_host_memcpy_ce
    host_to_device_bidirectional_memcpy_ce device_to_host_bidirectional_memcpy_ce
    host_to_device_memcpy_sm device_to_host_memcpy_sm device_local_copy"""
BABELSTREAM_BUILD = """{nvcc} -std=c++17 -O3 -x cu -arch=sm_{capability} --extended-lambda
    -forward-unknown-to-host-compiler -DUNROLL_FACTOR=4 -DCUDA -DDEFAULT -DGRID_STRIDE
    -I{source}/src -I{source}/src/cuda -I{needs}/include {source}/src/main.cpp {source}/src/cuda/CUDAStream.cu
    {stubs} {nvml} -o {built}/babelstream"""
# 2^27 doubles, 1 GiB per array. Its figures count every byte read and written.
BABELSTREAM_RUN = "{built}/babelstream --csv --arraysize 134217728 --numtimes 100"

KNOWN = {
    "nvbandwidth": {
        "from": "https://github.com/NVIDIA/nvbandwidth.git",
        "take": ["*.cpp", "*.cu", "*.cuh", "*.h", "json/*", "LICENSE", "Licenses.txt"],
        "needs": ["boost_program_options", "nvml_header"],
        "build": [NVBANDWIDTH_BUILD.split()],
        "run": NVBANDWIDTH_RUN.split(),
    },
    "babelstream": {
        "from": "https://github.com/UoB-HPC/BabelStream.git",
        "take": ["src/*.cpp", "src/*.h", "src/cuda/*", "LICENSE"],
        "needs": ["nvml_header"],
        "build": [BABELSTREAM_BUILD.split()],
        "run": BABELSTREAM_RUN.split(),
    },
}
