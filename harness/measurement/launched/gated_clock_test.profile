# tocuda, Apache-2.0.
# Not a GPU that there is: what its clock says is known by heart. Its clock rises step by step while it works.
driver 13000
gpu
name Thousand
uuid GPU-01020304-0506-0708-090a-0b0c0d0e0f10
compute_capability 9.0
memory_bytes 1073741824
multiprocessors 4
clock_khz 1500000
memory_clock_khz 2000000
memory_bus_bits 2000
kernel_ns 5000
queue_depth 300
pcie_generation 5
pcie_width 16
telemetry 1 sm_clock_mhz 500
telemetry work+0.015 sm_clock_mhz 900
telemetry work+0.03 sm_clock_mhz 1200
telemetry work+0.045 sm_clock_mhz 1500
telemetry 1 pcie_generation 1
telemetry busy pcie_generation 5
