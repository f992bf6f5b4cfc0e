// SPDX-License-Identifier: Apache-2.0
// The slim runtime: load a plan, run it. Needs only libtenon_runtime and the C++ standard library.
#pragma once

#include <tenon/data_type.h>
#include <tenon/export.h>
#include <tenon/logger.h>
#include <tenon/status.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tenon {

/// Runs the work items of one step on threads of the caller's choice.
/// One executor may be used by several contexts at once.
class TENON_API Executor {
 public:
  virtual ~Executor() = default;
  /// Number of workers; `worker` below is in [0, worker_count()).
  virtual uint32_t worker_count() const = 0;
  /// Calls task(begin, end, worker) so that [0, items) is covered exactly once, and returns when all
  /// calls have returned. Within one parallel_for no two calls with one `worker` overlap; those of
  /// different contexts may. `grain`: smallest useful chunk.
  virtual void parallel_for(int64_t items, int64_t grain,
                            const std::function<void(int64_t, int64_t, uint32_t)>& task) = 0;
};

/// A pool of `threads` workers, the calling thread being one of them. Safe to share between contexts;
/// their steps then take turns. 0: one for each processor; at most 1024. `spin_microseconds`: how long an idle worker spins before it sleeps.
TENON_API std::shared_ptr<Executor> make_thread_pool(uint32_t threads,
                                                     uint32_t spin_microseconds = 50);

struct EngineOptions {
  /// Empty: a pool with `threads` workers that belongs to the engine.
  std::shared_ptr<Executor> executor;
  /// 0: one for each processor this process may use.
  uint32_t threads = 0;
  /// Instruction sets to pretend absent ("avx512f", ...), for tests of plans that need them.
  std::vector<std::string> masked_features;
  /// Also test the checksums of the weights, which reads the whole file.
  bool verify_weights = false;
  Logger logger;
};

/// A dim of a binding: a constant, or an expression over symbols with the bounds of the profile.
struct DimInfo {
  std::string expression;  ///< "3", "N", "4*H+1"
  int64_t minimum = 0;
  int64_t optimum = 0;     ///< what the builder tuned for
  int64_t maximum = 0;
};

/// An input or output of a plan.
struct BindingInfo {
  std::string name;
  DataType type = DataType::f32;
  std::vector<DimInfo> dims;
};

/// One step of a plan: one kernel call.
struct StepInfo {
  std::string name;                   ///< unique in the plan
  std::vector<std::string> origins;   ///< the ONNX nodes it computes
  std::string operators;              ///< "conv+relu"
  std::string tactic;                 ///< family and schedule, as `tenon inspect` prints it
  double operations = 0;              ///< arithmetic operations at the optimum shape
  double bytes = 0;                   ///< compulsory bytes read and written at the optimum shape
};

/// A tensor as a step left it, valid during the callback only.
struct TensorEvent {
  int64_t step = 0;               ///< index into Engine::steps()
  std::string_view name;          ///< the ONNX tensor, or empty for one that the passes made
  DataType type = DataType::f32;
  std::span<const int64_t> dims;
  std::span<const int64_t> strides;  ///< in elements; a layout with blocks is unpacked first
  const void* data = nullptr;
};

class Context;

/// A loaded plan: immutable, cheap to copy, used from any number of threads at once.
class TENON_API Engine {
 public:
  /// A move copies, so that every engine can be used.
  Engine(const Engine&) = default;
  Engine& operator=(const Engine&) = default;

  /// Maps the file, verifies it once and makes its code executable.
  static Result<Engine> load(const std::string& path, const EngineOptions& options = {});
  /// The same from memory; the bytes are copied.
  static Result<Engine> load_from_memory(std::span<const std::byte> plan,
                                         const EngineOptions& options = {});

  const std::vector<BindingInfo>& inputs() const;
  const std::vector<BindingInfo>& outputs() const;
  const std::vector<StepInfo>& steps() const;
  /// Bytes of the arena of one context at the profile's maximum, and the lower bound of any placement
  /// of the same steps in the same order.
  int64_t arena_bytes() const;
  int64_t arena_lower_bound() const;
  int64_t weight_bytes() const;
  int64_t code_bytes() const;
  /// What the plan was built for, e.g. "cpu:znver5 (+avx512f,...)".
  const std::string& target() const;
  uint32_t worker_count() const;

  Result<Context> create_context() const;
  /// Uses `arena` (64-byte aligned, arena_bytes() long, the caller's, outliving the context) instead of
  /// allocating; contexts that never run at once may share one.
  Result<Context> create_context(std::span<std::byte> arena) const;

  struct Implementation;

 private:
  friend class Context;
  explicit Engine(std::shared_ptr<const Implementation> implementation);
  std::shared_ptr<const Implementation> implementation_;
};

/// The state of one run at a time. Different contexts run at once; using one context from two threads
/// at once is reported as an error. Keeps its engine alive. Movable.
class TENON_API Context {
 public:
  Context(Context&&) noexcept;
  Context& operator=(Context&&) noexcept;
  ~Context();

  /// Binds caller's memory, row-major, not copied, aligned to its element; it must outlive run().
  Status set_input(std::string_view name, const void* data, std::span<const int64_t> dims);
  /// As above and also checks the element type.
  Status set_input(std::string_view name, DataType type, const void* data,
                   std::span<const int64_t> dims);
  /// Binds where an output is written: `bytes` long, which must be enough at run().
  Status set_output(std::string_view name, void* data, size_t bytes);

  /// Dims of an output for the inputs bound now.
  Result<std::vector<int64_t>> output_dims(std::string_view name);

  /// Runs all steps and returns when the outputs are written.
  Status run();

  /// Called after each step of each run with its index and duration. Empty: none, no cost.
  void set_step_callback(std::function<void(int64_t step, double seconds)> callback);
  /// Called for every tensor that a step has written, in order. Empty: none, no cost.
  void set_tensor_callback(std::function<void(const TensorEvent&)> callback);

  struct Implementation;

 private:
  friend class Engine;
  explicit Context(std::unique_ptr<Implementation> implementation);
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace tenon
