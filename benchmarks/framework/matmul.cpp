// tocuda, Apache-2.0.
// Products of square matrices through LibTorch, that is by cuBLAS, in each type that GPUs multiply.
#include <ATen/ATen.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "benchmarks/framework/two_ways.hpp"
#include "libtorch/cuda_runtime.hpp"
#include "measurement/gpu/fit.hpp"
#include "measurement/gpu/gpu_facts.hpp"
#include "measurement/host_clock.hpp"
#include "measurement/parameter.hpp"
#include "measurement/registered_benchmark.hpp"

namespace tocuda::framework::matmul {
namespace {

struct Kind {
    const char* word;
    at::ScalarType in;
    at::ScalarType out;
    int compute_capability;  // the first that multiplies it
};
constexpr std::array kinds{Kind{"double", at::kDouble, at::kDouble, 0},  //
                           Kind{"float", at::kFloat, at::kFloat, 0},
                           Kind{"tf32", at::kFloat, at::kFloat, 80},
                           Kind{"half", at::kHalf, at::kHalf, 70},
                           Kind{"bfloat16", at::kBFloat16, at::kBFloat16, 80},
                           Kind{"float8", at::kFloat8_e4m3fn, at::kBFloat16, 89},
                           Kind{"int8", at::kChar, at::kInt, 75}};

Values words() {
    Values all;
    for (const auto& kind : kinds) all.emplace_back(std::string(kind.word));
    return all;
}
const Kind& kind_of(const Parameters& set) {
    return *std::ranges::find(kinds, text(set, "type"), [](const Kind& kind) { return std::string(kind.word); });
}

// Both matrices are numbers in a row, read from one place further in each row: element (i, k) is number i + k. They are
// whole and so small that each type holds them, and a float or an int32 each sum of their products.
struct Numbers {
    static constexpr int most = 4;
    std::vector<std::int8_t> left;
    std::vector<std::int8_t> right;

    explicit Numbers(std::int64_t n) : left(drawn(n)), right(drawn(n)) {}

    // This row of the product.
    at::Tensor row_of_product(std::int64_t n, std::int64_t row) const {
        auto sums = at::zeros({n}, at::kInt);
        auto* const sum = sums.mutable_data_ptr<std::int32_t>();
        for (std::int64_t k = 0; k < n; ++k) {
            const std::int32_t factor = left[static_cast<std::size_t>(row + k)];
            const auto* const other = right.data() + k;
            for (std::int64_t column = 0; column < n; ++column) sum[column] += factor * other[column];
        }
        return sums;
    }

private:
    static std::vector<std::int8_t> drawn(std::int64_t n) {
        std::mt19937 random(std::random_device{}());
        std::uniform_int_distribution<int> each(-most, most);
        std::vector<std::int8_t> numbers(2 * static_cast<std::size_t>(n));
        for (auto& number : numbers) number = static_cast<std::int8_t>(each(random));
        return numbers;
    }
};

// The matrices of one size, without a type, and rows of their product as the CPU computes them.
struct Reference {
    explicit Reference(std::int64_t size) : n(size), numbers(size) {}

    // The first, the last and two others, computed once, because it takes a while.
    const std::map<std::int64_t, at::Tensor>& rows() {
        std::mt19937 random(std::random_device{}());
        std::uniform_int_distribution<std::int64_t> any(0, n - 1);
        if (known.empty())
            for (const auto row : {std::int64_t{0}, any(random), any(random), n - 1})
                known[row] = numbers.row_of_product(n, row);
        return known;
    }

    // As bytes until it is whole, because LibTorch does not copy each type in strides.
    at::Tensor matrix(const std::vector<std::int8_t>& of, at::ScalarType type) const {
        const auto converted = at::tensor(of, at::kChar).to(type);
        const auto size = static_cast<std::int64_t>(converted.element_size());
        const auto bytes = converted.view(at::kByte).to(at::kCUDA);
        const auto strided = bytes.as_strided({n, n * size}, {size, 1});
        return strided.contiguous().view(type);
    }

    std::int64_t n;
    Numbers numbers;

private:
    std::map<std::int64_t, at::Tensor> known{};
};

// Also by the CPU in place of a simulated GPU, if it is told to (simulator/README.md).
bool is_computed() {
    const char* by_the_cpu = std::getenv("TOCUDA_COMPUTE");
    return gpu_computes() || (by_the_cpu != nullptr && std::string(by_the_cpu) == "1");
}

struct Product {
    Product(Reference& of, const Kind& as) : kind(as), reference(of) {
        left = of.matrix(of.numbers.left, kind.in);
        right = of.matrix(of.numbers.right, kind.in).t();  // the same matrix, in columns, as some types need it
        product = at::empty({of.n, of.n}, left.options().dtype(kind.out));
        one = at::ones({}, left.options().dtype(at::kFloat));
    }

