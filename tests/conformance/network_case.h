// SPDX-License-Identifier: Apache-2.0
// Small networks written by hand, with their answers: each is built with no passes and with all,
// run from memory, and written to a file and run again.
#pragma once

#include "builder/ops/op.h"

#include <tenon/builder.h>
#include <tenon/network.h>

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace tenon::conformance {

using ops::ReferenceTensor;

ReferenceTensor floats(std::vector<int64_t> dims, std::vector<double> values,
                       DataType type = DataType::f32);
ReferenceTensor integers(std::vector<int64_t> dims, std::vector<int64_t> values,
                         DataType type = DataType::i64);
/// 0, 1, 2 ... in f32.
ReferenceTensor counting(std::vector<int64_t> dims, double first = 0);

/// A network under construction; the first error stays in `status`.
class NetworkCase {
 public:
  NetworkTensor input(const std::string& name, const ReferenceTensor& value);
  NetworkTensor constant(const ReferenceTensor& value);
  std::vector<NetworkTensor> nodes(const std::string& op, int64_t opset,
                                   const std::vector<NetworkTensor>& inputs, Attributes attributes,
                                   int output_count);
  NetworkTensor node(const std::string& op, int64_t opset, const std::vector<NetworkTensor>& inputs,
                     Attributes attributes = {});
  /// Outputs are "y0", "y1" ...
  void output(NetworkTensor tensor);

  Network network{"case"};
  std::map<std::string, TensorData> inputs;
  Status status;

 private:
  template <typename T>
  T take(Result<T> result);
  int names_ = 0, outputs_ = 0;
};

using Make = std::function<void(NetworkCase&)>;

/// Expects these outputs in every way of building and running.
void expect_outputs(const Make& make, const std::vector<ReferenceTensor>& expected,
                    double tolerance = 1e-5);
/// Expects "not supported yet", and `what` in the message, when the network is made or built.
void expect_unsupported(const Make& make, const std::string& what);

}  // namespace tenon::conformance
