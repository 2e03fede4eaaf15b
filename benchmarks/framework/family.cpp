// tocuda, Apache-2.0.
// What the benchmarks through LibTorch share.
#include "measurement/registered_benchmark.hpp"

namespace tocuda::framework::family {
namespace {

const RegisteredFamily framework{
    {.folder = "framework",
     .group = {.order = 14},
     .role = {.pictures = {"libtorch-tax"}, .heading = "LibTorch", .compared = {"cache", "order"}, .libtorch = true}}};

}  // namespace
}  // namespace tocuda::framework::family
