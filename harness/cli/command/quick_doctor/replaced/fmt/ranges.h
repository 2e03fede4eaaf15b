// tocuda, Apache-2.0.
#pragma once

#include <fmt/core.h>
