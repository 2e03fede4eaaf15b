# tocuda, Apache-2.0.
# Asks what this machine is, each answer into a file of its own: facts.sh FOLDER PYTHON
folder=$1
unanswered=""
ask() {  # name, command...
  name=$1
  shift
  timeout -k 2 20 "$@" >"$folder/$name.txt" 2>&1 || unanswered="$unanswered $name"
}

links() {  # what the kernel reports about each NVIDIA device and the bridges above it
  for device in /sys/bus/pci/devices/*; do
    [ "$(cat "$device/vendor" 2>/dev/null)" = 0x10de ] || continue
    place=$(readlink -f "$device")
    while [ -e "$place/vendor" ]; do
      (cd "$place" && grep -H . vendor device current_link_* max_link_* numa_node local_cpulist 2>/dev/null |
        sed "s|^|${place##*/} |")
      place=${place%/*}
    done
  done
}

ask nvidia-smi nvidia-smi -q
ask topology nvidia-smi topo -m
ask driver cat /proc/driver/nvidia/version
ask processors lscpu
ask kernel uname -a
ask memory cat /proc/meminfo
ask room df -h
ask nodes numactl --hardware
ask system cat /etc/os-release
ask huge-pages cat /sys/kernel/mm/transparent_hugepage/enabled
ask compiler "${CXX:-c++}" --version
ask nvcc "${CUDACXX:-nvcc}" --version
ask tools sh -c 'cmake --version; ninja --version; compute-sanitizer --version; ncu --version'
ask python "$2" -c 'import importlib.metadata as data, sys
print(sys.version, *sorted(f"{one.name} {one.version}" for one in data.distributions()), sep="\n")'
links >"$folder/links.txt"
echo "unanswered:${unanswered:- none}"
