// SPDX-License-Identifier: Apache-2.0
#include "tests/support/random_network.h"

#include "builder/ir/constant.h"
#include "builder/ir/graph.h"
#include "builder/ops/op.h"

#include <algorithm>
#include <functional>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace tenon::testing_support {
namespace {

class Maker {
 public:
  Maker(uint32_t seed, DataType type) : random_(seed), type_(type) {}

  Network run() {
    const bool image = below(4) != 0;
    std::vector<InputDim> dims = {below(2) ? InputDim("N") : InputDim(int64_t{2}), 1 + below(4)};
    if (image) dims.insert(dims.end(), {InputDim(3 + below(4)), InputDim(3 + below(4))});
    values_.push_back({network_.add_input("x", type_, dims).value(), shape_of_input()});
    const int64_t wanted = 3 + below(10);
    for (int tries = 0; tries < 100 && added_ < wanted; ++tries) add_any();
    std::set<size_t> outputs = {values_.size() - 1};
    for (int64_t more = below(3); more > 0; --more) outputs.insert(below(values_.size()));
    for (size_t output : outputs) {
      network_.mark_output("y" + std::to_string(output), values_[output].tensor).value();
    }
    return std::move(network_);
  }

 private:
  struct Known {
    NetworkTensor tensor;
    ir::Shape shape;
  };

  int64_t below(int64_t count) {
    return static_cast<int64_t>(random_() % static_cast<uint64_t>(count));
  }

  const ir::Shape& shape_of_input() {
    return network_.graph().body().parameters().back()->type.shape;
  }

  NetworkTensor constant(const std::vector<int64_t>& dims, double low = -2, double high = 2) {
    ops::ReferenceTensor tensor;
    tensor.type = type_;
    tensor.dims = dims;
    for (int64_t i = 0; i < tensor.count(); ++i) {
      tensor.reals.push_back(low + (high - low) * static_cast<double>(below(17)) / 16);
    }
    return network_.add_constant("c" + std::to_string(constants_++), ops::to_tensor_data(tensor))
        .value();
  }

  NetworkTensor integers(const std::vector<int64_t>& values) {
    return network_.add_constant("i" + std::to_string(constants_++), ir::make_i64(values)).value();
  }

  void add(const std::string& op, std::vector<NetworkTensor> inputs, Attributes attributes = {}) {
    NodeDescription node;
    node.op_type = op;
    node.name = op + "_" + std::to_string(added_);
    node.inputs = std::move(inputs);
    node.output_names = {"v" + std::to_string(added_)};
    node.attributes = std::move(attributes);
    const auto made = network_.add_node(node);
    made.status().value();
    // An operator that changes nothing, like a border of no width, gives its input.
    if (const ir::Shape* shape = shape_of(node.output_names[0]))
      values_.push_back({(*made)[0], *shape});
    ++added_;
  }

  const ir::Shape* shape_of(const std::string& name) {
    const auto nodes = network_.graph().body().node_list();
    const auto found = std::find_if(nodes.rbegin(), nodes.rend(), [&](const ir::Node* node) {
      return node->output_count() > 0 && node->output()->name == name;
    });
    return found == nodes.rend() ? nullptr : &(*found)->output()->type.shape;
  }

  /// Mostly the newest value, so that chains form.
  const Known pick() { return below(3) ? values_.back() : values_[below(values_.size())]; }

  bool is_image(const Known& value) const {
    return value.shape.size() == 4 && value.shape[1].is_constant() &&
           value.shape[2].is_constant() && value.shape[2].constant() >= 1 &&
           value.shape[3].constant() >= 1;
  }

  void add_any() {
    const Known x = pick();
    const std::vector<std::function<void()>> makers = {
        [&] { add_conv(x); },      [&] { add_conv(x); },      [&] { add_batch_norm(x); },
        [&] { add_pointwise(x); }, [&] { add_pointwise(x); }, [&] { add_affine(x); },
        [&] { add_affine(x); },    [&] { add_pair(x); },      [&] { add_pool(x); },
        [&] { add_movement(x); },  [&] { add_reduction(x); }, [&] { add_gemm(x); },
        [&] { add_border(x); },    [&] { add_swish(x); },
    };
    makers[below(static_cast<int64_t>(makers.size()))]();
  }

  void add_conv(const Known& x) {
    if (!is_image(x)) return;
    const int64_t channels = x.shape[1].constant();
    const bool grouped = channels % 2 == 0 && below(3) == 0;
    const int64_t group = grouped ? (below(2) ? 2 : channels) : 1;
    const int64_t outputs = group * (1 + below(3));
    const int64_t height = 1 + below(std::min<int64_t>(3, x.shape[2].constant()));
    const int64_t width = 1 + below(std::min<int64_t>(3, x.shape[3].constant()));
    Attributes attributes = {{"group", group}};
    if (below(2)) {
      attributes["pads"] = std::vector<int64_t>{below(2), below(3), below(2), below(3)};
    }
    if (below(4) == 0) attributes["strides"] = std::vector<int64_t>{1 + below(2), 1 + below(2)};
    std::vector<NetworkTensor> inputs = {
        x.tensor, constant({outputs, channels / group, height, width}, -0.5, 0.5)};
    if (below(2)) inputs.push_back(constant({outputs}));
    add("Conv", inputs, attributes);
  }

  void add_batch_norm(const Known& x) {
    if (x.shape.size() < 2 || !x.shape[1].is_constant()) return;
    const std::vector<int64_t> channels = {x.shape[1].constant()};
    add("BatchNormalization", {x.tensor, constant(channels), constant(channels), constant(channels),
                               constant(channels, 0.5, 2)});
  }

