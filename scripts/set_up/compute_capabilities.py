# tocuda, Apache-2.0.
# Prints the compute capability of each GPU as the driver says it, 9.0 as 90, for machines without nvidia-smi.
import ctypes

MAJOR, MINOR = 75, 76  # CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR and MINOR


def driver():
    for name in ("libcuda.so.1", "/usr/local/nvidia/lib64/libcuda.so.1"):
        try:
            return ctypes.CDLL(name)
        except OSError:
            continue
    return None


def answer_of(function, *words):
    answer = ctypes.c_int()
    return answer.value if function(ctypes.byref(answer), *words) == 0 else 0


cuda = driver()
if cuda and cuda.cuInit(0) == 0:
    for number in range(answer_of(cuda.cuDeviceGetCount)):
        device = answer_of(cuda.cuDeviceGet, number)
        major, minor = (answer_of(cuda.cuDeviceGetAttribute, which, device) for which in (MAJOR, MINOR))
        print(10 * major + minor)
