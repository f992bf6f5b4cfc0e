// SPDX-License-Identifier: Apache-2.0
// The ten models that the tests run, and their plans.
#pragma once

#include <tenon/builder.h>
#include <tenon/network.h>
#include <tenon/runtime.h>
#include <tenon/status.h>

#include <string>
#include <vector>

namespace tenon::models {

struct ModelCase {
  std::string name;
  std::string model;     ///< path of the ONNX file
  std::string input;     ///< path of the input's .npy
  std::string expected;  ///< path of ONNX Runtime's output
  int64_t rows = 1;      ///< of the input, when the batch is dynamic
};
std::vector<ModelCase> all_models();

/// A plan file of this test process, removed with the object.
class PlanFile {
 public:
  PlanFile(const ModelCase& model, const BuildOptions& options);
  ~PlanFile();
  const Status& status() const { return status_; }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
  Status status_;
};

/// Build options that allow the rows of the case's input; without any pass when `passes` is false.
BuildOptions options_for(const ModelCase& model, bool passes);

/// Runs the only output of a plan on the case's input.
Result<std::vector<float>> run(const Engine& engine, const ModelCase& model);

/// |a - b| / |b|
double relative_l2(const std::vector<float>& a, const std::vector<float>& b);
std::vector<float> read_floats(const std::string& path);

}  // namespace tenon::models
