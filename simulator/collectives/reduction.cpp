// tocuda, Apache-2.0.
#include "collectives/reduction.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

namespace tocuda::simulator {
namespace {

// A floating-point type with fewer than 32 bits: its bits, and float as what is computed with.
template <typename Bits, int exponent_bits, int mantissa_bits, bool has_infinity>
struct Small {
    using Computed = float;
    static constexpr int bias = (1 << (exponent_bits - 1)) - 1;
    static constexpr unsigned top = (1U << exponent_bits) - 1;
    static constexpr unsigned not_a_number = (top << mantissa_bits) | ((1U << mantissa_bits) - 1);
    static constexpr unsigned infinity = has_infinity ? top << mantissa_bits : not_a_number;

    Bits bits;

    float value() const {
        const unsigned magnitude = bits & ((1U << (exponent_bits + mantissa_bits)) - 1);
        const unsigned exponent = magnitude >> mantissa_bits;
        const auto mantissa = static_cast<float>(magnitude & ((1U << mantissa_bits) - 1));
        const bool negative = (bits >> (exponent_bits + mantissa_bits)) != 0;
        float result = 0;
        if (has_infinity && magnitude == infinity) result = std::numeric_limits<float>::infinity();
        else if ((has_infinity && exponent == top) || magnitude == not_a_number)
            result = std::numeric_limits<float>::quiet_NaN();
        else if (exponent == 0) result = std::ldexp(mantissa, 1 - bias - mantissa_bits);
        else result = std::ldexp(mantissa + (1U << mantissa_bits), static_cast<int>(exponent) - bias - mantissa_bits);
        return negative ? -result : result;
    }
    static Small of(float value) {
        const unsigned sign = std::signbit(value) ? 1U << (exponent_bits + mantissa_bits) : 0;
        return {static_cast<Bits>(sign | magnitude_of(std::fabs(value)))};
    }

private:
    // Rounds to the nearest, ties to even.
    static unsigned magnitude_of(float value) {
        if (std::isnan(value)) return not_a_number;
        if (std::isinf(value)) return infinity;
        if (value == 0) return 0;
        const int exponent = std::max(std::ilogb(value), 1 - bias);
        const auto steps = static_cast<unsigned>(std::nearbyint(std::ldexp(value, mantissa_bits - exponent)));
        // The exponent is added, so a mantissa that was rounded up carries into it.
        const unsigned magnitude = (static_cast<unsigned>(exponent + bias - 1) << mantissa_bits) + steps;
        return exponent + bias > static_cast<int>(top) ? infinity : std::min(magnitude, infinity);
    }
};

using Half = Small<std::uint16_t, 5, 10, true>;
using BrainFloat = Small<std::uint16_t, 8, 7, true>;
using Float8E4M3 = Small<std::uint8_t, 4, 3, false>;
using Float8E5M2 = Small<std::uint8_t, 5, 2, true>;

template <typename Value>
struct Plain {
    using Computed = Value;
    Value bits;
    Value value() const { return bits; }
    static Plain of(Value value) { return {value}; }
};

template <typename Value>
Value combined(ncclRedOp_t operation, Value one, Value other) {
    switch (operation) {
        case ncclProd:
            return static_cast<Value>(one * other);
        case ncclMax:
            return std::max(one, other);
        case ncclMin:
            return std::min(one, other);
        default:
            return static_cast<Value>(one + other);
    }
}

template <typename Number>
void reduce_as(ncclRedOp_t operation, const std::vector<const void*>& sources, std::size_t count, void* result) {
    using Computed = typename Number::Computed;
    auto* into = static_cast<Number*>(result);
    for (std::size_t i = 0; i < count; ++i) {
        Computed all = static_cast<const Number*>(sources.front())[i].value();
        for (std::size_t rank = 1; rank < sources.size(); ++rank)
            all = combined(operation, all, static_cast<const Number*>(sources[rank])[i].value());
        if (operation == ncclAvg) all = static_cast<Computed>(all / static_cast<Computed>(sources.size()));
        into[i] = Number::of(all);
    }
}

template <typename Number>
void scale_as(const void* factor, const void* source, std::size_t count, void* result) {
    const auto by = static_cast<const Number*>(factor)->value();
    for (std::size_t i = 0; i < count; ++i) {
        const auto value = static_cast<const Number*>(source)[i].value();
        static_cast<Number*>(result)[i] = Number::of(static_cast<typename Number::Computed>(value * by));
    }
}

// Calls the body with a null pointer of the type's class.
template <typename Body>
void with_type(ncclDataType_t type, Body&& body) {
    switch (static_cast<int>(type)) {
        case ncclInt8:
            return body(static_cast<Plain<std::int8_t>*>(nullptr));
        case ncclUint8:
            return body(static_cast<Plain<std::uint8_t>*>(nullptr));
        case ncclInt32:
            return body(static_cast<Plain<std::int32_t>*>(nullptr));
        case ncclUint32:
            return body(static_cast<Plain<std::uint32_t>*>(nullptr));
        case ncclInt64:
            return body(static_cast<Plain<std::int64_t>*>(nullptr));
        case ncclUint64:
            return body(static_cast<Plain<std::uint64_t>*>(nullptr));
        case ncclFloat16:
            return body(static_cast<Half*>(nullptr));
        case ncclFloat32:
            return body(static_cast<Plain<float>*>(nullptr));
        case ncclFloat64:
            return body(static_cast<Plain<double>*>(nullptr));
        case ncclBfloat16:
            return body(static_cast<BrainFloat*>(nullptr));
        case ncclFloat8e4m3:
            return body(static_cast<Float8E4M3*>(nullptr));
        case ncclFloat8e5m2:
            return body(static_cast<Float8E5M2*>(nullptr));
        default:
            return;
    }
}

}  // namespace

std::size_t bytes_of(ncclDataType_t type) {
    std::size_t bytes = 0;
    with_type(type, [&]<typename Number>(Number*) { bytes = sizeof(Number); });
    return bytes;
}

void reduce(ncclDataType_t type, ncclRedOp_t operation, const std::vector<const void*>& sources, std::size_t count,
            void* result) {
    with_type(type, [&]<typename Number>(Number*) { reduce_as<Number>(operation, sources, count, result); });
}

void scale(ncclDataType_t type, const void* factor, const void* source, std::size_t count, void* result) {
    with_type(type, [&]<typename Number>(Number*) { scale_as<Number>(factor, source, count, result); });
}

}  // namespace tocuda::simulator
