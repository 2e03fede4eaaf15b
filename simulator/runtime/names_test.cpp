// tocuda, Apache-2.0.
// The simulated runtime exports every name that the real one exports, at the same version, and no other runtime is
// mapped.
#include <cuda_runtime_api.h>
#include <dlfcn.h>

#include <fstream>
#include <string>

#include "runtime/on_machine_test.hpp"

namespace tocuda::simulator {
namespace {

TEST(Names, AllOfRealRuntimeAreExported) {
    std::ifstream names(TOCUDA_REAL_RUNTIME_NAMES);
    int count = 0;
    for (std::string name; std::getline(names, name); ++count) {
        EXPECT_NE(::dlvsym(RTLD_DEFAULT, name.c_str(), "libcudart.so.13"), nullptr) << name;
    }
    EXPECT_GT(count, 400);
}

TEST(Names, DriverFunctionsAreFoundThroughDriverLibrary) {
    on_machine(one_gpu, [] {
        void* driver = ::dlopen(TOCUDA_SIMULATED_DRIVER, RTLD_NOW | RTLD_LOCAL);
        ASSERT_NE(driver, nullptr) << ::dlerror();
        auto* count_devices = reinterpret_cast<int (*)(int*)>(::dlsym(driver, "cuDeviceGetCount"));
        ASSERT_NE(count_devices, nullptr);
        int count = 0;
        EXPECT_EQ(count_devices(&count), 0);
        EXPECT_EQ(count, 1);
        auto* export_table = reinterpret_cast<int (*)(const void**, const void*)>(::dlsym(driver, "cuGetExportTable"));
        ASSERT_NE(export_table, nullptr);
        const void* table = nullptr;
        const unsigned char of_runtime[16] = {0x6b, 0xd5, 0xfb, 0x6c, 0x5b, 0xf4, 0xe7, 0x4a,
                                              0x89, 0x87, 0xd9, 0x39, 0x12, 0xfd, 0x9d, 0xf9};
        EXPECT_EQ(export_table(&table, of_runtime), 500) << "a second runtime must not take it for a working driver";
    });
}

}  // namespace
}  // namespace tocuda::simulator
