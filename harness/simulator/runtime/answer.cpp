// tocuda, Apache-2.0.
// The fault that makes a call hang.
#include "runtime/answer.hpp"

#include <unistd.h>

namespace tocuda::simulator {

void hang_for_ever() {
    while (true) ::pause();
}

}  // namespace tocuda::simulator
