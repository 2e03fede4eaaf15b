// tocuda, Apache-2.0.
// A scenario as `show` prints it: grouped, so that the whole of it stays on a screen.
#pragma once

#include <string>

#include "command/last_seen.hpp"
#include "command/paper.hpp"
#include "lines/documents.hpp"

namespace tocuda {

// What is printed of it. Who asks for a claim has read the claim above, and several scenarios that carry it are printed
// briefly.
enum class Detail { whole, one_claim, one_claim_of_several };

// Everything of it that concerns other claims is taken away.
void keep_claim(Scenario& scenario, const std::string& id);
void keep_claim(LastSeen& last, const std::string& id);

std::string claim_text(const Claim& claim, const Paper& paper);
std::string source_text(const std::string& claim, const Paper& paper);  // the document that makes it
std::string scenario_text(const Listed& listed, const LastSeen& last, Detail detail, const Paper& paper);

}  // namespace tocuda
