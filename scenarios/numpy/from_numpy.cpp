// tocuda, Apache-2.0.
// Wraps memory that came from elsewhere, as NumPy's does. The tensor shares that memory, keeps its strides, and differs
// from a tensor made in PyTorch only in its dtype. It arrives intact on a GPU, row-major or column-major, and is used
// there as it is: no call converts its layout.
#include <ATen/ATen.h>

#include <array>
#include <numeric>

#include "libtorch/attempt.hpp"
#include "worker/registered.hpp"

namespace tocuda::numpy::from_numpy {
namespace {

void observe_move(Observer& see, const std::string& name, const at::Tensor& source) {
    auto moved = source;
    const auto tried = tocuda::attempt([&] { moved = source.to(at::kCUDA); });
    say(see, name + ".move", tried);
    if (tried.threw) return;
    see(name + ".device", tocuda::text(moved.device()));
    see(name + ".strides_kept", moved.strides() == source.strides());
    see.computed_by_gpu(name + ".equal", at::equal(moved.to(at::kCPU), source));
    at::Tensor sum;
    say(see, name + ".add", tocuda::attempt([&] { sum = moved + moved.t(); }));
    see(name + ".sum.device", sum.defined() ? tocuda::text(sum.device()) : "");
}

void observe(Observer& see) {
    std::array<double, 100> memory{};
    std::iota(memory.begin(), memory.end(), 0.5);
    const auto rows = at::from_blob(memory.data(), {10, 10}, at::kDouble);
    const auto columns = at::from_blob(memory.data(), {10, 10}, {1, 10}, at::kDouble);
    memory[11] = -1;
    see("shares_memory", rows[1][1].item<double>() == -1 && columns[1][1].item<double>() == -1);
    see("dtype", tocuda::text(rows.scalar_type()));
    see("layout", tocuda::text(rows.layout()));
    see("default_dtype", tocuda::text(at::randn({2}).scalar_type()));
    see("columns.is_a_view_with_strides",
        columns.strides() == at::IntArrayRef({1, 10}) && at::equal(columns, rows.t()));
    const bool moves = see.variant() != "cpu";
    see("moves", moves);
    if (!moves) return;
    say(see, "own.move", tocuda::attempt([] { at::ones({10, 10}, at::kDouble).to(at::kCUDA); }));
    observe_move(see, "rows", rows);
    observe_move(see, "columns", columns);
}

void judge_move(const Evidence& evidence, Judgement& say) {
    for (const std::string name : {"rows", "columns"}) {
        if (evidence.flag(name + ".move.threw")) {
            tocuda::require_control(evidence, "own.move", "moving LibTorch's own tensor");
            say.reproduced("002-E3",
                           "moving the array's " + name + " throws " + tocuda::error_name(evidence, name + ".move"));
            return;
        }
        if (!evidence.text(name + ".device").starts_with("cuda") || !evidence.flag(name + ".equal") ||
            !evidence.flag(name + ".strides_kept"))
            return;
    }
    say.refuted("002-E3", "row- and column-major arrays arrive equal, strides kept");
    for (const std::string name : {"rows", "columns"}) {
        if (evidence.flag(name + ".add.threw")) {
            if (!evidence.text(name + ".add.type").ends_with("NotImplementedError"))
                throw tocuda::Undecided("adding fails for another reason: " +
                                        tocuda::error_name(evidence, name + ".add"));
            return say.refuted("002-16",
                               "adding the array's " + name + " throws " + tocuda::error_name(evidence, name + ".add"));
        }
        if (!evidence.text(name + ".sum.device").starts_with("cuda")) return;
    }
    say.reproduced("002-16", "both layouts keep their strides, and are added on the GPU unconverted");
}

void judge(const Evidence& evidence, Judgement& say) {
    if (evidence.flag("moves")) return judge_move(evidence, say);
    if (evidence.flag("columns.is_a_view_with_strides") && evidence.text("layout") == "Strided")
        say.reproduced("002-08", "row- and column-major memory become ordinary strided tensors");
    if (evidence.flag("shares_memory") && evidence.text("dtype") == "Double" && evidence.text("layout") == "Strided")
        say.refuted("002-E3",
                    "the tensor shares the array's memory; its dtype is Double, not " + evidence.text("default_dtype"));
}

const Registered from_numpy{{
    .summary = "wrap memory as NumPy lays it out, row- and column-major, and move it",
    .observed =
        "address, strides and dtype of row- and column-major tensors over foreign memory, their moves beside that "
        "of LibTorch's own tensor, and a sum of both layouts there",
    .decisive = "shared memory, kept strides and equal values make it false; an exception counts only if LibTorch's "
                "own tensor moves",
    .claims = {{"002-08", "row-major and special layouts exist"},
               {"002-16", "frameworks handle layouts themselves"},
               {"002-E3", "a tensor from NumPy is risky to move"}},
    .variants = {{.name = "cpu", .expected = {{"002-08", reproduced}, {"002-E3", refuted}}},
                 {.name = "moved",
                  .needs = tocuda::Needs{.gpus = 1},
                  .expected = {{"002-16", reproduced}, {"002-E3", refuted}}}},
    .observe = observe,
    .judge = judge,
}};

}  // namespace
}  // namespace tocuda::numpy::from_numpy
