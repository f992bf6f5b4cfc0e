// SPDX-License-Identifier: Apache-2.0
// From a network to a plan.
#pragma once

#include <tenon/logger.h>
#include <tenon/network.h>
#include <tenon/status.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace tenon {

/// The sizes a plan is built for: every input dim that is a symbol gets minimum, optimum and maximum.
struct ShapeRange {
  std::vector<int64_t> minimum, optimum, maximum;
};
/// By input name. An input that is left out takes the default: its leading symbol 1:1:64.
using ShapeProfile = std::map<std::string, ShapeRange>;

struct BuildOptions {
  /// "cpu:native", "cpu:x86-64-v3" (AVX2), "cpu:x86-64-v4" (AVX-512), each with "+feature" or "-feature".
  std::string target = "cpu:native";
  ShapeProfile shapes;
  uint32_t threads = 0;                        ///< that the plan is tuned for; 0: all
  int opt_level = 3;                           ///< 0 times nothing
  bool strict_numerics = false;
  bool checked_kernels = false;                ///< test every load and store of generated code
  std::vector<std::string> disabled_passes;    ///< by name; "all" switches off every optional pass
  int64_t stop_after_rewrites = -1;            ///< bisection: no rewrite after so many
  std::vector<std::string> print_after;        ///< pass names; "all"; printed through the logger
  std::string reproducer_directory;            ///< where a failing pass leaves its graph; "" nowhere
  Logger logger;
  Progress progress;
};

struct PassTime {
  std::string phase, name;
  int64_t rewrites = 0;
  double seconds = 0;
};

/// What a build did, for reports.
struct BuildReport {
  std::string target;                          ///< resolved: processor and features
  std::string profile;                         ///< "image 1x1x8x8:1x1x8x8:64x1x8x8"
  int64_t nodes_before = 0, steps = 0;
  std::map<std::string, int64_t> groups;       ///< "conv+relu" -> how many
  int64_t arena_bytes = 0, arena_lower_bound = 0, weight_bytes = 0, code_bytes = 0;
  std::vector<PassTime> passes;
};

/// Builds a plan in memory. The network is consumed.
Result<std::vector<std::byte>> build_plan(Network network, const BuildOptions& options = {},
                                          BuildReport* report = nullptr);

/// Builds a plan into a file, written beside `path` and renamed when complete: never half a file.
Status build_plan_file(Network network, const std::string& path, const BuildOptions& options = {},
                       BuildReport* report = nullptr);

/// Names of all passes in order, for `--disable-pass` and `--print-after`.
std::vector<std::string> pass_names();

/// One operator that Tenon knows, for `tenon ops`.
struct OperatorInfo {
  std::string name;                  ///< "conv"
  std::string onnx;                  ///< "Conv 7+", empty for an internal one
  std::string kind;                  ///< "elementwise", "movement", "loops", "decomposed", "folded"
  std::vector<std::string> types;    ///< element types of the first input
  std::string summary;
};
std::vector<OperatorInfo> operators();

}  // namespace tenon
