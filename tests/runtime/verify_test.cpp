// SPDX-License-Identifier: Apache-2.0
// The verifier: plans whose checksums are right and whose meaning is not.
#include "runtime/plan/verify.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "runtime/base/hash.h"
#include "tests/runtime/demo_run.h"

namespace tenon::testing {
namespace {

using ::testing::HasSubstr;

struct Damage {
  const char* message;
  void (*apply)(plan::MetaT& meta);
};

// The demo plan: buffers x 0, index 1, sum 2, echo 3, picked 4, table 5, arena 6..8.
const Damage kDamages[] = {
    {"has no program", [](plan::MetaT& m) { m.program.reset(); }},
    {"a table is missing", [](plan::MetaT& m) { m.program->steps[0].reset(); }},
    {"dim 0 is malformed",
     [](plan::MetaT& m) { m.program->dim_program[0] = {plan::DimOp::symbol, 2, 0}; }},
    {"dim 5 is malformed",
     [](plan::MetaT& m) { m.program->dim_program[5] = {plan::DimOp::add, 5, 0}; }},
    {"dim 5 is malformed",
     [](plan::MetaT& m) { m.program->dim_program[5] = {plan::DimOp::round_up, 0, 1}; }},
    {"dim 5 is malformed",
     [](plan::MetaT& m) { m.program->dim_program[5] = {static_cast<plan::DimOp>(10), 0, 1}; }},
    {"at the maximum, dim 5 of the plan overflows or divides by 0",
     [](plan::MetaT& m) {
       m.program->dim_program[2] = {plan::DimOp::constant, int64_t{1} << 62, 0};
     }},
    {"input \"x\" stands twice", [](plan::MetaT& m) { m.program->inputs[1]->name = "x"; }},
    {"input \"x\" has a bad type or rank",
     [](plan::MetaT& m) { m.program->inputs[0]->dim_text.pop_back(); }},
    {"output \"sum\" has a bad type", [](plan::MetaT& m) { m.program->outputs[0]->type = 23; }},
    {"input \"x\" has a bad dim", [](plan::MetaT& m) { m.program->inputs[0]->dims[0] = 1000; }},
    {"input \"x\" has no buffer", [](plan::MetaT& m) { m.program->inputs[0]->buffer = 99; }},
    {"output \"sum\" has the buffer of another",
     [](plan::MetaT& m) { m.program->outputs[0]->buffer = 6; }},
    {"symbol \"N\" has a bad range", [](plan::MetaT& m) { m.program->symbols[0]->minimum = 513; }},
    {"symbol \"N\" belongs to no axis", [](plan::MetaT& m) { m.program->symbols[0]->axis = 2; }},
    {"symbol \"N\" is not the dim of its axis",
     [](plan::MetaT& m) { m.program->symbols[0]->axis = 1; }},
    {"buffer 6 is malformed", [](plan::MetaT& m) { m.program->buffers[6]->bytes = 1000; }},
    {"buffer 6 is malformed",
     [](plan::MetaT& m) { m.program->buffers[6]->kind = static_cast<plan::BufferKind>(4); }},
    {"buffer 0 does not fit its input", [](plan::MetaT& m) { m.program->buffers[0]->bytes = 3; }},
    {"buffer 5 lies outside the weights",
     [](plan::MetaT& m) { m.program->buffers[5]->offset = 64; }},
    {"buffer 5 lies outside the weights",
     [](plan::MetaT& m) { m.program->buffers[5]->offset = 8; }},
    {"step 0: it is not said which arguments are written",
     [](plan::MetaT& m) { m.program->steps[0]->argument_writes.pop_back(); }},
    {"step 0: argument 1 has no buffer",
     [](plan::MetaT& m) { m.program->steps[0]->arguments[1] = {9, 0xffffffff}; }},
    {"step 0: argument 1 begins outside its buffer",
     [](plan::MetaT& m) { m.program->steps[0]->arguments[1] = {1, 5}; }},
    {"step 0: argument 0 writes to an input or a weight",
     [](plan::MetaT& m) { m.program->steps[0]->argument_writes[0] = true; }},
    {"step 5: argument 0 writes to an input or a weight",
     [](plan::MetaT& m) { m.program->steps[5]->argument_writes[0] = true; }},
    {"step 1: argument 0 reads a buffer that no step has written",
     [](plan::MetaT& m) {
       m.program->steps[0]->argument_writes[2] = false;
       m.program->steps[0]->arguments[2] = {0, 0xffffffff};
     }},
    {"step 0: its kernel lies outside the code",
     [](plan::MetaT& m) { m.program->steps[0]->entry = 1 << 20; }},
    {"step 0: it has a bad dim or grid", [](plan::MetaT& m) { m.program->steps[0]->grid = 99; }},
    {"step 0: it has a bad dim or grid", [](plan::MetaT& m) { m.program->steps[0]->grain = 0; }},
    {"step 3: it has a bad dim or grid", [](plan::MetaT& m) { m.program->steps[3]->dims[0] = 99; }},
    {"step 1: it needs more scratch", [](plan::MetaT& m) { m.program->steps[1]->scratch = 5; }},
    {"step 0: it is of an unknown kind",
     [](plan::MetaT& m) { m.program->steps[0]->kind = static_cast<plan::StepKind>(2); }},
    {"step 4: the copy is malformed",
     [](plan::MetaT& m) { m.program->steps[4]->arguments[1] = {2, 0xffffffff}; }},
    {"no step writes output \"picked\"", [](plan::MetaT& m) { m.program->steps.pop_back(); }},
    {"buffer 0 is not in the arena but placed above others",
     [](plan::MetaT& m) { m.program->buffers[0]->below = {6}; }},
    {"buffer 6 is placed above buffer 7, which is not an earlier one",
     [](plan::MetaT& m) { m.program->buffers[6]->below = {7}; }},
    {"buffer 8 is placed above buffer 0, which is not",
     [](plan::MetaT& m) { m.program->buffers[8]->below = {0}; }},
    {"buffer 8 lies at 64 of the arena instead of 131072",
     [](plan::MetaT& m) { m.program->buffers[8]->offset = 64; }},
    {"buffer 8 ends outside the arena", [](plan::MetaT& m) { m.program->arena_bytes -= 64; }},
    {"buffer 8 overlaps buffer 6",
     [](plan::MetaT& m) {
       m.program->buffers[8]->below.clear();
       m.program->buffers[8]->offset = 0;
     }},
    {"the arena or the scratch memory is too large",
     [](plan::MetaT& m) { m.program->arena_bytes = ~uint64_t{0}; }},
};

TEST(Verify, AcceptsTheDemoPlan) {
  const PlanMaker maker = demo_plan();
  EXPECT_EQ(plan::verify_meta(maker.meta, 4096, 40).to_string(), "ok");
  EXPECT_EQ(plan::verify_debug(maker.debug, maker.meta).to_string(), "ok");
}

TEST(Verify, NamesWhatIsWrong) {
  for (const Damage& damage : kDamages) {
    PlanMaker maker = demo_plan();
    damage.apply(maker.meta);
    const Status status = plan::verify_meta(maker.meta, 4096, 40);
    EXPECT_EQ(status.code(), ErrorCode::corrupt_plan);
    EXPECT_THAT(status.message(), HasSubstr(damage.message));
  }
}

TEST(Verify, BuffersMustBeOrderedNotOnlyDisjointAtTheMaximum) {
  // `reversed` above `twice` by way of a buffer that is as large at the maximum, but not below it.
  PlanMaker maker = demo_plan();
  plan::ProgramT& program = maker.program();
  const uint32_t constant = maker.constant(512 * 64 * 4);
  const uint32_t filler = maker.arena(constant);
  std::swap(program.buffers[filler], program.buffers[7]);
  program.buffers[8]->below = {7};
  EXPECT_THAT(plan::verify_meta(maker.meta, 4096, 40).message(),
              HasSubstr("buffer 8 may overlap buffer 6 at other shapes"));
}

TEST(Verify, DebugInformationMustDescribeTheSteps) {
  using Apply = void (*)(plan::DebugT&);
  for (const Apply apply : std::initializer_list<Apply>{
           [](plan::DebugT& d) { d.steps.pop_back(); }, [](plan::DebugT& d) { d.steps[0].reset(); },
           [](plan::DebugT& d) { d.steps[0]->tensors[0].reset(); },
           [](plan::DebugT& d) { d.steps[0]->tensors[0]->argument = 3; },
           [](plan::DebugT& d) { d.steps[0]->tensors[0]->type = 200; },
           [](plan::DebugT& d) { d.steps[0]->tensors[0]->dims[0] = 1000; },
           [](plan::DebugT& d) { d.steps[0]->tensors[0]->permutation = {0, 0}; },
           [](plan::DebugT& d) { d.steps[0]->tensors[0]->block_axes = {2}; },
           [](plan::DebugT& d) {
             d.steps[0]->tensors[0]->block_axes = {1};
             d.steps[0]->tensors[0]->block_sizes = {0};
           }}) {
    PlanMaker maker = demo_plan();
    apply(maker.debug);
    const Status status = plan::verify_debug(maker.debug, maker.meta);
    EXPECT_EQ(status.code(), ErrorCode::corrupt_plan);
    EXPECT_THAT(status.message(), HasSubstr("debug information"));
  }
}

// Changes bytes of META and DEBUG and makes all checksums right again.
void mutate(std::vector<std::byte>& plan, std::mt19937& random) {
  plan::FileHeader header;
  std::memcpy(&header, plan.data(), sizeof header);
  std::vector<plan::SectionEntry> table(header.section_count);
  std::memcpy(table.data(), plan.data() + 64, 32 * table.size());
  plan::SectionEntry& section = table[random() % 4 == 0 ? 3 : 0];
  for (uint32_t changes = 1 + random() % 3; changes > 0; --changes) {
    const size_t at = section.offset + random() % section.bytes;
    const unsigned char values[] = {0, 0xff, 0x80, 0x7f, 1, static_cast<unsigned char>(random())};
    const size_t width = size_t{1} << random() % 4;
    for (size_t i = at; i < std::min(at + width, section.offset + section.bytes); ++i) {
      plan[i] = std::byte{values[random() % 6]};
    }
  }
  section.checksum = checksum64(std::span(plan).subspan(section.offset, section.bytes));
  std::memcpy(plan.data() + 64, table.data(), 32 * table.size());
  header.table_checksum = checksum64(std::span(plan).subspan(64, 32 * table.size()));
  std::memcpy(plan.data(), &header, sizeof header);
  header.header_checksum = checksum64(std::span(plan).first(56));
  std::memcpy(plan.data(), &header, sizeof header);
}

void mutate_many(int count) {
  const std::vector<std::byte> sound = demo_plan().build();
  std::mt19937 random(1);
  int rejected = 0;
  const EngineOptions options = with_threads(1);
  for (int i = 0; i < count; ++i) {
    std::vector<std::byte> plan = sound;
    mutate(plan, random);
    const Result<Engine> engine = Engine::load_from_memory(plan, options);
    if (engine.ok()) {
      // What passes is consistent, so that contexts and shapes of it are safe; its kernels may be
      // wrong.
      const Result<Context> context = engine->create_context();
      if (context.ok()) continue;
      EXPECT_EQ(context.status().code(), ErrorCode::out_of_memory);
    } else {
      const ErrorCode code = engine.status().code();
      EXPECT_TRUE(code == ErrorCode::corrupt_plan || code == ErrorCode::incompatible)
          << engine.status().to_string();
    }
    ++rejected;
  }
  EXPECT_GT(rejected, count / 4) << "mutations hit nothing";
}

TEST(Verify, SurvivesMutations) { mutate_many(20000); }
TEST(Verify, SurvivesMutationsExtended) { mutate_many(500000); }

}  // namespace
}  // namespace tenon::testing
