// tocuda, Apache-2.0.
// Prints what crosses the bus for common copies of tensors, as the recorder counts it.
#pragma once

void print_traffic();
