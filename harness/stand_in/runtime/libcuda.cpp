// tocuda, Apache-2.0.
// The simulated driver library is a name only: its functions are found in the runtime that it needs, which holds their
// state.
extern "C" const int tocuda_simulated_driver = 1;
