# SPDX-License-Identifier: Apache-2.0
"""Operators at the opsets where their form differs, on seeded random inputs, against ONNX Runtime."""

import numpy as np
import onnxruntime
import pytest
from onnx import TensorProto, helper, numpy_helper

from node_cases import Case, by_opset, difference, failures, merge, unsupported

FLOAT_UNARY = ["Abs", "Ceil", "Elu", "Exp", "Floor", "HardSigmoid", "LeakyRelu", "LogSoftmax", "Neg", "Relu", "Selu",
               "Sigmoid", "Softmax", "Softplus", "Softsign", "Tanh", "Identity", "Sin", "Cos", "Tan", "Atan"]
SINCE = {"Erf": 9, "Sinh": 9, "Cosh": 9, "Asinh": 9, "Atanh": 9, "Sign": 9, "IsNaN": 9, "Shrink": 9,
         "Round": 11, "Celu": 12, "HardSwish": 14, "Mish": 18, "Gelu": 20}
REDUCTIONS = ["ReduceL1", "ReduceL2", "ReduceLogSumExp", "ReduceMax", "ReduceMean", "ReduceMin", "ReduceProd",
              "ReduceSum", "ReduceSumSquare"]
OPSETS = [7, 9, 11, 13, 17, 21]


class Maker:
    """Makes cases of one opset; constants are initialisers, as most models have them."""

    def __init__(self, opset):
        self.opset, self.cases, self.random = opset, [], np.random.default_rng(opset)

    def values(self, dims, dtype="f4"):
        if np.dtype(dtype).kind in "iu":
            return self.random.integers(0 if dtype[0] == "u" else -5, 9, dims).astype(dtype)
        if dtype == "?":
            return self.random.integers(0, 2, dims).astype("?")
        return (self.random.random(dims) * 4 - 2).astype(dtype)

    def add(self, op, inputs, outputs=1, constants=(), rtol=1e-4, atol=1e-5, **attributes):
        names = [f"x{i}" if value is not None else "" for i, value in enumerate(inputs)]
        given = {n: np.asarray(v) for n, v in zip(names, inputs) if n}
        results = [f"y{i}" for i in range(outputs)]
        node = helper.make_node(op, names, results, name=op, **attributes)
        infos = [helper.make_tensor_value_info(n, helper.np_dtype_to_tensor_dtype(v.dtype), v.shape)
                 for n, v in given.items() if int(n[1:]) not in constants]
        stored = [numpy_helper.from_array(v, n) for n, v in given.items() if int(n[1:]) in constants]
        graph = helper.make_graph([node], "case", infos,
                                  [helper.make_empty_tensor_value_info(n) for n in results], stored)
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", self.opset)], ir_version=8)
        inputs = {n: v for n, v in given.items() if int(n[1:]) not in constants}
        label = " ".join(f"{v.dtype}{list(v.shape)}" for v in given.values())
        self.cases.append(Case(f"{op} {label} {attributes}", model, inputs, [], rtol, atol))

    def elementwise(self):
        ops = FLOAT_UNARY + [op for op, since in SINCE.items() if self.opset >= since]
        for op in ops:
            self.add(op, [self.values([3, 17]) * (0.45 if op == "Atanh" else 1)])
        for op in ["Sqrt", "Log", "Reciprocal"]:
            self.add(op, [self.values([2, 19]) + np.float32(2.5)])
        for op in ["Add", "Sub", "Mul", "Div", "Max", "Min", "Greater", "Less"]:
            if op in ("Max", "Min") and self.opset < 8:
                continue
            for shapes in ([[2, 3, 33], [3, 1]], [[17], [4, 17]], [[], [5]]):
                self.add(op, [self.values(dims) for dims in shapes])
            if self.opset >= 12 or op in ("Add", "Sub", "Mul", "Div"):
                b = self.values([40], "i4")
                self.add(op, [self.values([3, 40], "i4"), np.where(b == 0, 3, b).astype("i4")])
        self.add("Pow", [np.abs(self.values([2, 20])) + np.float32(0.1), self.values([20])])
        self.add("PRelu", [self.values([2, 3, 5]), self.values([3, 1])])
        if self.opset >= 9:
            self.add("Where", [self.values([2, 33], "?"), self.values([33]), self.values([2, 1])])
        if self.opset >= 11:
            self.add("Clip", [self.values([40]), np.float32(-0.5), np.float32(1)], constants=(1, 2))
            self.add("Mod", [self.values([33], "i4"), np.full(33, 3, "i4")])
            self.add("Equal", [self.values([33]), self.values([2, 33])])
        else:
            self.add("Clip", [self.values([40])], min=-0.5, max=1.0)
        for to in (TensorProto.INT32, TensorProto.DOUBLE, TensorProto.FLOAT16, TensorProto.BOOL):
            self.add("Cast", [self.values([37])], to=to)

    def movement(self):
        x = self.values([2, 3, 4, 5])
        self.add("Transpose", [x], perm=[0, 2, 3, 1])
        self.add("Concat", [x, self.values([2, 2, 4, 5])], axis=1)
        self.add("Flatten", [x], axis=2)
        self.add("Reshape", [x, np.array([0, -1, 10])], constants=(1,))
        self.add("Gather", [x, np.array([[0, 2], [1, 1]])], axis=1)
        self.add("Expand" if self.opset >= 8 else "Identity",
                 [self.values([3, 1]), np.array([2, 3, 4])][:2 if self.opset >= 8 else 1], constants=(1,))
        if self.opset >= 13:
            self.add("Squeeze", [self.values([1, 3, 1]), np.array([0])], constants=(1,))
            self.add("Unsqueeze", [x, np.array([0, 5])], constants=(1,))
            self.add("Split", [x, np.array([1, 3])], outputs=2, constants=(1,), axis=2)
        else:
            self.add("Squeeze", [self.values([1, 3, 1])], axes=[0])
            self.add("Unsqueeze", [x], axes=[0, 5])
            self.add("Split", [x], outputs=2, axis=2, split=[1, 3])
        if self.opset >= 11:
            self.add("Slice", [x, np.array([-1, 1]), np.array([-5, 9]), np.array([3, 2]), np.array([-2, 1])],
                     constants=(1, 2, 3, 4))
            self.add("Pad", [x, np.array([0, 1, 0, 2, 1, 0, 0, 1]), np.float32(7)], constants=(1, 2))
        else:
            self.add("Pad", [x], pads=[0, 1, 0, 2, 1, 0, 0, 1], value=7.0)
            self.add("Slice", [x], starts=[1, 0], ends=[9, -1], axes=[2, 3])

    def reductions(self):
        x = self.values([2, 3, 37]) + np.float32(3)
        for op in REDUCTIONS:
            by_input = self.opset >= (13 if op == "ReduceSum" else 18)
            for axes in ([2], [0, 1], [1]):
                if by_input:
                    self.add(op, [x, np.array(axes)], constants=(1,), keepdims=1)
                else:
                    self.add(op, [x], axes=axes, keepdims=0)
        for op in ["ArgMax", "ArgMin"]:
            self.add(op, [x], axis=2, keepdims=0)
        for op in ["Softmax", "LogSoftmax"]:
            for axis in (1, 2):
                self.add(op, [x], axis=axis)
            self.add(op, [x])
        if self.opset >= 17:
            self.add("LayerNormalization", [x, self.values([37]), self.values([37])])

    def contractions(self):
        for m, k, n in ((1, 7, 5), (13, 33, 40), (3, 64, 17)):
            self.add("MatMul", [self.values([m, k]), self.values([k, n])], constants=(1,), atol=1e-4)
            self.add("MatMul", [self.values([2, m, k]), self.values([2, k, n])], atol=1e-4)
            self.add("Gemm", [self.values([k, m]), self.values([n, k]), self.values([n])], constants=(1, 2), atol=1e-4,
                     transA=1, transB=1, alpha=0.5, beta=2.0)
        x = self.values([2, 6, 9, 11])
        for w, attributes in (([8, 6, 3, 3], {"pads": [1, 1, 1, 1]}), ([17, 6, 1, 1], {}),
                              ([8, 6, 3, 2], {"strides": [2, 1], "pads": [1, 0, 0, 1]}),
                              ([6, 1, 3, 3], {"group": 6}), ([9, 2, 3, 3], {"group": 3, "dilations": [2, 2]}),
                              ([4, 6, 5, 5], {"auto_pad": "SAME_UPPER", "strides": [2, 2]})):
            self.add("Conv", [x, self.values(w), self.values(w[:1])], constants=(1, 2), atol=1e-4, **attributes)
        self.add("Conv", [self.values([1, 3, 21]), self.values([5, 3, 4])], constants=(1,), atol=1e-4)

    def windows(self):
        x = self.values([2, 5, 11, 13])
        pools = [{"kernel_shape": [3, 3], "strides": [2, 2], "pads": [1, 1, 1, 1]}, {"kernel_shape": [2, 3]},
                 {"kernel_shape": [3, 3], "auto_pad": "SAME_UPPER", "strides": [2, 2]}]
        if self.opset >= 11:
            pools.append({"kernel_shape": [3, 3], "strides": [2, 2], "ceil_mode": 1})
        for attributes in pools:
            self.add("MaxPool", [x], **attributes)
            self.add("AveragePool", [x], **attributes)
        self.add("AveragePool", [x], kernel_shape=[3, 3], pads=[1, 1, 1, 1], count_include_pad=1)
        self.add("GlobalAveragePool", [x])
        self.add("GlobalMaxPool", [x])
        self.add("LRN", [x], size=5, alpha=0.1, beta=0.75, bias=1.0)
        statistics = [self.values([5]), self.values([5]), self.values([5]), np.abs(self.values([5])) + np.float32(0.1)]
        self.add("BatchNormalization", [x, *statistics], constants=(1, 2, 3, 4))


