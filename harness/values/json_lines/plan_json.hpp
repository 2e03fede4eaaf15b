// tocuda, Apache-2.0.
// The plan of a run line as JSON. Only files of this room include it.
#pragma once

#include "json_lines/fields.hpp"
#include "model/plan.hpp"

namespace tocuda {

void fields(json::Writer& io, const Plan& plan);
// Throws Malformed for what no tocuda writes: numbers out of bounds, units without a sweep, anything twice.
void fields(dom::Reader& io, Plan& plan);

}  // namespace tocuda
