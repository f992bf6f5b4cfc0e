// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <exception>
#include <new>

#include "runtime/base/cpu_features.h"
#include "runtime/base/kernel_abi.h"
#include "runtime/context_implementation.h"
#include "runtime/engine_implementation.h"

namespace tenon {
namespace {

std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

Status check_processor(const plan::MetaT& meta, const std::vector<std::string>& masked) {
  for (const std::string& name : masked) {
    if (is_cpu_feature(name)) continue;
    return {ErrorCode::bad_argument,
            "masked_features: no instruction set is called \"" + name +
                "\"; names are those of the plan's target, such as avx512f"};
  }
  const std::vector<std::string> available = cpu_features(masked);
  std::vector<std::string> missing = missing_features(meta.features, available);
  if (missing.empty() &&
      missing_features(std::vector<std::string>{"amx-tile"}, meta.features).empty() &&
      !enable_amx()) {
    missing.push_back("amx-tile");
  }
  if (missing.empty()) return {};
  std::string masked_text;
  if (!masked.empty()) masked_text = " (with " + joined(masked) + " masked)";
  return {ErrorCode::incompatible, "built for " + meta.target + " (needs " + joined(meta.features) +
                                       "); this processor" + masked_text + " lacks " +
                                       joined(missing) + ". Build with --target " +
                                       std::string(portable_target(available)) + "."};
}

Status check_compatible(const plan::MetaT& meta, const EngineOptions& options) {
  if (meta.kernel_abi != kKernelAbiVersion) {
    return {ErrorCode::incompatible,
            "built by Tenon " + meta.tenon_version + " with kernel interface " +
                std::to_string(meta.kernel_abi) + "; this runtime has " +
                std::to_string(kKernelAbiVersion) +
                ". Build the plan again, or use the runtime of its version."};
  }
  return check_processor(meta, options.masked_features);
}

Result<std::shared_ptr<const Engine::Implementation>> make_engine(std::string name, MappedFile file,
                                                                  const EngineOptions& options) {
  auto engine = std::make_shared<Engine::Implementation>();
  TENON_ASSIGN(engine->plan,
               plan::open_plan(std::move(name), std::move(file), options.verify_weights));
  const plan::Plan& plan = engine->plan;
  TENON_RETURN_IF_ERROR(check_compatible(*plan.meta, options).with_context(plan.name));
  plan.file.expect_use(plan.sections.weights);
  TENON_ASSIGN(engine->code, runtime::LoadedCode::load(plan.sections.code));
  engine->executor = options.executor ? options.executor : make_thread_pool(options.threads);
  engine->workers = engine->executor->worker_count();
  if (engine->workers == 0) {
    return Status(ErrorCode::bad_argument, "EngineOptions::executor has no workers");
  }
  engine->inputs = runtime::describe_bindings(*plan.meta->program, true);
  engine->outputs = runtime::describe_bindings(*plan.meta->program, false);
  engine->steps = runtime::describe_steps(plan);
  engine->target = runtime::describe_target(*plan.meta);
  if (options.logger) {
    options.logger(LogLevel::debug, "loaded " + plan.name + " for " + engine->target + ", " +
                                        std::to_string(engine->workers) + " workers");
  }
  return std::shared_ptr<const Engine::Implementation>(std::move(engine));
}

}  // namespace

Engine::Engine(std::shared_ptr<const Implementation> implementation)
    : implementation_(std::move(implementation)) {}

Result<Engine> Engine::load(const std::string& path, const EngineOptions& options) {
  return runtime::without_exceptions([&]() -> Result<Engine> {
    TENON_ASSIGN(MappedFile file, MappedFile::open(path));
    TENON_ASSIGN(auto implementation, make_engine(path, std::move(file), options));
    return Engine(std::move(implementation));
  });
}

Result<Engine> Engine::load_from_memory(std::span<const std::byte> plan,
                                        const EngineOptions& options) {
  return runtime::without_exceptions([&]() -> Result<Engine> {
    TENON_ASSIGN(MappedFile file, MappedFile::copy_of(plan));
    TENON_ASSIGN(auto implementation, make_engine("plan", std::move(file), options));
    return Engine(std::move(implementation));
  });
}

const std::vector<BindingInfo>& Engine::inputs() const { return implementation_->inputs; }
const std::vector<BindingInfo>& Engine::outputs() const { return implementation_->outputs; }
const std::vector<StepInfo>& Engine::steps() const { return implementation_->steps; }

int64_t Engine::arena_bytes() const {
  return static_cast<int64_t>(implementation_->program().arena_bytes);
}
int64_t Engine::arena_lower_bound() const {
  return static_cast<int64_t>(implementation_->program().arena_lower_bound);
}
int64_t Engine::weight_bytes() const {
  return static_cast<int64_t>(implementation_->plan.sections.weights.size());
}
int64_t Engine::code_bytes() const {
  return static_cast<int64_t>(implementation_->plan.sections.code.size());
}
const std::string& Engine::target() const { return implementation_->target; }
uint32_t Engine::worker_count() const { return implementation_->workers; }

Result<Context> Engine::create_context() const { return create_context({}); }

Result<Context> Engine::create_context(std::span<std::byte> arena) const {
  return runtime::without_exceptions([&]() -> Result<Context> {
    const auto needed = static_cast<size_t>(arena_bytes());
    if (arena.data() != nullptr &&
        (arena.size() < needed || reinterpret_cast<uintptr_t>(arena.data()) % 64 != 0)) {
      return Status(ErrorCode::bad_argument, "the arena given must be 64-byte aligned and " +
                                                 std::to_string(needed) + " bytes long; it has " +
                                                 std::to_string(arena.size()));
    }
    TENON_ASSIGN(auto implementation, Context::Implementation::create(implementation_, arena));
    return Context(std::move(implementation));
  });
}

}  // namespace tenon
