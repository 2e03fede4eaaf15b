// tocuda, Apache-2.0.
// Environments as launchers set them, alone and nested.
#include "terminal/this_rank.hpp"

#include <gtest/gtest.h>

namespace tocuda {
namespace {

Variables both(Variables inner, const Variables& outer) {
    inner.insert(outer.begin(), outer.end());
    return inner;
}

const Variables srun_step{{"SLURM_PROCID", "3"},    {"SLURM_NTASKS", "4"},  {"SLURM_STEP_NUM_TASKS", "4"},
                          {"SLURM_LOCALID", "1"},   {"SLURM_STEP_ID", "0"}, {"SLURM_NODEID", "1"},
                          {"SLURMD_NODENAME", "n2"}};
// The variables of an mpirun daemon that srun started; its ranks inherit them.
const Variables daemon_step{{"SLURM_PROCID", "1"},  {"SLURM_NTASKS", "2"},  {"SLURM_STEP_NUM_TASKS", "2"},
                            {"SLURM_LOCALID", "0"}, {"SLURM_STEP_ID", "0"}, {"SLURMD_NODENAME", "n2"}};
const Variables open_mpi{{"OMPI_COMM_WORLD_RANK", "3"},
                         {"OMPI_COMM_WORLD_SIZE", "4"},
                         {"OMPI_COMM_WORLD_LOCAL_RANK", "1"},
                         {"PMIX_RANK", "3"}};
const Variables hydra{{"PMI_RANK", "2"}, {"PMI_SIZE", "4"}, {"MPI_LOCALRANKID", "0"}, {"MPI_LOCALNRANKS", "2"}};
const Variables torchrun{{"RANK", "5"}, {"WORLD_SIZE", "8"}, {"LOCAL_RANK", "1"}, {"GROUP_RANK", "2"}};

TEST(FleetPlace, NoRankWithoutALauncher) {
    EXPECT_EQ(fleet_place({}, "host"), std::nullopt);
    EXPECT_EQ(fleet_place({{"RANK", "1"}}, "host"), std::nullopt) << "any program may set RANK";
}

TEST(FleetPlace, ReadsEachLauncher) {
    EXPECT_EQ(fleet_place(srun_step, "host"), (Fleet{"srun", 3, 4, 1, "n2"}));
    EXPECT_EQ(fleet_place(open_mpi, "host"), (Fleet{"mpirun", 3, 4, 1, "host"}));
    EXPECT_EQ(fleet_place(hydra, "host"), (Fleet{"hydra", 2, 4, 0, "host"}));
    EXPECT_EQ(fleet_place(torchrun, "host"), (Fleet{"torchrun", 5, 8, 1, "host"}));
}

TEST(FleetPlace, InnermostLauncherCountsAndSlurmNamesTheNode) {
    EXPECT_EQ(fleet_place(both(open_mpi, daemon_step), "host"), (Fleet{"mpirun", 3, 4, 1, "n2"}));
    EXPECT_EQ(fleet_place(both(hydra, daemon_step), "host"), (Fleet{"hydra", 2, 4, 0, "n2"}));
    EXPECT_EQ(fleet_place(both(torchrun, daemon_step), "host"), (Fleet{"torchrun", 5, 8, 1, "n2"}));
    EXPECT_EQ(fleet_place(both(torchrun, open_mpi), "host")->launcher, "torchrun");
}

TEST(FleetPlace, SlurmWithPmiIsSlurm) {
    EXPECT_EQ(fleet_place(both({{"PMI_RANK", "3"}, {"PMI_SIZE", "4"}}, srun_step), "host")->launcher, "srun");
}

TEST(FleetPlace, BatchScriptsAllocationsAndShellsHaveNoRank) {
    auto batch = srun_step;
    batch.erase("SLURM_STEP_ID");
    EXPECT_EQ(fleet_place(batch, "host"), std::nullopt);
    auto interactive = srun_step;
    interactive["SLURM_STEP_ID"] = "4294967290";
    EXPECT_EQ(fleet_place(interactive, "host"), std::nullopt);
    EXPECT_EQ(fleet_place({{"SLURM_JOB_ID", "3"}, {"SLURM_NTASKS", "4"}}, "host"), std::nullopt);
}

TEST(FleetPlace, InvalidRanksAreIgnored) {
    for (const auto* rank : {"4", "-1", "x", "", "3 "}) {
        auto changed = srun_step;
        changed["SLURM_PROCID"] = rank;
        EXPECT_EQ(fleet_place(changed, "host"), std::nullopt) << rank;
    }
}

TEST(OwnGpu, HasTheIndexOfTheLocalRank) { EXPECT_EQ(own_gpu({"srun", 3, 4, 1, "n2"}, {}, 2).value(), 1); }

TEST(OwnGpu, IsTheFirstIfTheLauncherBindsGpus) {
    EXPECT_EQ(own_gpu({"srun", 3, 4, 1, "n2"}, {{"CUDA_VISIBLE_DEVICES", "1"}}, 1).value(), 0);
    EXPECT_EQ(
        own_gpu({"srun", 3, 4, 1, "n2"}, {{"CUDA_VISIBLE_DEVICES", "2,3"}, {"SLURMD_TRES_BIND", "gpu:per_task:2"}}, 2)
            .value(),
        0);
    EXPECT_EQ(own_gpu({"srun", 3, 4, 1, "n2"}, {{"CUDA_VISIBLE_DEVICES", "0,1"}}, 2).value(), 1)
        << "all GPUs of the node are not a binding";
}

TEST(OwnGpu, NoneIfThereAreMoreRanksThanGpus) {
    const auto why = own_gpu({"srun", 5, 8, 2, "n2"}, {}, 2).error().what;
    EXPECT_EQ(why,
              "rank 5 of 8 (srun), local rank 2 on n2: no GPU is left for this rank: 2 are visible; start at most one "
              "rank per GPU on each node, or choose a GPU with --gpus");
    EXPECT_FALSE(own_gpu({"srun", 1, 2, 1, "n1"}, {}, 1));
}

}  // namespace
}  // namespace tocuda
