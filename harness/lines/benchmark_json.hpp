// tocuda, Apache-2.0.
// Scenarios, benchmarks, protocols, samples and rows as JSON, with the same fields in worker lines, result files and
// documents.
#pragma once

#include "lines/dom.hpp"
#include "lines/json.hpp"
#include "model/benchmark.hpp"
#include "model/measurement.hpp"
#include "model/scenario.hpp"

namespace tocuda {
namespace json {

Json of_benchmark(const Benchmark& benchmark);
Json of_parameters(const Parameters& parameters);
Json of_protocol(const Protocol& protocol);
// Appends the fields of the samples to the object, starting with `parameters`.
void add_samples(Json& object, const Samples& samples);
Json of_needs(const Needs& needs);
Json of_difference(const Difference& difference);
Json of_scenario(const Scenario& scenario);
Json of_environment(const Environment& environment);

}  // namespace json
namespace dom {

Benchmark to_benchmark(const Fields& fields);
Parameters to_parameters(const Fields& fields);
Protocol to_protocol(const Fields& fields);  // missing fields keep their defaults
Samples to_samples(const Fields& fields);
MeasurementRow to_measurement(const Fields& fields);
Needs to_needs(const Fields& fields);
Scenario to_scenario(const Fields& fields);
Environment to_environment(const Fields& fields);

}  // namespace dom
}  // namespace tocuda
