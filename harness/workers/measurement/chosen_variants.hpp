// tocuda, Apache-2.0.
// The table of the variants to use if none is requested. `scripts/choose_best FILE --write` updates an entry from a
// result file of the benchmarks that tune; no number here is edited by hand.
#pragma once

#include <array>
#include <string_view>

namespace tocuda {

// An entry applies to GPUs of this compute capability and above, up to the next entry of the same operation.
struct ChosenVariant {
    int capability;              // 90 is 9.0
    std::string_view operation;  // the operation to perform
    std::string_view variant;    // the last part of the name of the benchmark that measures it
    std::string_view parameters;
    std::string_view source;  // the last run in results/ that says so, or a note that there is none
};

// One entry per line, because the script reads and writes them.
inline constexpr std::array chosen_variants{
    // clang-format off
    ChosenVariant{75, "copy", "unrolled", "hint=streaming in_flight=8 threads=256 width=16", "not measured"},
    ChosenVariant{90, "copy", "unrolled", "hint=streaming in_flight=12 threads=256 width=16", "run ea3f9968"},
    ChosenVariant{120, "copy", "unrolled", "hint=streaming in_flight=8 threads=256 width=16", "not measured"},
    ChosenVariant{75, "copy_cached", "unrolled", "hint=plain in_flight=8 threads=256 width=16", "not measured"},
    ChosenVariant{75, "copy_small", "unrolled", "hint=plain in_flight=1 threads=256 width=16", "not measured"},
    ChosenVariant{75, "peer_copy", "unrolled", "hint=streaming in_flight=8 threads=256 width=16", "not measured"},
    ChosenVariant{90, "peer_copy", "unrolled", "hint=streaming in_flight=12 threads=256 width=16", "not measured"},
    ChosenVariant{75, "staged_to_gpu", "staged", "chunk=0 ring=4 threads=0 wait=yield", "not measured"},
    ChosenVariant{90, "staged_to_gpu", "staged", "chunk=0 ring=8 threads=0 wait=yield", "run 6d4f0c3a"},
    ChosenVariant{75, "staged_to_host", "staged", "chunk=0 ring=4 threads=0 wait=yield", "not measured"},
    ChosenVariant{90, "staged_to_host", "staged", "chunk=0 ring=8 threads=0 wait=yield", "run b288295e"},
    ChosenVariant{75, "triad", "triad_vectors", "hint=plain in_flight=4 tiles=1 width=16", "not measured"},
    ChosenVariant{90, "triad", "triad_vectors", "hint=streaming_store in_flight=1 tiles=1 width=16", "run 6d4f0c3a"},
    ChosenVariant{120, "triad", "triad_vectors", "hint=plain in_flight=4 tiles=1 width=16", "not measured"},
    ChosenVariant{75, "triad_small", "triad_vectors", "hint=plain in_flight=1 tiles=1 width=16", "not measured"},
    // clang-format on
};

}  // namespace tocuda
