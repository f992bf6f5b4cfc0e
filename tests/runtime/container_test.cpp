// SPDX-License-Identifier: Apache-2.0
// The outer format: what is written is read back, and no damage passes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <random>

#include <tenon/inspect.h>

#include "runtime/base/hash.h"
#include "runtime/base/version.h"
#include "tests/runtime/demo_run.h"

namespace tenon::testing {
namespace {

using ::testing::HasSubstr;
using Bytes = std::vector<std::byte>;

class PlanFile : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::path(::testing::TempDir()) /
              ("tenon_plan_file_" + std::to_string(getpid()));
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  size_t files() const {
    return static_cast<size_t>(std::distance(std::filesystem::directory_iterator(folder_), {}));
  }
  static Bytes read(const std::string& file) {
    std::ifstream stream(file, std::ios::binary);
    const std::string text((std::istreambuf_iterator<char>(stream)), {});
    const auto bytes = std::as_bytes(std::span(text));
    return Bytes(bytes.begin(), bytes.end());
  }

  std::filesystem::path folder_;
};

// Recomputes the header's own checksum.
void seal_header(Bytes& plan) {
  plan::FileHeader header;
  std::memcpy(&header, plan.data(), sizeof header);
  header.header_checksum = checksum64(std::span(plan).first(56));
  std::memcpy(plan.data(), &header, sizeof header);
}

TEST_F(PlanFile, IsDeterministicInMemoryAndOnDisk) {
  PlanMaker maker = demo_plan();
  const Bytes once = maker.build();
  EXPECT_EQ(once, demo_plan().build());
  ASSERT_TRUE(plan::write_plan_file(path("a.plan"), maker.parts()).ok());
  EXPECT_EQ(read(path("a.plan")), once);
  EXPECT_EQ(files(), 1u);
}

TEST_F(PlanFile, LoadsAndRuns) {
  PlanMaker maker = demo_plan();
  ASSERT_TRUE(plan::write_plan_file(path("a.plan"), maker.parts()).ok());
  EngineOptions options;
  options.verify_weights = true;
  const Engine engine = Engine::load(path("a.plan"), options).value();
  Context context = engine.create_context().value();
  DemoRun run(10, 10, 1);
  // The file may be replaced under a loaded engine.
  ASSERT_TRUE(plan::write_plan_file(path("a.plan"), maker.parts()).ok());
  ASSERT_TRUE(run.run(context).ok());
  run.check();
}

TEST_F(PlanFile, SectionsAreAlignedAndNamed) {
  const Bytes bytes = demo_plan().build();
  plan::FileHeader header;
  std::memcpy(&header, bytes.data(), sizeof header);
  EXPECT_EQ(std::string(header.magic, 8), "TENONPLN");
  EXPECT_EQ(header.file_bytes, bytes.size());
  ASSERT_EQ(header.section_count, 4u);
  for (uint32_t i = 0; i < 4; ++i) {
    plan::SectionEntry entry;
    std::memcpy(&entry, bytes.data() + 64 + 32 * i, sizeof entry);
    EXPECT_EQ(entry.kind, i + 1);
    EXPECT_EQ(entry.offset % 4096, 0u);
  }
}

TEST_F(PlanFile, TakesWeightsFromProducers) {
  PlanMaker maker = demo_plan();
  plan::PlanParts parts = maker.parts();
  const std::span<const std::byte> weights = parts.weights[0].bytes;
  parts.weights[0].bytes = {};
  parts.weights[0].produce = [&](const plan::ByteSink& sink) -> Status {
    TENON_RETURN_IF_ERROR(sink(weights.first(7)));
    return sink(weights.subspan(7));
  };
  EXPECT_EQ(plan::write_plan(parts).value(), maker.build());
  parts.weights[0].produce = [&](const plan::ByteSink& sink) { return sink(weights.first(7)); };
  const Status status = plan::write_plan_file(path("a.plan"), parts);
  EXPECT_EQ(status.code(), ErrorCode::internal);
  EXPECT_THAT(status.message(), HasSubstr("the weight at 0 has 7 bytes instead of 40"));
  EXPECT_EQ(files(), 0u);
}

TEST_F(PlanFile, FailuresLeaveTheOldFileAndNothingElse) {
  PlanMaker maker = demo_plan();
  const Status directory = plan::write_plan_file(folder_.string(), maker.parts());
  EXPECT_EQ(directory.code(), ErrorCode::io);
  EXPECT_THAT(directory.message(), HasSubstr("is a directory; give the name of a file"));
  EXPECT_THAT(plan::write_plan_file(path("no/a.plan"), maker.parts()).message(),
              HasSubstr("cannot create: No such file or directory"));

  ASSERT_TRUE(plan::write_plan_file(path("a.plan"), maker.parts()).ok());
  const Bytes before = read(path("a.plan"));
  // A limit on file sizes fails in the middle, as a full disk does.
  rlimit old_limit;
  getrlimit(RLIMIT_FSIZE, &old_limit);
  std::signal(SIGXFSZ, SIG_IGN);
  const rlimit limit = {8192, old_limit.rlim_max};
  setrlimit(RLIMIT_FSIZE, &limit);
  const Status full = plan::write_plan_file(path("a.plan"), maker.parts());
  setrlimit(RLIMIT_FSIZE, &old_limit);
  EXPECT_EQ(full.code(), ErrorCode::io);
  EXPECT_THAT(full.message(), HasSubstr("a.plan: cannot write: File too large"));
  EXPECT_EQ(read(path("a.plan")), before);
  EXPECT_EQ(files(), 1u);
}

TEST_F(PlanFile, EveryCutIsNoticed) {
  const Bytes bytes = demo_plan().build();
  for (size_t size = 0; size < bytes.size(); size += size < 300 ? 1 : 97) {
    const Status status = Engine::load_from_memory(std::span(bytes).first(size)).status();
    ASSERT_EQ(status.code(), ErrorCode::corrupt_plan) << size << " bytes";
  }
  Bytes longer = bytes;
  longer.push_back(std::byte{0});
  EXPECT_THAT(Engine::load_from_memory(longer).status().message(),
              HasSubstr("it is cut or has bytes added"));
}

TEST_F(PlanFile, EveryFlippedBitIsNoticed) {
  const Bytes bytes = demo_plan().build();
  EngineOptions options = with_threads(1);
  options.verify_weights = true;
  Bytes damaged = bytes;
  std::mt19937 random(1);
  for (size_t position = 0; position < bytes.size(); position += position < 200 ? 1 : 7) {
    const std::byte flip{static_cast<unsigned char>(1u << random() % 8)};
    damaged[position] ^= flip;
    const Status status = Engine::load_from_memory(damaged, options).status();
    ASSERT_EQ(status.code(), ErrorCode::corrupt_plan) << "byte " << position;
    damaged[position] ^= flip;
  }
  EXPECT_TRUE(Engine::load_from_memory(damaged, options).ok());
}

TEST_F(PlanFile, WeightsAreCheckedOnRequest) {
  Bytes bytes = demo_plan().build();
  plan::SectionEntry weights;
  std::memcpy(&weights, bytes.data() + 64 + 2 * 32, sizeof weights);
  bytes[weights.offset] ^= std::byte{1};
  EXPECT_TRUE(Engine::load_from_memory(bytes).ok());
  EngineOptions options;
  options.verify_weights = true;
  EXPECT_THAT(Engine::load_from_memory(bytes, options).status().message(),
              HasSubstr("the WEIGHTS section is damaged (checksum)"));
}

TEST_F(PlanFile, NamesBothVersions) {
  Bytes bytes = demo_plan().build();
  const uint16_t major = kPlanFormatMajor + 1;
  std::memcpy(bytes.data() + 8, &major, sizeof major);
  seal_header(bytes);
  const Status newer = Engine::load_from_memory(bytes).status();
  EXPECT_EQ(newer.code(), ErrorCode::incompatible);
  EXPECT_THAT(newer.message(), HasSubstr("has plan format 2.0; this runtime (Tenon 0.1.0) reads up "
                                         "to 1.0. Use a newer runtime"));

  bytes = demo_plan().build();
  const uint16_t minor = 9;
  std::memcpy(bytes.data() + 10, &minor, sizeof minor);
  seal_header(bytes);
  EXPECT_TRUE(Engine::load_from_memory(bytes).ok());
  bytes[24] = std::byte{4};
  seal_header(bytes);
  EXPECT_THAT(Engine::load_from_memory(bytes).status().message(),
              HasSubstr("has plan format 1.9; this runtime (Tenon 0.1.0) reads up to 1.0 and lacks "
                        "features that the plan needs"));
}

TEST_F(PlanFile, IsInspectedAsTextAndJson) {
  PlanMaker maker = demo_plan();
  maker.debug.steps[0]->tactic = "pointwise \"v16\"";
  maker.debug.steps[0]->kernel_text = "for i in 0..N";
  ASSERT_TRUE(plan::write_plan_file(path("a.plan"), maker.parts()).ok());
  const std::string text = inspect_plan(path("a.plan")).value();
  for (const char* part : {"format 1.0, built by Tenon 0.1.0", "target    cpu:x86-64",
                           "input     \"x\" f32[N,64]   N in 1..512, tuned for 512",
                           "arena     256.0 KiB", "steps     6", "pointwise \"v16\"", "Node_5"}) {
    EXPECT_THAT(text, HasSubstr(part));
  }
  EXPECT_THAT(text, ::testing::Not(HasSubstr("for i in 0..N")));
  EXPECT_THAT(inspect_plan(path("a.plan"), {.json = false, .kernels = true}).value(),
              HasSubstr("kernel 0 \"step_0\"\nfor i in 0..N\n"));
  const std::string json = inspect_plan(path("a.plan"), true).value();
  for (const char* part : {"\"schema\": \"tenon.inspect/1\"", "\"arena_bytes\": 262144",
                           "\"tactic\": \"pointwise \\\"v16\\\"\"", "\"maximum\": 512",
                           "\"kind\": \"copy\"", "\"features\": [\n    \"sse2\"\n  ]"}) {
    EXPECT_THAT(json, HasSubstr(part));
  }
}

}  // namespace
}  // namespace tenon::testing