    void compute() {
        if (kind.in == at::kChar) at::_int_mm_out(product, left, right);
        else if (kind.in == at::kFloat8_e4m3fn)
            at::_scaled_mm_out(product, left, right, one, one, {}, {}, kind.out, false);
        else at::mm_out(product, left, right);
    }

    std::string what_differs() {
        product.fill_(7);
        compute();
        until_done();
        if (product.sizes() != at::IntArrayRef{reference.n, reference.n}) return "the product has another shape";
        if (!is_computed()) return "";
        for (const auto& [number, row] : reference.rows())
            if (!at::equal(product.select(0, number).cpu(), row.to(kind.out)))
                return "row " + std::to_string(number) + " of the product differs from the reference";
        return "";
    }

    const Kind& kind;
    Reference& reference;
    at::Tensor left{}, right{}, product{}, one{};
};

// So many products are timed together that the wait for them does not count: some milliseconds on a fast GPU.
std::int64_t products_together(std::int64_t n) {
    return std::clamp<std::int64_t>((std::int64_t{1} << 40) / (n * n * n), 1, virtual_seconds() ? 2 : 256);
}

class Matmul final : public Bench {
public:
    std::string why_skipped(const Parameters& set) const override {
        if (auto why = why_not_among(set, "type", words()); !why.empty()) return why;
        if (auto why = why_not_capable(gpu, kind_of(set).compute_capability); !why.empty()) return why;
        return fit.why_skipped(set);
    }

    Trial trial(const Parameters& set) override {
        const auto n = whole(set, "n");
        const auto& kind = kind_of(set);
        at::globalContext().setAllowTF32CuBLAS(std::string(kind.word) == "tf32");
        at::globalContext().setAllowFP16ReductionCuBLAS(false);  // of parts of a sum, which would be rounded
        at::globalContext().setAllowBF16ReductionCuBLAS(false);
        auto& reference = references[n];
        if (!reference) reference = std::make_unique<Reference>(n);
        const auto product = std::make_shared<Product>(*reference, kind);
        const auto together = products_together(n);
        Trial trial{.items = 2 * n * n * n,
                    .compared =
                        "four rows with those that the CPU computes, to the last bit; on a simulated GPU, which "
                        "computes no products, only the shape",
                    .differs = [product] { return product->what_differs(); },
                    .timed =
                        [product, together] {
                            const auto began = host_seconds();
                            for (std::int64_t i = 0; i < together; ++i) product->compute();
                            until_done();
                            return host_seconds() - began;
                        },
                    .timed_together = together};
        if (virtual_seconds())
            trial.flags.emplace_back("simulated: nothing is multiplied, and the time is that of an empty kernel");
        return trial;
    }

private:
    static Room needed(const Parameters& set) {
        const auto n = static_cast<std::size_t>(whole(set, "n"));
        const auto in = n * n * c10::elementSize(kind_of(set).in), out = n * n * c10::elementSize(kind_of(set).out);
        constexpr std::size_t workspace = std::size_t{64} << 20;
        return {.device_bytes = allocated_bytes({in, in, out, workspace})};
    }

    const GpuFacts gpu = gpu_facts();
    const Fit fit{needed};
    std::map<std::int64_t, std::unique_ptr<Reference>> references{};
};

const RegisteredBenchmark registered{{
    .benchmark = {.name = "framework/matmul",
                  .summary = "the product of two matrices of n rows and n columns, by LibTorch and cuBLAS",
                  .how =
                      "the host's clock around so many products that the wait for the GPU does not count; small ones "
                      "may wait for LibTorch. 2 n^3 operations are counted, not bytes: the rate is in 10^9 operations "
                      "a second (Gop/s). `tf32` are floats of which tensor cores multiply the upper bits; `float` "
                      "forbids that",
                  .clock = Clock::host,
                  .parameters = {{"n", {}}, {"type", words()}},
                  .quick = {{"n", {}}},
                  .full = {{"n", {1024, 4096, 16384}}},
                  .allowed = {{"n", {.least = 32, .most = 32768, .multiple_of = 16}}},
                  .needs = {.gpus = 1},
                  .role = {.pictures = {"libtorch-tax", "products-by-size"}}},
    .set_up = [](const std::vector<Parameters>&) { return std::make_unique<Matmul>(); },
}};

}  // namespace
}  // namespace tocuda::framework::matmul
