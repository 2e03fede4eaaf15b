// tocuda, Apache-2.0.
#include "benchmarks/framework/products.hpp"

#include <ATen/ATen.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "benchmarks/framework/two_ways.hpp"
#include "libtorch/cuda_runtime.hpp"
#include "measurement/gpu/fit.hpp"
#include "measurement/gpu/gpu_facts.hpp"
#include "measurement/host_time.hpp"
#include "measurement/parameter.hpp"
#include "measurement/registered_benchmark.hpp"

namespace tocuda::framework::products {
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

const Kind& kind_of(const Parameters& set) {
    return *std::ranges::find(kinds, text(set, "type"), [](const Kind& kind) { return std::string(kind.word); });
}

// The product of a matrix of `rows` x `depth` and one of `depth` x `columns`, or of `batch` such pairs.
struct Shape {
    std::int64_t batch, rows, depth, columns;
    auto operator<=>(const Shape&) const = default;
    std::int64_t operations() const { return 2 * batch * rows * depth * columns; }
};

Shape shape_of(const Parameters& set) {
    const auto n = whole(set, "n");
    const auto word = set.contains("shape") ? text(set, "shape") : "square";
    if (word == "tall") return {1, n, n / 16, n / 16};
    if (word == "flat") return {1, 32, n, n};  // int8 needs more than 16 rows
    if (word == "batched") return {64, n / 4, n / 4, n / 4};
    return {1, n, n, n};
}

// All matrices are numbers in a row, read from one place further in each row and in each pair: element (i, k) of pair b
// is number b + i + k. They are whole and so small that each type holds them, and a float or an int32 each sum of their
// products.
struct Numbers {
    static constexpr int most = 4;
    std::vector<std::int8_t> left;
    std::vector<std::int8_t> right;

    explicit Numbers(const Shape& shape)
        : left(drawn(shape.batch + shape.rows + shape.depth)), right(drawn(shape.batch + shape.columns + shape.depth)) {
    }

    // This row of the product of pair `b`.
    at::Tensor row_of_product(const Shape& of, std::int64_t b, std::int64_t row) const {
        auto sums = at::zeros({of.columns}, at::kInt);
        auto* const sum = sums.mutable_data_ptr<std::int32_t>();
        for (std::int64_t k = 0; k < of.depth; ++k) {
            const std::int32_t factor = left[static_cast<std::size_t>(b + row + k)];
            const auto* const other = right.data() + b + k;
            for (std::int64_t column = 0; column < of.columns; ++column) sum[column] += factor * other[column];
        }
        return sums;
    }

private:
    static std::vector<std::int8_t> drawn(std::int64_t count) {
        std::mt19937 random(std::random_device{}());
        std::uniform_int_distribution<int> each(-most, most);
        std::vector<std::int8_t> numbers(static_cast<std::size_t>(count));
        for (auto& number : numbers) number = static_cast<std::int8_t>(each(random));
        return numbers;
    }
};

// The matrices of one shape, without a type, and rows of their product as the CPU computes them.
struct Reference {
    explicit Reference(const Shape& product_shape) : shape(product_shape), numbers(product_shape) {}

    // Pair and row of the first, the last and two others, computed once, because it takes a while.
    const std::map<std::pair<std::int64_t, std::int64_t>, at::Tensor>& rows() {
        if (!known.empty()) return known;
        std::mt19937 random(std::random_device{}());
        std::uniform_int_distribution<std::int64_t> any_pair(0, shape.batch - 1), any_row(0, shape.rows - 1);
        const std::pair<std::int64_t, std::int64_t> first{0, 0}, last{shape.batch - 1, shape.rows - 1};
        for (const auto& place :
             {first, {any_pair(random), any_row(random)}, {any_pair(random), any_row(random)}, last})
            known[place] = numbers.row_of_product(shape, place.first, place.second);
        return known;
    }

    // As bytes until it is whole, because LibTorch does not copy each type in strides.
    at::Tensor matrices(const std::vector<std::int8_t>& of, std::int64_t rows, at::ScalarType type) const {
        const auto converted = at::tensor(of, at::kChar).to(type);
        const auto size = static_cast<std::int64_t>(converted.element_size());
        const auto bytes = converted.view(at::kByte).to(at::kCUDA);
        const auto strided = bytes.as_strided({shape.batch, rows, shape.depth * size}, {size, size, 1});
        return strided.contiguous().view(type);
    }

    Shape shape;
    Numbers numbers;

private:
    std::map<std::pair<std::int64_t, std::int64_t>, at::Tensor> known{};
};

// Also by the CPU in place of a simulated GPU, if it is told to (simulator/README.md).
bool is_computed() {
    const char* by_the_cpu = std::getenv("TOCUDA_COMPUTE");
    return gpu_computes() || (by_the_cpu && std::string(by_the_cpu) == "1");
}

struct Product {
    Product(Reference& expected, const Kind& product_kind) : kind(product_kind), reference(expected) {
        left = expected.matrices(expected.numbers.left, expected.shape.rows, kind.in);
        right = expected.matrices(expected.numbers.right, expected.shape.columns, kind.in)
                    .mT();  // in columns, as some types need it
        product = at::empty({expected.shape.batch, expected.shape.rows, expected.shape.columns},
                            left.options().dtype(kind.out));
        one = at::ones({}, left.options().dtype(at::kFloat));
        if (expected.shape.batch > 1) return;
        for (auto* const each : {&left, &right, &product}) *each = each->squeeze(0);
    }

