// SPDX-License-Identifier: Apache-2.0
#include "tests/contraction/kernels.h"

#include <memory>
#include <vector>

namespace tenon::test {

using ir::Dim;
using loop::ExprOp;
using loop::ExprPointer;

namespace {

const char* to_string(Epilogue epilogue) {
  switch (epilogue) {
    case Epilogue::none:
      return "none";
    case Epilogue::bias_relu:
      return "bias_relu";
    case Epilogue::residual:
      return "residual";
    case Epilogue::polynomial:
      return "polynomial";
    case Epilogue::gelu:
      return "gelu";
  }
  return "";
}

int add_buffer(loop::Kernel& kernel, const char* name, DataType type, ir::Shape shape,
               const ir::Layout& layout = {}) {
  loop::Buffer buffer;
  buffer.name = name;
  buffer.type = {type, std::move(shape), layout};
  kernel.buffers.push_back(std::move(buffer));
  return static_cast<int>(kernel.buffers.size()) - 1;
}

loop::Stage sum_stage(std::vector<loop::Reduction::ReduceAxis> axes, ExprPointer value) {
  auto reduction = std::make_shared<loop::Reduction>();
  reduction->axes = std::move(axes);
  reduction->identities = {loop::real_constant(value->type, 0)};
  reduction->values = {std::move(value)};
  loop::Stage stage;
  stage.name = "sum";
  stage.reduction = std::move(reduction);
  return stage;
}

/// Adds the buffers that the epilogue reads, the output, and the stage that stores it.
void add_epilogue(loop::Kernel& kernel, Epilogue epilogue, const ir::TensorType& output,
                  const std::vector<ExprPointer>& indices, const Dim& columns, int column) {
  const DataType type = output.type;
  const auto real = [&](double value) { return loop::real_constant(type, value); };
  ExprPointer value = loop::stage_value(0, 0, type);
  if (epilogue != Epilogue::none) {
    const int bias = add_buffer(kernel, "bias", type, {columns});
    kernel.buffers[bias].constant = true;
    value = value + loop::load(bias, type, {loop::axis(column)});
  }
  if (epilogue == Epilogue::bias_relu) value = loop::binary(ExprOp::maximum, value, real(0));
  if (epilogue == Epilogue::residual) {
    const int residual = add_buffer(kernel, "residual", type, output.shape, output.layout);
    value = value * real(0.5) + loop::load(residual, type, indices);
  }
  for (int term = 0; epilogue == Epilogue::polynomial && term < 24; ++term) {
    value = value * real(0.75) + real(0.125 * term);
  }
  if (epilogue == Epilogue::gelu) {
    value =
        value * real(0.5) * (real(1) + loop::unary(ExprOp::erf, value * real(0.7071067811865476)));
  }
  const int result = add_buffer(kernel, "y", type, output.shape, output.layout);
  kernel.buffers[result].written = true;
  if (epilogue == Epilogue::none) {
    kernel.stages[0].buffer = result;
    kernel.stages[0].indices = indices;
    return;
  }
  loop::Stage stage;
  stage.name = "epilogue";
  stage.values = {value};
  stage.buffer = result;
  stage.indices = indices;
  kernel.stages.push_back(std::move(stage));
}

}  // namespace

std::string to_string(const ConvolutionShape& s) {
  const auto text = [](int64_t value) { return std::to_string(value); };
  return "n" + s.n.to_string() + " oh" + s.oh.to_string() + " ow" + s.ow.to_string() + " ic" +
         text(s.ic) + " oc" + text(s.oc) + " kh" + text(s.kh) + " kw" + text(s.kw) + " stride" +
         text(s.stride) + " dilation" + text(s.dilation) + " groups" + text(s.groups) +
         (s.channels_last ? " nhwc " : " nchw ") + to_string(s.epilogue);
}

loop::Kernel convolution(const ConvolutionShape& s) {
  using loop::axis;
  using loop::index_constant;
  loop::Kernel kernel;
  kernel.name = "convolution";
  const int n = 0;
  const int oh = s.channels_last ? 1 : 2;
  const int ow = s.channels_last ? 2 : 3;
  const int oc = s.channels_last ? 3 : 1;
  kernel.grid_rank = 4;
  kernel.axes.resize(7);
  kernel.axes[n] = {"n", s.n};
  kernel.axes[oh] = {"oh", s.oh};
  kernel.axes[ow] = {"ow", s.ow};
  kernel.axes[oc] = {"oc", s.oc};
  const int64_t ic = s.ic / s.groups;
  kernel.axes[4] = {"ic", ic};
  kernel.axes[5] = {"kh", s.kh};
  kernel.axes[6] = {"kw", s.kw};

  const auto padded = [&](const Dim& out, int64_t taps) {
    return (out - Dim(1)) * Dim(s.stride) + Dim((taps - 1) * s.dilation + 1);
  };
  const auto position = [&](int out, int tap) {
    return axis(out) * index_constant(s.stride) + axis(tap) * index_constant(s.dilation);
  };
  const ir::Layout layout = s.channels_last ? ir::Layout::channels_last(4) : ir::Layout{};
  const DataType f32 = DataType::f32;
  const int x =
      add_buffer(kernel, "x", f32, {s.n, s.ic, padded(s.oh, s.kh), padded(s.ow, s.kw)}, layout);
  const int w = add_buffer(kernel, "w", f32, {s.oc, ic, s.kh, s.kw});
  kernel.buffers[w].constant = true;
  ExprPointer channel = axis(4);
  if (s.groups > 1) {
    const ExprPointer group =
        loop::binary(ExprOp::floor_divide, axis(oc), index_constant(s.oc / s.groups));
    channel = group * index_constant(ic) + axis(4);
  }
  const ExprPointer value =
      loop::load(x, f32, {axis(n), channel, position(oh, 5), position(ow, 6)}) *
      loop::load(w, f32, {axis(oc), axis(4), axis(5), axis(6)});
  kernel.stages.push_back(sum_stage({{4, ic}, {5, s.kh}, {6, s.kw}}, value));
  add_epilogue(kernel, s.epilogue, {f32, {s.n, s.oc, s.oh, s.ow}, layout},
               {axis(n), axis(oc), axis(oh), axis(ow)}, s.oc, oc);
  return kernel;
}

std::string to_string(const ProductShape& s) {
  return "batch" + s.batch.to_string() + " m" + s.m.to_string() + " n" + s.n.to_string() + " k" +
         s.k.to_string() + (s.batched_b ? " batched_b" : "") +
         (s.transposed_b ? " transposed_b" : "") + (s.constant_b ? " constant_b " : " ") +
         std::string(tenon::to_string(s.type)) + " of " + std::string(tenon::to_string(s.stored)) +
         " " + to_string(s.epilogue);
}

loop::Kernel product(const ProductShape& s) {
  using loop::axis;
  loop::Kernel kernel;
  kernel.name = "product";
  kernel.grid_rank = 3;
  kernel.axes = {{"b", s.batch}, {"m", s.m}, {"n", s.n}, {"k", s.k}};
  const int left = add_buffer(kernel, "a", s.stored, {s.batch, s.m, s.k});
  ir::Shape shape = s.transposed_b ? ir::Shape{s.n, s.k} : ir::Shape{s.k, s.n};
  std::vector<ExprPointer> indices = {axis(s.transposed_b ? 2 : 3), axis(s.transposed_b ? 3 : 2)};
  if (s.batched_b) {
    shape.insert(shape.begin(), s.batch);
    indices.insert(indices.begin(), axis(0));
  }
  const int right = add_buffer(kernel, "b", s.stored, shape);
  kernel.buffers[right].constant = s.constant_b;
  const ExprPointer value =
      loop::cast(s.type, loop::load(left, s.stored, {axis(0), axis(1), axis(3)})) *
      loop::cast(s.type, loop::load(right, s.stored, indices));
  kernel.stages.push_back(sum_stage({{3, s.k}}, value));
  add_epilogue(kernel, s.epilogue, {s.type, {s.batch, s.m, s.n}, {}}, {axis(0), axis(1), axis(2)},
               s.n, 2);
  return kernel;
}

}  // namespace tenon::test
