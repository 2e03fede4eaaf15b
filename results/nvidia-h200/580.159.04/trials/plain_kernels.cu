// What makes one triad or copy faster than another: the numbers, the size, or what came before it.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

void ok(cudaError_t error) {
    if (error == cudaSuccess) return;
    std::printf("%s\n", cudaGetErrorString(error));
    std::exit(1);
}

template <int S, class V>
__device__ void put(V* p, V v) {
    if (S == 1) __stcs(p, v);
    else if (S == 2) __stcg(p, v);
    else *p = v;
}
template <int L, class V>
__device__ V get(const V* p) {
    if (L == 1) return __ldcs(p);
    if (L == 2) return __ldcg(p);
    return *p;
}
// Each thread one vector: as many blocks as it takes (BabelStream's former way), streaming stores if S.
template <int L, int S>
__global__ void triad_one(double2* a, const double2* b, const double2* c) {
    const size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
    const double2 x = get<L>(b + i), y = get<L>(c + i);
    put<S>(a + i, double2{x.x + 0.4 * y.x, x.y + 0.4 * y.y});
}
// BabelStream's: four scalars a thread, a block's width apart.
__global__ void triad_babel(double* a, const double* b, const double* c, size_t n) {
    const size_t stride = size_t(gridDim.x) * blockDim.x;
    for (size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += stride) a[i] = b[i] + 0.4 * c[i];
}
template <int F, int L, int S>
__global__ void copy_of(uint4* to, const uint4* from) {
    const size_t first = size_t(blockIdx.x) * blockDim.x * F + threadIdx.x;
    uint4 held[F];
#pragma unroll
    for (int i = 0; i < F; ++i) held[i] = get<L>(from + first + i * blockDim.x);
#pragma unroll
    for (int i = 0; i < F; ++i) put<S>(to + first + i * blockDim.x, held[i]);
}
__global__ void fill(double* p, size_t n, bool random) {
    for (size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += size_t(gridDim.x) * blockDim.x) {
        unsigned long long h = (i + 1) * 0x9E3779B97F4A7C15ull;
        h ^= h >> 31;
        h *= 0xBF58476D1CE4E5B9ull;
        h ^= h >> 29;
        p[i] = random ? double(h >> 11) / double(1ull << 53) : 0.1;
    }
}
__global__ void read_all(const uint4* p, size_t n, unsigned* out) {
    unsigned sum = 0;
    for (size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += size_t(gridDim.x) * blockDim.x)
        sum ^= __ldcg(p + i).x;
    if (sum == 12345) *out = sum;
}

struct Way {
    const char* name;
    int arrays;
    std::function<void(char*, char*, char*, size_t)> launch;
};

double median(std::vector<float> v) {
    std::sort(v.begin(), v.end());
    return v[v.size() / 2];
}

enum class Mode { queue, alone, clean };
const char* word(Mode m) { return m == Mode::queue ? "queue" : m == Mode::alone ? "alone" : "clean"; }

int main() {
    const size_t most = size_t(4) << 30, other = size_t(256) << 20;
    char *a, *b, *c, *extra;
    unsigned* out;
    for (char** p : {&a, &b, &c}) ok(cudaMalloc(p, most));
    ok(cudaMalloc(&extra, other));
    ok(cudaMalloc(&out, 4));
    ok(cudaMemset(extra, 1, other));
    auto triad = [](auto kernel, int threads) {
        return [=](char* x, char* y, char* z, size_t n) {
            kernel<<<n / 16 / threads, threads>>>((double2*)x, (double2*)y, (double2*)z);
        };
    };
    auto copy = [](auto kernel, int f, int threads) {
        return
            [=](char* x, char* y, char*, size_t n) { kernel<<<n / 16 / threads / f, threads>>>((uint4*)x, (uint4*)y); };
    };
    std::vector<Way> ways{{"triad babel", 3,
                           [](char* x, char* y, char* z, size_t n) {
                               triad_babel<<<n / 8 / 256 / 4, 256>>>((double*)x, (double*)y, (double*)z, n / 8);
                           }},
                          {"triad one", 3, triad(triad_one<0, 0>, 256)},
                          {"triad one streaming stores", 3, triad(triad_one<0, 1>, 256)},
                          {"triad one streaming both", 3, triad(triad_one<1, 1>, 256)},
                          {"triad one of 1024", 3, triad(triad_one<0, 0>, 1024)},
                          {"copy 1", 2, copy(copy_of<1, 0, 0>, 1, 256)},
                          {"copy 1 streaming stores", 2, copy(copy_of<1, 0, 1>, 1, 256)},
                          {"copy 1 streaming both", 2, copy(copy_of<1, 1, 1>, 1, 256)},
                          {"copy 2", 2, copy(copy_of<2, 0, 0>, 2, 256)},
                          {"copy 2 streaming both", 2, copy(copy_of<2, 1, 1>, 2, 256)},
                          {"copy 4 streaming both", 2, copy(copy_of<4, 1, 1>, 4, 256)},
                          {"copy 8 streaming both", 2, copy(copy_of<8, 1, 1>, 8, 256)},
                          {"copy engine", 2, [](char* x, char* y, char*, size_t n) {
                               cudaMemcpyAsync(x, y, n, cudaMemcpyDeviceToDevice);
                           }}};
    std::vector<cudaEvent_t> begin(40), end(40);
    for (auto* list : {&begin, &end})
        for (auto& one : *list) ok(cudaEventCreate(&one));
    std::printf(
        "GB/s, read and written; queue: launches follow each other; alone: 2 ms without any before each; clean: the L2 "
        "cache is emptied of what was written before each\n");
    for (const bool random : {false, true})
        for (const size_t n : {size_t(1) << 30, size_t(4) << 30}) {
            for (char* p : {a, b, c}) fill<<<1320, 512>>>((double*)p, n / 8, random);
            ok(cudaDeviceSynchronize());
            for (auto& way : ways)
                for (const Mode mode : {Mode::queue, Mode::alone, Mode::clean}) {
                    const int count = n > (size_t(1) << 30) ? 12 : 24;
                    for (int i = 0; i < count; ++i) {
                        if (mode == Mode::clean) read_all<<<1320, 512>>>((uint4*)extra, other / 16, out);
                        if (mode != Mode::queue) {
                            ok(cudaDeviceSynchronize());
                            const auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds(2);
                            while (std::chrono::steady_clock::now() < until) {
                            }
                        }
                        ok(cudaEventRecord(begin[i]));
                        way.launch(a, b, c, n);
                        ok(cudaEventRecord(end[i]));
                    }
                    ok(cudaDeviceSynchronize());
                    std::vector<float> ms(count);
                    for (int i = 0; i < count; ++i) ok(cudaEventElapsedTime(&ms[i], begin[i], end[i]));
                    std::printf("%-8s %zu GiB %-28s %-6s %7.1f\n", random ? "random" : "constant", n >> 30, way.name,
                                word(mode), way.arrays * double(n) / median(ms) / 1e6);
                }
        }
    // One queue of 20 ms that ends with 64 launches timed as one: what is sustained.
    for (auto& way : ways) {
        const size_t n = size_t(1) << 30;
        ok(cudaEventRecord(begin[0]));
        for (int i = 0; i < 64; ++i) way.launch(a, b, c, n);
        ok(cudaEventRecord(end[0]));
        ok(cudaDeviceSynchronize());
        float ms;
        ok(cudaEventElapsedTime(&ms, begin[0], end[0]));
        std::printf("sustained 1 GiB %-28s 64 as one %7.1f\n", way.name, 64 * way.arrays * double(n) / ms / 1e6);
    }
    return 0;
}
