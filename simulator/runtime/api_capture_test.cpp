// tocuda, Apache-2.0.
// Stream capture: what becomes a node, forks, and every error that a capture leads to.
#include <thread>

#include "runtime/graph_test.hpp"

namespace tocuda::simulator {
namespace {

cudaStreamCaptureStatus status_of(cudaStream_t stream) {
    cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
    EXPECT_EQ(cudaStreamIsCapturing(stream, &status), cudaSuccess);
    return status;
}

TEST(Capture, CopiesMoveTheirBytesAtEachLaunchOnly) {
    on_machine(one_gpu, [] {
        const Numbers numbers(1000);
        cudaStream_t stream = new_stream();
        numbers.host[0] = 1;
        const auto graph = captured(stream, [&] {
            ASSERT_EQ(cudaMemcpyAsync(numbers.device, numbers.host, numbers.bytes, cudaMemcpyHostToDevice, stream),
                      cudaSuccess);
        });
        EXPECT_EQ(numbers.first(), 0);
        const auto executable = instantiated(graph);
        for (int value = 5; value < 8; ++value) {
            numbers.host[0] = value;
            launch_and_wait(executable, stream);
            EXPECT_EQ(numbers.first(), value);
        }
    });
}

TEST(Capture, FillsAndHostFunctionsAreRepeatedInOrder) {
    on_machine(one_gpu, [] {
        const Numbers numbers(1000);
        cudaStream_t stream = new_stream();
        static int calls = 0;
        const auto graph = captured(stream, [&] {
            ASSERT_EQ(cudaMemsetAsync(numbers.device, 1, numbers.bytes, stream), cudaSuccess);
            ASSERT_EQ(cudaMemcpyAsync(numbers.host, numbers.device, numbers.bytes, cudaMemcpyDeviceToHost, stream),
                      cudaSuccess);
            ASSERT_EQ(cudaLaunchHostFunc(
                          stream, [](void* data) { calls += *static_cast<int*>(data); }, numbers.host),
                      cudaSuccess);
            ASSERT_EQ(cudaMemsetAsync(numbers.device, 0, numbers.bytes, stream), cudaSuccess);
        });
        EXPECT_EQ(calls, 0);
        const auto executable = instantiated(graph);
        launch_and_wait(executable, stream);
        launch_and_wait(executable, stream);
        EXPECT_EQ(calls, 2 * 0x01010101);
        EXPECT_EQ(numbers.first(), 0);
        const std::vector expected{cudaGraphNodeTypeMemset, cudaGraphNodeTypeMemcpy, cudaGraphNodeTypeHost,
                                   cudaGraphNodeTypeMemset};
        std::vector<cudaGraphNodeType> types;
        for (const auto node : nodes_of(graph)) types.push_back(type_of(node));
        EXPECT_EQ(types, expected);
    });
}

TEST(Capture, ForkedStreamJoinsThroughEvents) {
    on_machine(one_gpu, [] {
        const Numbers numbers(1000);
        cudaStream_t main = new_stream();
        cudaStream_t side = new_stream();
        cudaEvent_t fork = new_event();
        cudaEvent_t join = new_event();
        const auto graph = captured(main, [&] {
            ASSERT_EQ(cudaMemsetAsync(numbers.device, 1, 4, main), cudaSuccess);
            ASSERT_EQ(cudaEventRecord(fork, main), cudaSuccess);
            ASSERT_EQ(cudaStreamWaitEvent(side, fork, 0), cudaSuccess);
            EXPECT_EQ(status_of(side), cudaStreamCaptureStatusActive);
            ASSERT_EQ(cudaMemsetAsync(numbers.device + 1, 2, 4, side), cudaSuccess);
            ASSERT_EQ(cudaMemsetAsync(numbers.device + 2, 3, 4, main), cudaSuccess);
            ASSERT_EQ(cudaEventRecord(join, side), cudaSuccess);
            ASSERT_EQ(cudaStreamWaitEvent(main, join, 0), cudaSuccess);
            ASSERT_EQ(cudaMemcpyAsync(numbers.host, numbers.device, 12, cudaMemcpyDeviceToHost, main), cudaSuccess);
        });
        EXPECT_EQ(status_of(side), cudaStreamCaptureStatusNone);
        EXPECT_EQ(node_count(graph), 4U);
        std::size_t edges = 0;
        ASSERT_EQ(cudaGraphGetEdges(graph, nullptr, nullptr, nullptr, &edges), cudaSuccess);
        EXPECT_EQ(edges, 4U);  // a diamond
        launch_and_wait(instantiated(graph), main);
        EXPECT_EQ(numbers.host[0], 0x01010101);
        EXPECT_EQ(numbers.host[1], 0x02020202);
        EXPECT_EQ(numbers.host[2], 0x03030303);
    });
}

TEST(Capture, UnjoinedForkIs904) {
    on_machine(one_gpu, [] {
        const Numbers numbers(2);
        cudaStream_t main = new_stream();
        cudaStream_t side = new_stream();
        cudaEvent_t fork = new_event();
        const auto ended = end_after(main, [&] {
            ASSERT_EQ(cudaEventRecord(fork, main), cudaSuccess);
            ASSERT_EQ(cudaStreamWaitEvent(side, fork, 0), cudaSuccess);
            ASSERT_EQ(cudaMemsetAsync(numbers.device, 1, 4, side), cudaSuccess);
        });
        EXPECT_EQ(ended, cudaErrorStreamCaptureUnjoined);
        EXPECT_EQ(status_of(side), cudaStreamCaptureStatusNone);
        EXPECT_EQ(status_of(main), cudaStreamCaptureStatusNone);
    });
}

TEST(Capture, WaitingForCapturingStreamIs900AndInvalidates) {
    on_machine(one_gpu, [] {
        cudaStream_t stream = new_stream();
        const std::vector<std::function<cudaError_t()>> calls{
            [&] { return cudaStreamSynchronize(stream); },
            [&] { return cudaStreamQuery(stream); },
            [&] { return cudaDeviceSynchronize(); },
            [&] { return cudaStreamAddCallback(stream, [](cudaStream_t, cudaError_t, void*) {}, nullptr, 0); },
        };
        for (const auto& call : calls) {
            const auto ended = end_after(stream, [&] {
                EXPECT_EQ(call(), cudaErrorStreamCaptureUnsupported);
                EXPECT_EQ(status_of(stream), cudaStreamCaptureStatusInvalidated);
                EXPECT_EQ(cudaMemsetAsync(nullptr, 0, 4, stream), cudaErrorStreamCaptureInvalidated);
            });
            EXPECT_EQ(ended, cudaErrorStreamCaptureInvalidated);
            EXPECT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
        }
    });
}

TEST(Capture, UnsafeCallsDependOnTheModes) {
    on_machine(one_gpu, [] {
        cudaStream_t stream = new_stream();
        struct Case {
            cudaStreamCaptureMode capture;
            bool own_thread;
            cudaError_t result;
        };
        const Case cases[] = {{cudaStreamCaptureModeGlobal, true, cudaErrorStreamCaptureUnsupported},
                              {cudaStreamCaptureModeGlobal, false, cudaErrorStreamCaptureUnsupported},
                              {cudaStreamCaptureModeThreadLocal, true, cudaErrorStreamCaptureUnsupported},
                              {cudaStreamCaptureModeThreadLocal, false, cudaSuccess},
                              {cudaStreamCaptureModeRelaxed, true, cudaSuccess},
                              {cudaStreamCaptureModeRelaxed, false, cudaSuccess}};
        for (const Case& one : cases) {
            const auto allocate = [&] {
                void* pointer = nullptr;
                EXPECT_EQ(cudaMalloc(&pointer, 100), one.result) << one.capture << one.own_thread;
            };
            const auto ended = end_after(
                stream,
                [&] {
                    if (one.own_thread) allocate();
                    else std::thread(allocate).join();
                },
                one.capture);
            EXPECT_EQ(ended, one.result == cudaSuccess ? cudaSuccess : cudaErrorStreamCaptureInvalidated);
        }
    });
}

TEST(Capture, RelaxedThreadMayAllocateDuringGlobalCapture) {
    on_machine(one_gpu, [] {
        cudaStream_t stream = new_stream();
        const auto ended = end_after(stream, [] {
            auto mode = cudaStreamCaptureModeRelaxed;
            ASSERT_EQ(cudaThreadExchangeStreamCaptureMode(&mode), cudaSuccess);
            EXPECT_EQ(mode, cudaStreamCaptureModeGlobal);
            void* pointer = nullptr;
            EXPECT_EQ(cudaMalloc(&pointer, 100), cudaSuccess);
            ASSERT_EQ(cudaThreadExchangeStreamCaptureMode(&mode), cudaSuccess);
            EXPECT_EQ(mode, cudaStreamCaptureModeRelaxed);
        });
        EXPECT_EQ(ended, cudaSuccess);
    });
}

TEST(Capture, EventsOfCaptureBelongToIt) {
    on_machine(one_gpu, [] {
        const Numbers numbers(2);
        cudaStream_t stream = new_stream();
        cudaStream_t other = new_stream();
        cudaEvent_t inside = new_event();
        cudaEvent_t outside = new_event();
        ASSERT_EQ(cudaEventRecord(outside, other), cudaSuccess);
        EXPECT_EQ(end_after(stream, [&] { EXPECT_EQ(cudaStreamWaitEvent(stream, outside, 0), 905); }), 901);
        EXPECT_EQ(end_after(stream,
                            [&] {
                                ASSERT_EQ(cudaEventRecord(inside, stream), cudaSuccess);
                                EXPECT_EQ(cudaEventQuery(inside), cudaErrorCapturedEvent);
                            }),
                  901);
        EXPECT_EQ(end_after(stream, [&] { ASSERT_EQ(cudaEventRecord(inside, stream), cudaSuccess); }), cudaSuccess);
        EXPECT_EQ(cudaEventSynchronize(inside), cudaErrorCapturedEvent);
        EXPECT_EQ(cudaStreamWaitEvent(other, inside, 0), cudaErrorCapturedEvent);
        ASSERT_EQ(cudaEventRecord(inside, other), cudaSuccess);
        EXPECT_EQ(cudaEventSynchronize(inside), cudaSuccess);
    });
}

TEST(Capture, ExternalEventsAreRecordedByLaunches) {
    on_machine(one_gpu, [] {
        const Numbers numbers(1000);
        cudaStream_t stream = new_stream();
        cudaEvent_t start = new_event();
        cudaEvent_t end = new_event();
        const auto graph = captured(stream, [&] {
            ASSERT_EQ(cudaEventRecordWithFlags(start, stream, cudaEventRecordExternal), cudaSuccess);
            ASSERT_EQ(cudaMemcpyAsync(numbers.device, numbers.host, numbers.bytes, cudaMemcpyHostToDevice, stream),
                      cudaSuccess);
            ASSERT_EQ(cudaEventRecordWithFlags(end, stream, cudaEventRecordExternal), cudaSuccess);
        });
        float milliseconds = -1;
        EXPECT_EQ(cudaEventElapsedTime(&milliseconds, start, end), cudaErrorInvalidResourceHandle);
        launch_and_wait(instantiated(graph), stream);
        EXPECT_EQ(cudaEventElapsedTime(&milliseconds, start, end), cudaSuccess);
        EXPECT_GT(milliseconds, 0);
        EXPECT_EQ(cudaEventRecordWithFlags(start, stream, cudaEventRecordExternal), cudaErrorInvalidValue);
    });
}

TEST(Capture, TwoCapturesCannotMerge) {
    on_machine(one_gpu, [] {
        cudaStream_t one = new_stream();
        cudaStream_t other = new_stream();
        cudaEvent_t event = new_event();
        ASSERT_EQ(cudaStreamBeginCapture(one, cudaStreamCaptureModeRelaxed), cudaSuccess);
        ASSERT_EQ(cudaStreamBeginCapture(other, cudaStreamCaptureModeRelaxed), cudaSuccess);
        ASSERT_EQ(cudaEventRecord(event, one), cudaSuccess);
        EXPECT_EQ(cudaStreamWaitEvent(other, event, 0), cudaErrorStreamCaptureMerge);
        cudaGraph_t graph = nullptr;
        EXPECT_EQ(cudaStreamEndCapture(one, &graph), cudaErrorStreamCaptureInvalidated);
        EXPECT_EQ(cudaStreamEndCapture(other, &graph), cudaErrorStreamCaptureInvalidated);
    });
}

TEST(Capture, DefaultStreamIsRefusedWhereItWouldWait) {
    on_machine(one_gpu, [] {
        const Numbers numbers(2);
        EXPECT_EQ(cudaStreamBeginCapture(nullptr, cudaStreamCaptureModeGlobal), cudaErrorStreamCaptureUnsupported);
        cudaStream_t apart = new_stream();
        EXPECT_EQ(end_after(apart, [&] { EXPECT_EQ(cudaMemsetAsync(numbers.device, 1, 4, nullptr), cudaSuccess); }),
                  cudaSuccess);
        cudaStream_t blocking = new_stream(cudaStreamDefault);
        const auto ended = end_after(
            blocking,
            [&] {
                auto status = cudaStreamCaptureStatusNone;
                EXPECT_EQ(cudaStreamIsCapturing(nullptr, &status), cudaErrorStreamCaptureImplicit);
                EXPECT_EQ(status_of(blocking), cudaStreamCaptureStatusActive);
                EXPECT_EQ(cudaMemcpy(numbers.device, numbers.host, 4, cudaMemcpyHostToDevice),
                          cudaErrorStreamCaptureImplicit);
            },
            cudaStreamCaptureModeRelaxed);
        EXPECT_EQ(ended, cudaErrorStreamCaptureInvalidated);
    });
}

}  // namespace
}  // namespace tocuda::simulator
