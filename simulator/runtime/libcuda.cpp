// tocuda, Apache-2.0.
// The simulated driver library holds only its name: its functions are in the runtime that it links to, which holds
// their state.
extern "C" const int tocuda_simulated_driver = 1;
