// tocuda, Apache-2.0.
// A scenario's description as JSON, with the same fields in `describe` and in the document of `list`.
#pragma once

#include "lines/json.hpp"
#include "model/scenario.hpp"

namespace tocuda::json {

Json of_needs(const Needs& needs);
Json of_difference(const Difference& difference);
Json of_scenario(const Scenario& scenario);
Needs to_needs(const Json& object);
Scenario to_scenario(const Json& object);

}  // namespace tocuda::json