    void compute() {
        if (reference.shape.batch > 1) at::bmm_out(product, left, right);
        else if (kind.in == at::kChar) at::_int_mm_out(product, left, right);
        else if (kind.in == at::kFloat8_e4m3fn)
            at::_scaled_mm_out(product, left, right, one, one, {}, {}, kind.out, false);
        else at::mm_out(product, left, right);
    }

    std::string what_differs() {
        product.fill_(7);
        compute();
        until_done();
        const auto& shape = reference.shape;
        if (product.numel() != shape.batch * shape.rows * shape.columns) return "the product has another shape";
        if (!is_computed()) return "";
        const auto all = product.view({shape.batch, shape.rows, shape.columns});
        for (const auto& [place, row] : reference.rows())
            if (!at::equal(all.select(0, place.first).select(0, place.second).cpu(), row.to(kind.out)))
                return "row " + std::to_string(place.second) + " of the product differs from the reference";
        return "";
    }

    const Kind& kind;
    Reference& reference;
    at::Tensor left{}, right{}, product{}, one{};
};

// So many products are timed together that the wait for them does not count: some milliseconds on a fast GPU.
std::int64_t products_together(const Shape& shape) {
    return std::clamp<std::int64_t>((std::int64_t{1} << 41) / shape.operations(), 1, virtual_seconds() ? 2 : 256);
}

struct Seconds {
    double queued = 0;  // until LibTorch had queued all products
    double all = 0;
};
Seconds seconds_of(Product& product, std::int64_t together) {
    Seconds seconds;
    const auto began = host_seconds();
    for (std::int64_t i = 0; i < together; ++i) product.compute();
    seconds.queued = host_seconds() - began;
    until_done();
    seconds.all = host_seconds() - began;
    return seconds;
}

// A queue that is empty nearly as soon as it is complete.
bool waits_for_calls(Product& product, std::int64_t together) {
    seconds_of(product, 1);  // the first one loads its kernel
    const auto seconds = seconds_of(product, together);
    return seconds.queued > 0.9 * seconds.all;
}

class Products final : public Bench {
public:
    std::string why_skipped(const Parameters& set) const override {
        if (auto why = why_not_capable(gpu, kind_of(set).compute_capability); !why.empty()) return why;
        if (auto why = why_no_such_product(shape_of(set), kind_of(set)); !why.empty()) return why;
        return fit.why_skipped(set);
    }

    Trial trial(const Parameters& set) override {
        const auto shape = shape_of(set);
        const auto& kind = kind_of(set);
        at::globalContext().setAllowTF32CuBLAS(std::string(kind.word) == "tf32");
        at::globalContext().setAllowFP16ReductionCuBLAS(false);  // of parts of a sum, which would be rounded
        at::globalContext().setAllowBF16ReductionCuBLAS(false);
        auto& reference = references[shape];
        if (!reference) reference = std::make_unique<Reference>(shape);
        const auto product = std::make_shared<Product>(*reference, kind);
        const auto together = products_together(shape);
        Trial trial{.items = shape.operations(),
                    .compared =
                        "four rows with those that the CPU computes, to the last bit; on a simulated GPU, which "
                        "computes no products, only the shape",
                    .differs = [product] { return product->what_differs(); },
                    .timing = SelfTimed{.seconds = [product, together] { return seconds_of(*product, together).all; },
                                        .together = together}};
        if (!virtual_seconds() && waits_for_calls(*product, together))
            trial.flags.emplace_back("the GPU waits for LibTorch's calls: the rate is theirs, not that of products");
        if (virtual_seconds())
            trial.flags.emplace_back("simulated: nothing is multiplied, and the time is that of an empty kernel");
        return trial;
    }

private:
    static std::string why_no_such_product(const Shape& shape, const Kind& kind) {
        const bool in_bytes = kind.in == at::kChar || kind.in == at::kFloat8_e4m3fn;
        return in_bytes && shape.batch > 1 ? "LibTorch has no product of batches in this type" : "";
    }

    static Room needed(const Parameters& set) {
        const auto shape = shape_of(set);
        const auto in = c10::elementSize(kind_of(set).in), out = c10::elementSize(kind_of(set).out);
        const auto bytes = [&](std::int64_t rows, std::int64_t columns, std::size_t each) {
            return static_cast<std::size_t>(shape.batch * rows * columns) * each;
        };
        constexpr std::size_t workspace = std::size_t{64} << 20;
        return {.device_bytes =
                    allocated_bytes({bytes(shape.rows, shape.depth, in), bytes(shape.depth, shape.columns, in),
                                     bytes(shape.rows, shape.columns, out), workspace})};
    }

    const GpuFacts gpu = gpu_facts();
    const Fit fit{needed};
    std::map<Shape, std::unique_ptr<Reference>> references{};
};

}  // namespace

Values types() {
    Values all;
    for (const auto& kind : kinds) all.emplace_back(std::string(kind.word));
    return all;
}

Values shapes() { return {std::string("tall"), std::string("flat"), std::string("batched")}; }

std::unique_ptr<Bench> set_up(const std::vector<Parameters>&) { return std::make_unique<Products>(); }

}  // namespace tocuda::framework::products
