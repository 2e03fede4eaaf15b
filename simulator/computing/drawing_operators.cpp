// tocuda, Apache-2.0.
// Follows ATen/native/cuda/DistributionTemplates.h; what LibTorch's other devices share with it is LibTorch's own.
#include "computing/drawing_operators.hpp"

#include <ATen/Dispatch_v2.h>
#include <ATen/OpMathType.h>
#include <ATen/Parallel.h>
#include <ATen/core/TransformationHelper.h>
#include <ATen/native/DistributionTemplates.h>

#include <algorithm>
#include <limits>
#include <string>
#include <type_traits>
#include <unordered_map>
#include <utility>

#include "computing/attention.hpp"
#include "computing/numbers.hpp"

namespace tocuda::computing {
namespace {

using at::Tensor;
using torch::jit::Stack;
using MaybeGenerator = std::optional<at::Generator>;
namespace templates = at::native::templates;

// Where the elements of a result are, in the order in which kernels count them.
class Places {
public:
    explicit Places(at::TensorIteratorBase& iter)
        : first_value(static_cast<char*>(iter.data_ptr(0))), extents(iter.shape()), steps(iter.strides(0)) {}
    char* operator[](std::int64_t index) const {
        if (extents.empty()) return first_value;
        char* place = first_value;
        for (std::size_t i = 0; i + 1 < extents.size(); ++i) {
            place += index % extents[i] * steps[i];
            index /= extents[i];
        }
        return place + index * steps.back();
    }

private:
    char* first_value;
    at::IntArrayRef extents;
    at::IntArrayRef steps;
};

// distribution_nullary_kernel: each thread calls the source as often as needed, and the numbers of a call go to
// elements that are as far from each other as there are threads.
template <class Scalar, class Source, class Transform>
void fill(at::TensorIteratorBase& iter, Numbers& numbers, const Transform& transform) {
    const std::int64_t count = iter.numel();
    if (count == 0) return;
    const auto threads = static_cast<std::int64_t>(numbers.threads_for(static_cast<std::uint64_t>(count)));
    const auto at_once = static_cast<std::int64_t>(Source::from({}).size());
    const Philox philox = numbers.take(static_cast<std::uint64_t>((count - 1) / (threads * at_once) + 1) * 4);
    if (!iter.can_use_32bit_indexing()) {
        for (auto& part : iter.with_32bit_indexing()) fill<Scalar, Source>(part, numbers, transform);
        return;
    }
    const Places places(iter);
    at::parallel_for(0, std::min(threads, count), 1024, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t thread = begin; thread < end; ++thread) {
            std::int64_t index = thread;
            for (std::uint64_t call = 0; index < count; ++call) {
                for (const auto drawn : Source::from(philox(static_cast<std::uint64_t>(thread), call))) {
                    if (index < count) *reinterpret_cast<Scalar*>(places[index]) = transform(drawn);
                    index += threads;
                }
            }
        }
    });
}

// Calls one of two: numbers of 64 bits are drawn only for results of double precision.
template <class Single, class Double>
struct Real {
    template <class Scalar>
    using For = std::conditional_t<std::is_same_v<Scalar, double>, Double, Single>;
};
using UniformReal = Real<Uniform, UniformDouble>;
using NormalReal = Real<Normal, NormalDouble>;

// For floating-point types. Numbers are transformed in single precision at least.
template <class Source, class Transform>
void fill_real(at::TensorIteratorBase& iter, const MaybeGenerator& generator, const Transform& transform) {
    auto& numbers = *at::check_generator<Numbers>(generator);
    AT_DISPATCH_FLOATING_TYPES_AND2(at::kHalf, at::kBFloat16, iter.dtype(), "draw", [&] {
        using Drawn = typename Source::template For<scalar_t>;
        fill<scalar_t, Drawn>(iter, numbers, [&](auto drawn) { return static_cast<scalar_t>(transform(drawn)); });
    });
}

// The kernels that LibTorch's templates call with arguments that they have checked and adapted.
template <class>
struct RandomBetween {
    template <class Scalar, class Source>
    static void fill_from(at::TensorIteratorBase& iter, std::uint64_t range, std::int64_t base, Numbers& numbers) {
        fill<Scalar, Source>(iter, numbers, [&](auto drawn) {
            return at::transformation::uniform_int_from_to<Scalar>(drawn, range, base);
        });
    }
    void operator()(at::TensorIteratorBase& iter, std::uint64_t range, std::int64_t base,
                    const MaybeGenerator& generator) const {
        auto& numbers = *at::check_generator<Numbers>(generator);
        AT_DISPATCH_V2(iter.dtype(), "random_", AT_WRAP([&] {
                           if (range >= 1ULL << 28) fill_from<scalar_t, LongWords>(iter, range, base, numbers);
                           else fill_from<scalar_t, Words>(iter, range, base, numbers);
                       }),
                       AT_EXPAND(AT_ALL_TYPES), at::kBool, at::kHalf, at::kBFloat16,
                       AT_EXPAND(AT_BAREBONES_UNSIGNED_TYPES));
    }
    // All words of 64 bits.
    void operator()(at::TensorIteratorBase& iter, const MaybeGenerator& generator) const {
        auto& numbers = *at::check_generator<Numbers>(generator);
        AT_DISPATCH_ALL_TYPES_AND(at::kBFloat16, iter.dtype(), "random_", [&] {
            fill<scalar_t, LongWords>(
                iter, numbers, [](auto drawn) { return at::transformation::uniform_int_full_range<scalar_t>(drawn); });
        });
    }
};

