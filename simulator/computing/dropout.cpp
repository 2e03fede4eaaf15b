// tocuda, Apache-2.0.
// Draws that LibTorch's CUDA sources do with kernels of their own: dropout, probabilities in a tensor, permutations.
#include <ATen/ATen.h>
#include <ATen/Parallel.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "computing/drawing_operators.hpp"
#include "computing/numbers.hpp"

namespace tocuda::computing {
namespace {

using at::Tensor;
using torch::jit::Stack;

constexpr std::int64_t grain = 4096;

// How many neighbouring elements a thread of the dropout kernel handles at once: as many as 16 bytes hold, if the
// address and the number of elements allow it.
std::uint64_t elements_at_once(const Tensor& input) {
    if (!input.is_non_overlapping_and_dense()) return 1;
    const auto size = input.itemsize();
    const auto address = reinterpret_cast<std::uintptr_t>(input.const_data_ptr());
    auto at_once = 16 / size;
    while (at_once > 1 && (address % (at_once * size) != 0 || static_cast<std::size_t>(input.numel()) % at_once != 0))
        at_once /= 2;
    return at_once;
}

// Whether an element is kept, by the probability of that.
Tensor dropout_mask(const Tensor& input, double probability, at::ScalarType type, const at::Generator& generator) {
    auto& numbers = *at::check_generator<Numbers>(generator);
    const auto count = static_cast<std::uint64_t>(input.numel());
    const auto threads = numbers.threads_for(count);
    const Philox philox = numbers.take(((count - 1) / (threads * 4) + 1) * 4);
    const bool is_double = input.scalar_type() == at::kDouble;
    const double limit = is_double ? probability : static_cast<double>(static_cast<float>(probability));
    const auto at_once = elements_at_once(input);
    // Elements are counted as they lie in memory if a thread handles several, otherwise by their indices.
    Tensor mask = at::empty_like(input, input.options().dtype(type));
    Tensor kept = at_once > 1 ? mask : at::empty(input.sizes(), mask.options());
    auto* const out = static_cast<std::uint8_t*>(kept.data_ptr());
    at::parallel_for(0, input.numel() / static_cast<std::int64_t>(at_once), grain, [&](auto begin, auto end) {
        for (auto group = static_cast<std::uint64_t>(begin); group < static_cast<std::uint64_t>(end); ++group) {
            const auto thread = group % threads, turn = group / threads;
            for (std::uint64_t i = 0; i < at_once; i += 4) {
                const FourWords words = philox(thread, at_once > 1 ? turn * ((at_once + 3) / 4) + i / 4 : turn / 4);
                for (std::uint64_t k = 0; k < std::min<std::uint64_t>(at_once, 4); ++k)
                    out[group * at_once + i + k] = Uniform::one(words[at_once > 1 ? k : turn % 4]) < limit ? 1 : 0;
            }
        }
    });
    return at_once > 1 ? mask : mask.copy_(kept);
}

Stack dropped(const Tensor& input, double kept, at::ScalarType mask_type, const at::Generator& numbers) {
    if (input.numel() == 0) return {input.clone(), at::empty_like(input, input.options().dtype(mask_type))};
    const auto mask = dropout_mask(input, kept, mask_type, numbers);
    const bool is_double = input.scalar_type() == at::kDouble;
    const double scale = is_double ? 1 / kept : static_cast<float>(1 / static_cast<double>(static_cast<float>(kept)));
    const auto type = is_double ? at::kDouble : at::kFloat;
    return {(input.to(type) * mask * scale).to(input.scalar_type()), mask};
}

// How many bits of a key keep two of n keys from being equal nine times out of ten.
int key_bits(std::int64_t n) {
    const auto keys = static_cast<double>(n);
    return std::min(64, static_cast<int>(std::ceil(std::log2(keys - (6 * keys * keys + 1) / (std::log(0.9) * 12)))));
}

// The keys in the order in which they are sorted: only the lowest bits count, and a whole key has a sign.
std::vector<std::uint64_t> random_keys(std::int64_t n, int bits, const at::Generator& numbers) {
    const int width = bits <= 32 ? 32 : 64;
    Tensor keys = at::empty({n}, width == 32 ? at::kInt : at::kLong);
    fill_with_keys(keys, numbers);
    const Tensor wide = keys.to(at::kLong);
    const auto* const first = reinterpret_cast<const std::uint64_t*>(wide.const_data_ptr<std::int64_t>());
    const std::uint64_t lowest = bits == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1;
    const std::uint64_t sign = std::uint64_t{1} << (width - 1);
    std::vector<std::uint64_t> sortable(first, first + n);
    for (auto& key : sortable) key = (key ^ sign) & lowest;
    return sortable;
}

// Each run of equal keys is shuffled by the thread of its first element.
void shuffle_equals(const std::vector<std::uint64_t>& keys, std::vector<std::int64_t>& order, const Philox& philox) {
    const std::size_t n = order.size();
    for (std::size_t begin = 0, end = 0; begin < n; begin = end) {
        while (end < n && keys[static_cast<std::size_t>(order[end])] == keys[static_cast<std::size_t>(order[begin])])
            ++end;
        for (std::size_t i = end - begin - 1, drawn = 0; i > 0; --i, ++drawn)
            std::swap(order[begin + i], order[begin + philox.word(begin, drawn) % (i + 1)]);
    }
}

}  // namespace

Tensor keep_with_probabilities(const Tensor& probabilities, const at::Generator& numbers) {
    const Philox philox = at::check_generator<Numbers>(numbers)->take(10);
    const Tensor limits = probabilities.to(at::kDouble).contiguous();
    Tensor kept = at::empty(limits.sizes(), at::kBool);
    const auto* const limit = limits.const_data_ptr<double>();
    auto* const out = kept.data_ptr<bool>();
    at::parallel_for(0, limits.numel(), grain, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin; i < end; ++i) {
            const auto index = static_cast<std::uint64_t>(i);
            TORCH_CHECK_INDEX(limit[i] >= 0 && limit[i] <= 1, "a probability is ", limit[i]);
            out[i] = Uniform::one(philox.word(index / 4, index % 4)) <= limit[i];
        }
    });
    return kept;
}

Stack native_dropout(const Stack& given, const at::Generator& numbers) {
    return dropped(given[0].toTensor(), 1 - given[1].toDouble(), at::kBool, numbers);
}

Stack fused_dropout(const Stack& given, const at::Generator& numbers) {
    return dropped(given[0].toTensor(), given[1].toDouble(), at::kByte, numbers);
}

Stack random_permutation(const Stack& given, const at::Generator& numbers) {
    const std::int64_t n = given[0].toInt();
    auto out = given[2].toTensor();
    if (n == 0) return {out};
    const auto keys = random_keys(n, key_bits(n), numbers);
    const Philox philox = at::check_generator<Numbers>(numbers)->take(static_cast<std::uint64_t>(n));
    std::vector<std::int64_t> order(keys.size());
    std::iota(order.begin(), order.end(), 0);
    const auto key_of = [&](std::int64_t i) { return keys[static_cast<std::size_t>(i)]; };
    std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return key_of(a) < key_of(b); });
    shuffle_equals(keys, order, philox);
    out.copy_(at::from_blob(order.data(), {n}, at::kLong));
    return {out};
}

}  // namespace tocuda::computing
