// SPDX-License-Identifier: Apache-2.0
#include "tests/models/model_case.h"

#include "tools/npy.h"

#include <tenon/parser.h>

#include <unistd.h>

#include <cmath>
#include <cstring>
#include <filesystem>

namespace tenon::models {

std::vector<ModelCase> all_models() {
  const std::string data = TENON_DATA_DIR;
  const std::string digits = std::string(TENON_SOURCE_DIR) + "/samples/01_digits/";
  std::vector<ModelCase> cases = {{"digits", digits + "digits.onnx", digits + "test_images.npy",
                                   data + "/digits/probabilities.npy", 360}};
  for (const char* name : {"bvlc_alexnet", "densenet121", "inception_v1", "inception_v2", "resnet50",
                           "shufflenet", "squeezenet", "vgg19", "zfnet512"}) {
    const std::string folder = data + "/light/" + name + "/";
    cases.push_back({name, folder + "model.onnx", folder + "input.npy", folder + "output.npy", 1});
  }
  return cases;
}

BuildOptions options_for(const ModelCase& model, bool passes) {
  BuildOptions options;
  if (!passes) options.disabled_passes = {"all"};
  if (model.rows > 1) {
    options.shapes["image"] = {{1, 1, 8, 8}, {model.rows, 1, 8, 8}, {model.rows, 1, 8, 8}};
  }
  return options;
}

PlanFile::PlanFile(const ModelCase& model, const BuildOptions& options) {
  std::filesystem::create_directories(TENON_PLAN_DIR);
  path_ = std::string(TENON_PLAN_DIR) + "/" + model.name + "." + std::to_string(getpid()) + ".plan";
  Result<Network> network = parse_onnx(model.model);
  status_ = network.ok() ? build_plan_file(std::move(*network), path_, options) : network.status();
}

PlanFile::~PlanFile() { std::filesystem::remove(path_); }

std::vector<float> read_floats(const std::string& path) {
  const Result<TensorData> tensor = tools::read_npy(path);
  if (!tensor.ok() || tensor->type != DataType::f32) return {};
  std::vector<float> values(tensor->bytes.size() / sizeof(float));
  std::memcpy(values.data(), tensor->bytes.data(), tensor->bytes.size());
  return values;
}

Result<std::vector<float>> run(const Engine& engine, const ModelCase& model) {
  TENON_ASSIGN(const TensorData input, tools::read_npy(model.input));
  TENON_ASSIGN(Context context, engine.create_context());
  TENON_RETURN_IF_ERROR(context.set_input(engine.inputs()[0].name, input.type, input.bytes.data(),
                                          input.dims));
  TENON_ASSIGN(const std::vector<int64_t> dims, context.output_dims(engine.outputs()[0].name));
  int64_t count = 1;
  for (const int64_t dim : dims) count *= dim;
  std::vector<float> output(count);
  TENON_RETURN_IF_ERROR(
      context.set_output(engine.outputs()[0].name, output.data(), count * sizeof(float)));
  TENON_RETURN_IF_ERROR(context.run());
  return output;
}

double relative_l2(const std::vector<float>& a, const std::vector<float>& b) {
  if (a.size() != b.size()) return INFINITY;
  double difference = 0, norm = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    difference += (static_cast<double>(a[i]) - b[i]) * (static_cast<double>(a[i]) - b[i]);
    norm += static_cast<double>(b[i]) * b[i];
  }
  return std::sqrt(difference / norm);
}

}  // namespace tenon::models
