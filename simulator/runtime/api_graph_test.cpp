// tocuda, Apache-2.0.
// Graphs made node by node or by capture: launches, times, copies, updates, ends.
#include <algorithm>
#include <thread>

#include "runtime/graph_test.hpp"

namespace tocuda::simulator {
namespace {

char add_one = 0;  // its address identifies a kernel that adds one to a number

void register_add_one() {
    static const std::size_t sizes[] = {sizeof(int*)};
    tocuda_host_kernel kernel{};
    kernel.version = 1;
    kernel.function = &add_one;
    kernel.name = "add_one";
    kernel.arguments = 1;
    kernel.argument_bytes = sizes;
    kernel.run = [](void* const* arguments, const tocuda_launch*) { ++**static_cast<int**>(arguments[0]); };
    ASSERT_EQ(tocuda_simulation_host_kernel(&kernel), 0);
}

void launch_add_one(int* number, cudaStream_t stream) {
    void* arguments[] = {&number};
    ASSERT_EQ(cudaLaunchKernel(&add_one, {1}, {32}, arguments, 0, stream), cudaSuccess);
}

std::uint64_t kernels_launched() {
    tocuda_simulation_state_t state{};
    state.version = 1;
    EXPECT_EQ(tocuda_simulation_state(&state), 0);
    return state.kernels_launched;
}

TEST(Graph, KernelsComputeAndCountAtEachLaunch) {
    on_machine(one_gpu, [] {
        register_add_one();
        const Numbers numbers(10);
        cudaStream_t stream = new_stream();
        const auto graph = captured(stream, [&] {
            launch_add_one(numbers.device, stream);
            launch_add_one(numbers.device, stream);
        });
        EXPECT_EQ(kernels_launched(), 0U);
        const auto executable = instantiated(graph);
        for (int i = 0; i < 5; ++i) launch_and_wait(executable, stream);
        EXPECT_EQ(numbers.first(), 10);
        EXPECT_EQ(kernels_launched(), 10U);
        ASSERT_EQ(cudaMemset(numbers.device, 0, numbers.bytes), cudaSuccess);
        launch_and_wait(executable, stream);
        EXPECT_EQ(numbers.first(), 2);
    });
}

TEST(Graph, IndependentNodesOverlapAndStreamOrderIsKept) {
    on_machine(measured_gpu, [] {
        const Numbers in(250000);
        const Numbers out(250000);
        cudaStream_t stream = new_stream();
        const auto graph = new_graph();
        cudaGraphNode_t node = nullptr;
        ASSERT_EQ(
            cudaGraphAddMemcpyNode1D(&node, graph, nullptr, 0, in.device, in.host, in.bytes, cudaMemcpyHostToDevice),
            cudaSuccess);
        const auto first = node;
        ASSERT_EQ(
            cudaGraphAddMemcpyNode1D(&node, graph, nullptr, 0, out.host, out.device, out.bytes, cudaMemcpyDeviceToHost),
            cudaSuccess);
        auto executable = instantiated(graph);
        EXPECT_NEAR(microseconds([&] { return cudaGraphLaunch(executable, stream); }), 1e6, 10);
        EXPECT_NEAR(microseconds([&] {
                        EXPECT_EQ(cudaGraphLaunch(executable, stream), cudaSuccess);
                        return cudaGraphLaunch(executable, stream);
                    }),
                    2e6, 10);
        ASSERT_EQ(cudaGraphAddDependencies(graph, &first, &node, nullptr, 1), cudaSuccess);
        EXPECT_EQ(cudaGraphAddDependencies(graph, &node, &first, nullptr, 1), cudaErrorInvalidValue);
        EXPECT_NEAR(microseconds([&] { return cudaGraphLaunch(instantiated(graph), stream); }), 2e6, 10);
        EXPECT_NEAR(microseconds([&] {
                        EXPECT_EQ(cudaGraphLaunch(executable, stream), cudaSuccess);
                        return cudaMemcpyAsync(in.device, in.host, in.bytes, cudaMemcpyHostToDevice, stream);
                    }),
                    2e6, 10);
    });
}

TEST(Graph, LaunchCostsWhatTheProfileSays) {
    const auto machine =
        with(measured_gpu, {{&GpuFigures::graph_launch_ns, 7000}, {&GpuFigures::graph_launch_ns_per_node, 100}});
    on_machine(machine, [] {
        cudaStream_t stream = new_stream();
        const auto graph = new_graph();
        cudaGraphNode_t node = nullptr;
        for (int i = 0; i < 30; ++i) ASSERT_EQ(cudaGraphAddEmptyNode(&node, graph, nullptr, 0), cudaSuccess);
        const auto executable = instantiated(graph);
        EXPECT_NEAR(microseconds([&] { return cudaGraphLaunch(executable, stream); }), 10, 0.01);
    });
}

TEST(Graph, DefaultStreamWaitsForLaunchInBlockingStream) {
    on_machine(measured_gpu, [] {
        const Numbers numbers(250000);
        cudaStream_t blocking = new_stream(cudaStreamDefault);
        numbers.host[0] = 3;
        const auto graph = captured(blocking, [&] {
            ASSERT_EQ(cudaMemcpyAsync(numbers.device, numbers.host, numbers.bytes, cudaMemcpyHostToDevice, blocking),
                      cudaSuccess);
        });
        ASSERT_EQ(cudaGraphLaunch(instantiated(graph), blocking), cudaSuccess);
        EXPECT_EQ(numbers.first(), 3);
        EXPECT_GT(virtual_seconds(), 1);
    });
}

TEST(Graph, ThousandNodesRunInOrder) {
    on_machine(one_gpu, [] {
        register_add_one();
        const Numbers numbers(10);
        cudaStream_t stream = new_stream();
        const auto graph = captured(stream, [&] {
            for (int i = 0; i < 1000; ++i) launch_add_one(numbers.device, stream);
        });
        EXPECT_EQ(node_count(graph), 1000U);
        const auto executable = instantiated(graph);
        for (int i = 0; i < 20; ++i) ASSERT_EQ(cudaGraphLaunch(executable, stream), cudaSuccess);
        ASSERT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
        EXPECT_EQ(numbers.first(), 20000);
        const auto wide = new_graph();
        for (int i = 0; i < 500; ++i) add_fill(wide, {}, numbers.device + i % 10, 7);
        launch_and_wait(instantiated(wide), stream);
        EXPECT_EQ(numbers.first(), 7);
    });
}

TEST(Graph, UpdateTakesNewWorkOfSameShapeOnly) {
    on_machine(one_gpu, [] {
        const Numbers numbers(10);
        cudaStream_t stream = new_stream();
        const auto graph = new_graph();
        const auto first = add_fill(graph, {}, numbers.device, 1);
        const auto executable = instantiated(graph);
        const auto changed = new_graph();
        const auto only = add_fill(changed, {}, numbers.device, 2);
        cudaGraphExecUpdateResultInfo info{};
        EXPECT_EQ(cudaGraphExecUpdate(executable, changed, &info), cudaSuccess);
        EXPECT_EQ(info.result, cudaGraphExecUpdateSuccess);
        launch_and_wait(executable, stream);
        EXPECT_EQ(numbers.first(), 2);
        add_fill(changed, {only}, numbers.device, 3);
        EXPECT_EQ(cudaGraphExecUpdate(executable, changed, &info), cudaErrorGraphExecUpdateFailure);
        EXPECT_EQ(info.result, cudaGraphExecUpdateErrorTopologyChanged);
        const auto other = new_graph();
        cudaGraphNode_t empty = nullptr;
        ASSERT_EQ(cudaGraphAddEmptyNode(&empty, other, nullptr, 0), cudaSuccess);
        EXPECT_EQ(cudaGraphExecUpdate(executable, other, &info), cudaErrorGraphExecUpdateFailure);
        EXPECT_EQ(info.result, cudaGraphExecUpdateErrorNodeTypeChanged);
        EXPECT_EQ(info.errorNode, empty);
        const cudaMemsetParams five{numbers.device, 0, 5, 4, 1, 1};
        EXPECT_EQ(cudaGraphExecMemsetNodeSetParams(executable, first, &five), cudaSuccess);
        launch_and_wait(executable, stream);
        EXPECT_EQ(numbers.first(), 5);
        EXPECT_EQ(cudaGraphNodeSetEnabled(executable, first, 0), cudaSuccess);
        ASSERT_EQ(cudaMemset(numbers.device, 0, 4), cudaSuccess);
        launch_and_wait(executable, stream);
        EXPECT_EQ(numbers.first(), 0);
    });
}

TEST(Graph, ParametersOfNodesCanBeReadAndChanged) {
    on_machine(one_gpu, [] {
        register_add_one();
        const Numbers numbers(10);
        cudaStream_t stream = new_stream();
        const auto graph = captured(stream, [&] {
            launch_add_one(numbers.device, stream);
            ASSERT_EQ(cudaMemcpyAsync(numbers.host, numbers.device, 8, cudaMemcpyDeviceToHost, stream), cudaSuccess);
        });
        const auto nodes = nodes_of(graph);
        cudaKernelNodeParams kernel{};
        ASSERT_EQ(cudaGraphKernelNodeGetParams(nodes[0], &kernel), cudaSuccess);
        EXPECT_EQ(kernel.func, &add_one);
        EXPECT_EQ(kernel.blockDim.x, 32U);
        EXPECT_EQ(*static_cast<int**>(kernel.kernelParams[0]), numbers.device);
        int* second = numbers.device + 1;
        void* arguments[] = {&second};
        kernel.kernelParams = arguments;
        ASSERT_EQ(cudaGraphKernelNodeSetParams(nodes[0], &kernel), cudaSuccess);
        cudaMemcpy3DParms copy{};
        ASSERT_EQ(cudaGraphMemcpyNodeGetParams(nodes[1], &copy), cudaSuccess);
        EXPECT_EQ(copy.extent.width, 8U);
        copy.extent = {4, 1, 2};
        EXPECT_EQ(cudaGraphMemcpyNodeSetParams(nodes[1], &copy), cudaSuccess);
        cudaMemcpy3DParms slices{};
        ASSERT_EQ(cudaGraphMemcpyNodeGetParams(nodes[1], &slices), cudaSuccess);
        EXPECT_EQ(slices.extent.depth, 2U);
        EXPECT_EQ(slices.srcPtr.ysize, copy.srcPtr.ysize);
        copy.extent = {8, 1, 1};
        ASSERT_EQ(cudaGraphMemcpyNodeSetParams(nodes[1], &copy), cudaSuccess);
        EXPECT_EQ(cudaGraphMemcpyNodeGetParams(nodes[0], &copy), cudaErrorInvalidValue);
        launch_and_wait(instantiated(graph), stream);
        EXPECT_EQ(numbers.host[0], 0);
        EXPECT_EQ(numbers.host[1], 1);
    });
}

TEST(Graph, ClonesAndChildrenAreCopies) {
    on_machine(one_gpu, [] {
        const Numbers numbers(10);
        cudaStream_t stream = new_stream();
        const auto graph = new_graph();
        const auto fill = add_fill(graph, {}, numbers.device, 1);
        cudaGraph_t clone = nullptr;
        cudaGraphNode_t found = nullptr;
        ASSERT_EQ(cudaGraphClone(&clone, graph), cudaSuccess);
        ASSERT_EQ(cudaGraphNodeFindInClone(&found, fill, clone), cudaSuccess);
        EXPECT_NE(found, fill);
        const auto parent = new_graph();
        cudaGraphNode_t child = nullptr;
        ASSERT_EQ(cudaGraphAddChildGraphNode(&child, parent, nullptr, 0, clone), cudaSuccess);
        add_fill(parent, {child}, numbers.device + 1, 4);
        const cudaMemsetParams nine{numbers.device, 0, 9, 4, 1, 1};
        ASSERT_EQ(cudaGraphMemsetNodeSetParams(fill, &nine), cudaSuccess);
        ASSERT_EQ(cudaGraphDestroy(clone), cudaSuccess);
        EXPECT_EQ(cudaGraphDestroy(clone), cudaErrorInvalidValue);
        const auto executable = instantiated(parent);
        ASSERT_EQ(cudaGraphDestroy(parent), cudaSuccess);
        launch_and_wait(executable, stream);
        EXPECT_EQ(numbers.first(), 1);
        const auto outer = captured(stream, [&] {
            ASSERT_EQ(cudaMemsetAsync(numbers.device, 0, numbers.bytes, stream), cudaSuccess);
            ASSERT_EQ(cudaGraphLaunch(executable, stream), cudaSuccess);
            ASSERT_EQ(cudaMemcpyAsync(numbers.host, numbers.device, 8, cudaMemcpyDeviceToHost, stream), cudaSuccess);
        });
        ASSERT_EQ(cudaGraphExecDestroy(executable), cudaSuccess);
        EXPECT_EQ(type_of(nodes_of(outer)[1]), cudaGraphNodeTypeGraph);
        launch_and_wait(instantiated(outer), stream);
        EXPECT_EQ(numbers.host[0], 1);
        EXPECT_EQ(numbers.host[1], 4);
    });
}

}  // namespace
}  // namespace tocuda::simulator
