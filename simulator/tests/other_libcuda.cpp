// tocuda, Apache-2.0.
// A simulated libcuda as another driver would bring it, for tests of `bench --against-driver`: it says a version of its
// own, may refuse to start, and makes everything cost more or less. The rest is the simulated runtime's.
extern "C" {

extern const int tocuda_simulated_driver;
extern const double tocuda_simulated_cost;
const int tocuda_simulated_driver = 1;
const double tocuda_simulated_cost = TOCUDA_COST;

int cuDriverGetVersion(int* version) {
    *version = TOCUDA_CUDA;
    return 0;
}

#if TOCUDA_INIT != 0
int cuInit(unsigned int) { return TOCUDA_INIT; }
#endif

}  // extern "C"