def expected(cases):
    """Outputs by ONNX Runtime, without its own optimisations."""
    model, _ = merge(cases)
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    session = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    feeds = {f"c{n}.{name}": array for n, case in enumerate(cases) for name, array in case.inputs.items()}
    results = dict(zip((o.name for o in session.get_outputs()), session.run(None, feeds), strict=True))
    return [[results[f"c{n}.{o.name}"] for o in case.model.graph.output] for n, case in enumerate(cases)]


@pytest.fixture(scope="module")
def cases(tmp_path_factory):
    folder, made = tmp_path_factory.mktemp("check"), []
    for opset in OPSETS:
        maker = Maker(opset)
        for make in (maker.elementwise, maker.movement, maker.reductions, maker.contractions, maker.windows):
            make()
        assert unsupported(maker.cases, folder) == {}
        for case, outputs in zip(maker.cases, expected(maker.cases), strict=True):
            case.expected = outputs
        made += maker.cases
    return made


@pytest.mark.parametrize("flags", [(), ("--disable-pass", "all", "--target", "cpu:x86-64-v3")],
                         ids=["passes", "no_passes"])
def test_operators_agree_with_onnxruntime(cases, tmp_path, flags):
    lines = []
    for opset, of_opset in by_opset(cases).items():
        lines += failures(of_opset, tmp_path / str(opset), flags)
    assert not lines, f"{len(lines)} failures:\n" + "\n".join(lines)
    assert len(cases) > 600


def test_a_wrong_answer_is_found():
    maker = Maker(13)
    maker.add("Relu", [maker.values([3])])
    wrong = [maker.cases[0].inputs["x0"] + np.float32(5)]
    maker.cases[0].expected = [np.maximum(maker.cases[0].inputs["x0"], 0)]
    assert "output 0" in difference(wrong, maker.cases[0].expected, maker.cases[0])
