// tocuda, Apache-2.0.
// Makes plain text of what people paste.
#pragma once

#include <string>

namespace tocuda::doctor {

// As UTF-8, without byte order marks, colours and other sequences of a terminal, typographic quotation marks and the
// bars around tracebacks; UTF-16 as PowerShell writes it and URL-encoded text are decoded. Lines keep their numbers.
std::string readable(std::string text);

}  // namespace tocuda::doctor
