// tocuda, Apache-2.0.
#include <fmt/core.h>

#include <algorithm>

#include "execution/recorded_run.hpp"
#include "execution/recording.hpp"
#include "execution/run_work.hpp"
#include "json_lines/lines.hpp"
#include "machine/session.hpp"
#include "terminal/complaint.hpp"

namespace tocuda {
namespace {

// What a run goes by: the file that it resumes, the plan that it repeats, or else what its patterns select.
struct Course {
    std::optional<FoundRun> before{};
    const Plan* again = nullptr;
    std::vector<Selected> selected{};
};

OrExit<Course> course_of(const RunRequest& request, const Catalogue& catalogue, const Plan* again) {
    if (!request.resume.empty()) {
        auto found = last_run_of(request.resume, "run");
        if (!found) return tl::unexpected(found.error());
        return Course{.before = std::move(*found)};
    }
    if (again) return Course{.again = again};
    auto selected = select(catalogue, request.patterns);
    if (!selected) return refuse(usage, selected.error().what);
    if (selected->empty())
        return refuse(nothing_done, "no worker has a scenario; `tocuda list` shows what was not built");
    return Course{.selected = std::move(*selected)};
}

Where where_of(const RunRequest& request, const Course& course) {
    if (course.before) return resumed_where(request.where, course.before->plan->where);
    return course.again ? course.again->where : request.where;
}

// Returns the steps of a recorded plan: as planned there, or for the GPUs of this place if `anew`.
OrExit<std::vector<Step>> planned_steps(const Plan& plan, const Catalogue& catalogue, const Place& place, bool anew,
                                        const std::string& file) {
    auto found = steps_of(plan, catalogue, anew ? &place.available : nullptr);
    const auto missing = missing_text(file, found.missing);
    if (!missing.empty() && (!anew || found.steps.empty())) return refuse(nothing_done, missing);
    if (!missing.empty()) complain("tocuda: " + missing);
    return std::move(found.steps);
}

OrExit<std::vector<Step>> steps_of(const RunRequest& request, const Course& course, const Catalogue& catalogue,
                                   const Place& place) {
    if (course.again) return planned_steps(*course.again, catalogue, place, true, "the plan");
    if (!course.before) return plan(course.selected, place.available);
    if (const auto why = why_not_resumable(*course.before, place); !why.empty())
        return refuse(nothing_done, "cannot resume " + request.resume + ": " + why);
    return planned_steps(*course.before->plan, catalogue, place, false, request.resume);
}

Plan plan_of(const RunRequest& request, const Place& place, const std::vector<Step>& steps) {
    Plan plan{.where = place.where, .child_seconds = request.seconds};
    if (const auto visible = place.visible(place.chosen)) plan.variables["CUDA_VISIBLE_DEVICES"] = *visible;
    const auto first = place.visible({place.first()});
    for (const auto& step : steps) {
        auto& variant = plan.variants.emplace_back(planned(step));
        if (first && sees_one_gpu(step)) variant.variables["CUDA_VISIBLE_DEVICES"] = first;
    }
    return plan;
}

bool is_done(const Step& step, const std::vector<Row>& rows) {
    return std::ranges::any_of(rows, [&](const Row& row) {
        return row.name == step.what.scenario->name && row.variant == step.variant->name;
    });
}

void run_steps(const RunRequest& request, const Place& place, const Plan& plan, std::vector<Step> steps,
               RunRecording& recording) {
    auto file = open_file(request, recording.run);
    recording.file = file.path().string();
    Engine engine(engine_settings(request, place, plan));
    const HeldDevices held(place.available.device == Device::real ? "/dev" : "");
    RunWork work(
        std::move(steps), engine,
        {request.jobs, plan.child_seconds, place.visible(place.chosen), place.visible({place.first()}), place.usable()},
        [&](const Row& row) {
            file.append(to_line(row));
            recording.rows.push_back(row);
        });
    recording.stopped = run_into(file, engine, work, "`tocuda run --resume " + recording.file + "` runs the rest");
}

}  // namespace

Where resumed_where(const Where& asked, const Where& planned) {
    const bool says_where = asked.real || !asked.simulate.empty();
    return {says_where ? asked.simulate : planned.simulate, says_where ? asked.real : planned.real,
            asked.gpus.empty() ? planned.gpus : asked.gpus};
}

OrExit<RunRecording> record_run(const RunRequest& request, const Catalogue& catalogue, const Plan* again) {
    const auto course = course_of(request, catalogue, again);
    if (!course) return tl::unexpected(course.error());
    if (const auto refused = why_not_recorded(request)) return tl::unexpected(*refused);
    const auto place = place_of(where_of(request, *course), WithoutGpu::simulate, catalogue, request.quiet,
                                request.shared ? UsedGpus::take : UsedGpus::leave);
    if (!place) return tl::unexpected(place.error());
    auto steps = steps_of(request, *course, catalogue, *place);
    if (!steps) return tl::unexpected(steps.error());
    if (again && prints(request)) {
        fmt::print("{}\n\n", where_it_runs(*place));
        std::fflush(stdout);
    }
    const auto* before = course->before ? &*course->before : nullptr;
    const auto plan = plan_of(request, *place, *steps);
    RunRecording recording;
    recording.run = run_line_of(request, *place, "run", plan, before);
    if (before) recording.rows = before->rows();
    std::erase_if(*steps, [&](const Step& step) { return is_done(step, recording.rows); });
    if (before && steps->empty()) complain("tocuda: nothing was missing from " + request.resume);
    if (before && before->ended() && steps->empty()) {
        recording.file = request.resume;
        recording.run = before->last();
    } else {
        run_steps(request, *place, plan, std::move(*steps), recording);
    }
    leave(*place);
    return recording;
}

}  // namespace tocuda
