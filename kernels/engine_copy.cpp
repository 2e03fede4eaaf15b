// tocuda, Apache-2.0.
// The standard copy: cudaMemcpyAsync from device to device.
#include "kernels/kernel.hpp"

namespace tocuda::kernels::engine_copy {
namespace {

const RegisteredKernel registered{
    {.name = "copy/device_to_device/engine",
     .summary = "copy within the memory of one GPU by cudaMemcpyAsync",
     .role = {.sheet = {{.order = 11,
                         .section = "GPU memory",
                         .words = "copy by cudaMemcpyAsync, read and written",
                         .having = "cache=resident",
                         .figure = "memory_bytes_per_second",
                         .touched = true}},
              .characterise = {"bytes=1GiB"},
              .headline = headline::other_copy,
              .campaign = "rounds",
              .peers = {"nvbandwidth device_local_copy"}},
     .parameters = {{"bytes", headline_bytes()}, {"cache", {"resident"}}},
     .quick = {{"bytes", {std::int64_t{1} << 30}}},
     .full = {{"cache", {"resident", "cold"}}},
     .operation = [](const Setting& setting) -> Operation {
         return [bytes = setting.bytes()](const Stream& stream, const Arrays& arrays) {
             require("cudaMemcpyAsync",
                     cudaMemcpyAsync(arrays[0], arrays[1], bytes, cudaMemcpyDeviceToDevice, stream.get()));
         };
     }}};

}  // namespace
}  // namespace tocuda::kernels::engine_copy