template <class>
struct Random {
    void operator()(at::TensorIteratorBase& iter, const MaybeGenerator& generator) const {
        auto& numbers = *at::check_generator<Numbers>(generator);
        AT_DISPATCH_ALL_TYPES_AND3(at::kHalf, at::kBFloat16, at::kBool, iter.dtype(), "random_", [&] {
            constexpr bool is_long = std::is_same_v<scalar_t, double> || std::is_same_v<scalar_t, std::int64_t>;
            fill<scalar_t, std::conditional_t<is_long, LongWords, Words>>(
                iter, numbers, [](auto drawn) { return at::transformation::uniform_int<scalar_t>(drawn); });
        });
    }
};

template <class>
struct UniformBetween {
    void operator()(at::TensorIteratorBase& iter, double from, double to, const MaybeGenerator& generator) const {
        auto& numbers = *at::check_generator<Numbers>(generator);
        AT_DISPATCH_FLOATING_TYPES_AND2(at::kHalf, at::kBFloat16, iter.dtype(), "uniform_", [&] {
            using Math = at::opmath_type<scalar_t>;
            const auto low = static_cast<scalar_t>(static_cast<Math>(from));
            const auto high = static_cast<scalar_t>(static_cast<Math>(to));
            const auto range = static_cast<Math>(high - low);
            fill<scalar_t, UniformReal::For<scalar_t>>(iter, numbers, [&](Math drawn) {
                const auto value = static_cast<scalar_t>(std::fma(drawn, range, static_cast<Math>(low)));
                return value == high ? low : value;  // from (0, 1] to [0, 1)
            });
        });
    }
};

template <class>
struct NormalAround {
    void operator()(const at::TensorBase& self, double mean, double spread, const MaybeGenerator& generator) const {
        auto iter = at::TensorIterator::borrowing_nullary_op(self);
        fill_real<NormalReal>(iter, generator, [&](auto drawn) {
            using Math = decltype(drawn);
            return std::fma(drawn, static_cast<Math>(spread), static_cast<Math>(mean));
        });
    }
};

template <class>
struct LogNormal {
    void operator()(at::TensorIteratorBase& iter, double mean, double spread, const MaybeGenerator& generator) const {
        fill_real<NormalReal>(iter, generator, [&](auto drawn) {
            using Math = decltype(drawn);
            return std::exp(std::fma(drawn, static_cast<Math>(spread), static_cast<Math>(mean)));
        });
    }
};

template <class>
struct Exponential {
    void operator()(at::TensorIteratorBase& iter, double lambda, const MaybeGenerator& generator) const {
        fill_real<UniformReal>(iter, generator, [&](auto drawn) {
            using Math = decltype(drawn);
            constexpr Math least = std::numeric_limits<Math>::epsilon() / 2;  // the result is never 0
            return Math(-1) / static_cast<Math>(lambda) * (drawn >= 1 - least ? -least : std::log(drawn));
        });
    }
};

template <class>
struct Cauchy {
    void operator()(at::TensorIteratorBase& iter, double median, double sigma, const MaybeGenerator& generator) const {
        fill_real<UniformReal>(iter, generator, [&](auto drawn) {
            using Math = decltype(drawn);
            return at::transformation::cauchy<Math>(drawn, static_cast<Math>(median), static_cast<Math>(sigma));
        });
    }
};

template <class>
struct Geometric {
    void operator()(at::TensorIteratorBase& iter, double p, const MaybeGenerator& generator) const {
        auto& numbers = *at::check_generator<Numbers>(generator);
        AT_DISPATCH_ALL_TYPES_AND2(at::kHalf, at::kBFloat16, iter.dtype(), "geometric_", [&] {
            fill<scalar_t, UniformReal::For<scalar_t>>(iter, numbers, [&](auto drawn) {
                return static_cast<scalar_t>(at::transformation::geometric(drawn, static_cast<decltype(drawn)>(p)));
            });
        });
    }
};

