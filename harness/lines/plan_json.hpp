// tocuda, Apache-2.0.
// The plan of a run line as JSON. Only files of this room include it.
#pragma once

#include "lines/dom.hpp"
#include "lines/json.hpp"
#include "model/plan.hpp"

namespace tocuda {
namespace json {

Json of_plan(const Plan& plan);

}  // namespace json
namespace dom {

// Throws Malformed for what no tocuda writes: numbers out of bounds, units without a sweep, anything twice.
Plan to_plan(const Fields& fields);

}  // namespace dom
}  // namespace tocuda
