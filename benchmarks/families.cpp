// tocuda, Apache-2.0.
// What the benchmarks of a folder share: when they are measured, and where scripts/plot draws them. The order is that
// in which people usually want the answers: first the speed of GPU memory, then transfers to and from it, and last what
// happens once per program. LibTorch's family is in framework/.
#include "measurement/registered_benchmark.hpp"

namespace tocuda::benchmarks::families {
namespace {

const RegisteredFamily copies{
    {.folder = "copy/device_to_device",
     .group = {.order = 0},
     .role = {.pictures = {"memory-against-peak"}, .heading = "copy in the GPU", .touched = true}}};
const RegisteredFamily memory{
    {.folder = "memory", .group = {.order = 1}, .role = {.pictures = {"memory-against-peak"}, .touched = true}}};
const RegisteredFamily stream{{.folder = "stream",
                               .group = {.order = 2},
                               .role = {.question = "How fast is the GPU's memory, as BabelStream times it",
                                        .campaign = "arithmetic",
                                        .touched = true}}};
const RegisteredFamily curve{
    {.folder = "curve",
     .group = {.order = 3},
     .role = {.pictures = {"bandwidth-by-working-set"}, .working_set = true, .touched = true}}};
const RegisteredFamily atomics{
    {.folder = "atomics",
     .group = {.order = 4},
     .role = {.pictures = {"operations-a-second"}, .heading = "atomic operations", .campaign = "arithmetic"}}};
const RegisteredFamily arithmetic{{.folder = "arithmetic",
                                   .group = {.order = 5},
                                   .role = {.pictures = {"operations-a-second"},
                                            .heading = "arithmetic, in registers and on memory (roofline)",
                                            .campaign = "arithmetic",
                                            .unlike = true}}};
const RegisteredFamily to_the_gpu{
    {.folder = "copy/host_to_device",
     .group = {.order = 6},
     .role = {
         .pictures = {"bandwidth-by-size", "mechanisms-at-one-size"}, .heading = "to the GPU", .over_link = true}}};
const RegisteredFamily to_the_host{
    {.folder = "copy/device_to_host",
     .group = {.order = 7},
     .role = {
         .pictures = {"bandwidth-by-size", "mechanisms-at-one-size"}, .heading = "to the host", .over_link = true}}};
const RegisteredFamily both_ways{
    {.folder = "copy/both_ways",
     .group = {.order = 8},
     .role = {.pictures = {"mechanisms-at-one-size"}, .heading = "both ways at once", .over_link = true}}};
const RegisteredFamily pairs{{.folder = "pairs",
                              .group = {.order = 9},
                              .role = {.pictures = {"copies-between-gpus"},
                                       .heading = "several GPUs at once",
                                       .campaign = "pairs",
                                       .unlike = true,
                                       .slowest = true}}};
const RegisteredFamily collectives{
    {.folder = "collectives",
     .group = {.order = 10},
     .role = {.campaign = "pairs", .collective = true, .unlike = true, .touched = true}}};
const RegisteredFamily latency{{.folder = "latency", .group = {.order = 11}}};
const RegisteredFamily calls{
    {.folder = "calls", .group = {.order = 12}, .role = {.pictures = {"calls"}, .compared = {"*"}}}};
const RegisteredFamily load{
    {.folder = "load",
     .group = {.order = 13},
     .role = {.pictures = {"files"}, .heading = "loading", .compared = {"cache", "order"}, .campaign = "loading"}}};
// LibTorch's family has the place 14.
const RegisteredFamily convert_to_the_gpu{{.folder = "convert/host_to_device",
                                           .group = {"convert", 15},
                                           .role = {.pictures = {"conversion"}, .heading = "converting, to the GPU"}}};
const RegisteredFamily convert_in_the_gpu{
    {.folder = "convert/device",
     .group = {"convert", 15},
     .role = {.heading = "converting, in the GPU", .question = "How fast are numbers converted in the GPU"}}};
const RegisteredFamily within_the_host{
    {.folder = "copy/host_to_host",
     .group = {.order = 16},
     .role = {.heading = "in the host", .question = "How fast is a copy in the host's memory", .campaign = "links"}}};
const RegisteredFamily allocate{
    {.folder = "allocate", .group = {.order = 17}, .role = {.pictures = {"before-the-first-byte"}}}};
const RegisteredFamily start{
    {.folder = "start", .group = {.order = 18}, .role = {.pictures = {"before-the-first-byte"}, .campaign = "cold"}}};
// After all others.
const RegisteredFamily busy{{.folder = "busy",
                             .role = {.question = "How fast are copies while something else runs beside them",
                                      .campaign = "busy",
                                      .each_row = true}}};
const RegisteredFamily coherent{
    {.folder = "coherent", .role = {.question = "How fast does the GPU copy memory from malloc", .campaign = "kinds"}}};
const RegisteredFamily host{
    {.folder = "host", .role = {.heading = "by the host's processors", .campaign = "host", .touched = true}}};
const RegisteredFamily save{
    {.folder = "save",
     .role = {.pictures = {"files"}, .heading = "saving", .compared = {"cache", "order"}, .campaign = "loading"}}};
const RegisteredFamily sustained{{.folder = "sustained", .role = {.pictures = {"course-of-a-minute"}}}};

}  // namespace
}  // namespace tocuda::benchmarks::families