template <class>
struct Bernoulli {
    void operator()(const Tensor& self, double p, const MaybeGenerator& generator) const {
        auto& numbers = *at::check_generator<Numbers>(generator);
        auto iter = at::TensorIterator::borrowing_nullary_op(self);
        AT_DISPATCH_ALL_TYPES_AND3(at::kHalf, at::kBFloat16, at::kBool, iter.dtype(), "bernoulli_", [&] {
            fill<scalar_t, UniformReal::For<scalar_t>>(iter, numbers, [&](auto drawn) {
                return static_cast<scalar_t>(drawn < static_cast<decltype(drawn)>(p));
            });
        });
    }
    void operator()(const Tensor& self, const Tensor& p, const MaybeGenerator& generator) const {
        const auto probabilities = p.to(self.scalar_type() == at::kDouble ? at::kDouble : at::kFloat);
        self.copy_(keep_with_probabilities(probabilities.expand(self.sizes()), *generator));
    }
};

// An operator with one or two numbers that fills its first argument.
template <auto* run>
Stack filled(const Stack& given, const at::Generator& numbers) {
    auto self = given[0].toTensor();
    if constexpr (std::is_invocable_v<decltype(run), Tensor&, double, MaybeGenerator>)
        return {run(self, given[1].toDouble(), numbers)};
    else return {run(self, given[1].toDouble(), given[2].toDouble(), numbers)};
}

// random_(), random_(to) and random_(from, to).
Stack random(const Stack& given, const at::Generator& numbers) {
    auto self = given[0].toTensor();
    if (given.size() == 2) return {templates::random_impl<Random, Numbers>(self, numbers)};
    const bool has_from = given.size() == 4;
    return {templates::random_from_to_impl<RandomBetween, Numbers>(
        self, has_from ? given[1].toInt() : 0, given[has_from ? 2 : 1].toOptional<std::int64_t>(), numbers)};
}

// normal(mean, std) where one of them or both are tensors, with or without `out`.
Stack normal(const Stack& given, const at::Generator& numbers) {
    const auto make = [&](const auto& mean, const auto& deviation) -> Stack {
        if (given.size() == 3) return {templates::normal_impl<NormalAround, Numbers>(mean, deviation, numbers)};
        auto out = given[3].toTensor();
        return {templates::normal_out_impl<NormalAround, Numbers>(out, mean, deviation, numbers)};
    };
    if (!given[0].isTensor()) return make(given[0].toDouble(), given[1].toTensor());
    if (!given[1].isTensor()) return make(given[0].toTensor(), given[1].toDouble());
    return make(given[0].toTensor(), given[1].toTensor());
}

Stack bernoulli(const Stack& given, const at::Generator& numbers) {
    auto self = given[0].toTensor();
    if (given[1].isTensor())
        return {templates::bernoulli_impl_<Bernoulli, Numbers>(self, given[1].toTensor(), numbers)};
    return {templates::bernoulli_impl_<Bernoulli, Numbers>(self, given[1].toDouble(), numbers)};
}

Stack bernoulli_out(const Stack& given, const at::Generator& numbers) {
    auto out = given[2].toTensor();
    return {templates::bernoulli_out_impl<Bernoulli, Numbers>(out, given[0].toTensor(), numbers)};
}

}  // namespace

void fill_with_keys(Tensor& keys, const at::Generator& numbers) {
    const bool is_long = keys.scalar_type() == at::kLong;
    using Long = std::numeric_limits<std::int64_t>;
    using Int = std::numeric_limits<std::int32_t>;
    templates::random_from_to_impl<RandomBetween, Numbers>(keys, is_long ? Long::min() : Int::min(),
                                                           is_long ? Long::max() : Int::max(), numbers);
}

Drawn drawn_as_on_gpu(const c10::OperatorName& name) {
    static const auto* const rows = new std::unordered_map<std::string, Drawn>{
        {"aten::uniform_", filled<templates::uniform_impl_<UniformBetween, Numbers>>},
        {"aten::normal_", filled<templates::normal_impl_<NormalAround, Numbers>>},
        {"aten::log_normal_", filled<templates::log_normal_impl_<LogNormal, Numbers>>},
        {"aten::cauchy_", filled<templates::cauchy_impl_<Cauchy, Numbers>>},
        {"aten::exponential_", filled<templates::exponential_impl_<Exponential, Numbers>>},
        {"aten::geometric_", filled<templates::geometric_impl_<Geometric, Numbers>>},
        {"aten::random_", random},
        {"aten::bernoulli_", bernoulli},
        {"aten::bernoulli", bernoulli_out},
        {"aten::normal", normal},
        {"aten::native_dropout", native_dropout},
        {"aten::_fused_dropout", fused_dropout},
        {"aten::randperm", random_permutation},
        {"aten::_efficient_attention_forward", efficient_attention_with_dropout},
        {"aten::_flash_attention_forward", flash_attention_with_dropout},
    };
    const auto found = rows->find(name.name);
    return found == rows->end() ? nullptr : found->second;
}

}  // namespace tocuda::computing
