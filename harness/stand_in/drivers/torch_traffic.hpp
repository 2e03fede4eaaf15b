// tocuda, Apache-2.0.
// What crosses the bus for common moves, as the recorder before the runtime sees it.
#pragma once

void print_traffic();