  void add_pointwise(const Known& x) {
    static constexpr const char* kOps[] = {"Relu", "Relu", "Sigmoid", "Tanh", "Neg", "Abs"};
    add(kOps[below(6)], {x.tensor});
  }

  void add_swish(const Known& x) {
    add("Sigmoid", {x.tensor});
    add("Mul", {x.tensor, values_.back().tensor});
  }

  /// A sum or product with a constant of one of the shapes that broadcast, on either side.
  void add_affine(const Known& x) {
    std::vector<int64_t> dims;
    const auto rank = static_cast<int64_t>(x.shape.size());
    const int64_t kind = below(4);
    if (kind == 1 && rank >= 2 && x.shape[1].is_constant()) {
      dims.assign(static_cast<size_t>(rank) - 1, 1);
      dims[0] = x.shape[1].constant();
    }
    if (kind == 2 && rank >= 1 && x.shape.back().is_constant()) dims = {x.shape.back().constant()};
    if (kind == 3 && ir::is_static(x.shape)) dims = ir::static_dims(x.shape);
    std::vector<NetworkTensor> inputs = {x.tensor, constant(dims)};
    if (below(4) == 0) std::swap(inputs[0], inputs[1]);
    add(below(2) ? "Mul" : "Add", inputs);
  }

  /// A sum, product or concatenation with another value of the same shape.
  void add_pair(const Known& x) {
    std::vector<Known> fitting;
    for (const Known& other : values_) {
      if (other.shape == x.shape) fitting.push_back(other);
    }
    const Known& other = fitting[below(static_cast<int64_t>(fitting.size()))];
    const int64_t kind = below(4);
    if (kind == 0 && x.shape.size() >= 2) {
      add("Concat", {x.tensor, other.tensor}, {{"axis", int64_t{1}}});
    } else {
      add(kind == 1 ? "Mul" : "Add", {x.tensor, other.tensor});
    }
  }

  void add_pool(const Known& x) {
    if (!is_image(x)) return;
    if (below(4) == 0) return add("GlobalAveragePool", {x.tensor});
    const std::vector<int64_t> kernel = {1 + below(std::min<int64_t>(2, x.shape[2].constant())),
                                         1 + below(std::min<int64_t>(2, x.shape[3].constant()))};
    Attributes attributes = {{"kernel_shape", kernel}};
    if (below(2)) attributes["strides"] = std::vector<int64_t>{2, 2};
    if (kernel[0] == 2 && kernel[1] == 2 && below(3) == 0) {
      attributes["pads"] = std::vector<int64_t>{1, 0, 0, 1};
    }
    add(below(2) ? "MaxPool" : "AveragePool", {x.tensor}, attributes);
  }

  void add_movement(const Known& x) {
    const auto rank = static_cast<int64_t>(x.shape.size());
    if (rank == 4 && below(2)) {
      return add("Flatten", {x.tensor}, {{"axis", int64_t{1}}});
    }
    if (rank >= 2 && below(2)) {
      std::vector<int64_t> permutation;
      for (int64_t axis = 0; axis < rank; ++axis) permutation.push_back(axis);
      std::shuffle(permutation.begin() + below(2), permutation.end(), random_);
      return add("Transpose", {x.tensor}, {{"perm", permutation}});
    }
    if (rank >= 2 && x.shape[1].is_constant() && x.shape[1].constant() > 1) {
      add("Slice", {x.tensor, integers({1}), integers({x.shape[1].constant()}), integers({1})});
    }
  }

  void add_border(const Known& x) {
    std::vector<int64_t> pads;
    for (size_t i = 0; i < 2 * x.shape.size(); ++i) pads.push_back(below(2));
    if (!x.shape.empty() && below(2)) pads[0] = pads[x.shape.size()] = 0;
    add("Pad", {x.tensor, integers(pads)});
  }

  void add_reduction(const Known& x) {
    if (x.shape.empty()) return;
    const auto rank = static_cast<int64_t>(x.shape.size());
    if (below(2)) return add("Softmax", {x.tensor}, {{"axis", rank - 1}});
    static constexpr const char* kOps[] = {"ReduceSum", "ReduceMean", "ReduceMax"};
    add(kOps[below(3)], {x.tensor, integers({rank - 1})}, {{"keepdims", below(2)}});
  }

  void add_gemm(const Known& x) {
    if (x.shape.size() != 2 || !x.shape[1].is_constant()) return;
    const int64_t depth = x.shape[1].constant(), outputs = 1 + below(5);
    const int64_t transposed = below(2);
    std::vector<NetworkTensor> inputs = {x.tensor};
    inputs.push_back(constant(
        transposed ? std::vector<int64_t>{outputs, depth} : std::vector<int64_t>{depth, outputs},
        -0.5, 0.5));
    if (below(2))
      inputs.push_back(constant(below(2) ? std::vector<int64_t>{outputs} : std::vector<int64_t>{}));
    add("Gemm", inputs, {{"transB", transposed}, {"beta", below(2) ? 1.0 : 2.0}});
  }

  std::mt19937 random_;
  DataType type_;
  Network network_;
  std::vector<Known> values_;
  int64_t constants_ = 0, added_ = 0;
};

}  // namespace

Network random_network(uint32_t seed, DataType type) { return Maker(seed, type).run(); }

}  // namespace tenon::testing_support
