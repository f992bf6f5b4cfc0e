# SPDX-License-Identifier: Apache-2.0
"""Small models side by side in one, so that one `tenon check`, build and run serve hundreds of them."""

import collections
import dataclasses
import json
import os
import pathlib
import subprocess
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import onnx
from onnx import helper, numpy_helper

from tenon_command import tenon

CHUNK = 80
NPY_TYPES = {np.dtype(t) for t in ("f2", "f4", "f8", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "?")}


@dataclasses.dataclass
class Case:
    name: str
    model: onnx.ModelProto
    inputs: dict          # arrays by name
    expected: list        # arrays, one for each output of the graph
    rtol: float = 1e-3
    atol: float = 1e-6
    constants: frozenset = frozenset()  # inputs that become initialisers

    def opset(self):
        return max((o.version for o in self.model.opset_import if o.domain in ("", "ai.onnx")), default=1)


def merge(cases):
    """One model; names of case i begin with "ci.". Also the case of each node."""
    nodes, inputs, outputs, initializers, owners = [], [], [], [], []
    for number, case in enumerate(cases):
        graph, prefix = case.model.graph, f"c{number}."
        for node in graph.node:
            copy = onnx.NodeProto()
            copy.CopyFrom(node)
            copy.name = prefix + (node.name or node.op_type)
            copy.input[:] = [prefix + n if n else "" for n in node.input]
            copy.output[:] = [prefix + n if n else "" for n in node.output]
            nodes.append(copy)
            owners.append(number)
        for name, array in case.inputs.items():
            if name in case.constants:
                initializers.append(numpy_helper.from_array(array, prefix + name))
            else:
                element = helper.np_dtype_to_tensor_dtype(array.dtype)
                inputs.append(helper.make_tensor_value_info(prefix + name, element, array.shape))
        for tensor in graph.initializer:
            copy = onnx.TensorProto()
            copy.CopyFrom(tensor)
            copy.name = prefix + tensor.name
            initializers.append(copy)
        for output in graph.output:
            copy = onnx.ValueInfoProto()
            copy.CopyFrom(output)
            copy.name = prefix + output.name
            outputs.append(copy)
    graph = helper.make_graph(nodes, "cases", inputs, outputs, initializers)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", cases[0].opset())],
                             ir_version=cases[0].model.ir_version), owners


def unsupported(cases, folder):
    """Reasons by number of the case; every case must be of one opset."""
    path = folder / "check.onnx"
    model, owners = merge(cases)
    onnx.save(model, path)
    command = [os.environ["TENON_COMMAND"], "check", "--json", str(path)]
    result = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    assert result.returncode in (0, 1), f"{' '.join(command)}\n{result.stdout}{result.stderr}"
    assert result.stdout, f"{' '.join(command)}\n{result.stderr}"
    reasons = {}
    for problem in json.loads(result.stdout)["problems"]:
        # A problem of no node is one of the whole model, such as its opset.
        numbers = [owners[problem["node"]["index"]]] if "node" in problem else range(len(cases))
        for number in numbers:
            reasons.setdefault(number, (problem["code"], problem["reason"]))
    return reasons


def run(cases, folder, flags=()):
    """Outputs of the cases by Tenon: a list of arrays for each."""
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    model, _ = merge(cases)
    onnx.save(model, folder / "model.onnx")
    tenon("build", folder / "model.onnx", "-o", folder / "model.plan", "-q", *flags)
    arguments = []
    for number, case in enumerate(cases):
        for name, array in case.inputs.items():
            if name in case.constants:
                continue
            path = folder / f"{number}_{len(arguments)}.npy"
            np.save(path, np.ascontiguousarray(array).reshape(array.shape))
            arguments += ["--input", f"c{number}.{name}={path}"]
    tenon("run", folder / "model.plan", "--output", folder / "out", "-q", *arguments)
    return [[np.load(folder / "out" / f"c{number}.{output.name.replace('/', '_')}.npy")
             for output in case.model.graph.output] for number, case in enumerate(cases)]


def difference(actual, expected, case):
    """What differs first, or an empty text."""
    for number, (a, b) in enumerate(zip(actual, expected, strict=True)):
        if a.dtype != b.dtype or a.shape != b.shape:
            return f"output {number} is {a.dtype}{list(a.shape)}, expected {b.dtype}{list(b.shape)}"
        if a.dtype.kind != "f":
            equal = np.array_equal(a, b)
        else:
            half = a.dtype == np.float16
            equal = np.allclose(a.astype("f8"), b.astype("f8"), rtol=2e-3 if half else case.rtol,
                                atol=2e-3 if half else case.atol, equal_nan=True)
        if not equal:
            return f"output {number} is {a.ravel()[:8]}, expected {b.ravel()[:8]}"
    return ""


def failures(cases, folder, flags=()):
    """One line for each case whose answer is wrong, or that does not build or run."""
    chunks = [cases[i:i + CHUNK] for i in range(0, len(cases), CHUNK)]

    def run_chunk(item):
        number, chunk = item
        try:
            results = run(chunk, folder / f"chunk{number}", flags)
        except AssertionError as error:
            if len(chunk) == 1:
                return [f"{chunk[0].name}: {error}"]
            half = len(chunk) // 2
            return (run_chunk((f"{number}a", chunk[:half])) + run_chunk((f"{number}b", chunk[half:])))
        lines = []
        for case, result in zip(chunk, results, strict=True):
            problem = difference(result, case.expected, case)
            if problem:
                lines.append(f"{case.name} (opset {case.opset()}): {problem}")
        return lines

    with ThreadPoolExecutor(2) as pool:
        return [line for lines in pool.map(run_chunk, enumerate(chunks)) for line in lines]


def by_opset(cases):
    groups = collections.defaultdict(list)
    for case in cases:
        groups[case.opset()].append(case)
    return groups
