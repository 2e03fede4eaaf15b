// tocuda, Apache-2.0.
// For tests: one library with a driver that cannot count its GPUs and an NVML that lacks nearly everything.
extern "C" {

int cuInit(unsigned) { return 0; }

int cuDriverGetVersion(int* version) {
    *version = 13010;
    return 0;
}

int nvmlInit_v2() { return 0; }

}  // extern "C"
