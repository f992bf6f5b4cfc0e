# SPDX-License-Identifier: Apache-2.0
"""Runs the command as a user does, and makes small models for it."""

import os
import pathlib
import subprocess

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

SOURCE_DIR = pathlib.Path(os.environ["TENON_SOURCE_DIR"])


def tenon(*arguments, status=0, stdin=None, timeout=120, **options):
    """Runs `tenon ARGUMENTS`, and checks its exit status; the result has stdout and stderr as text."""
    command = [os.environ["TENON_COMMAND"], *map(str, arguments)]
    result = subprocess.run(command, input=stdin, capture_output=True, text=True, timeout=timeout, check=False,
                            **options)
    shown = f"{' '.join(command)}\nstatus {result.returncode}, expected {status}\n{result.stdout}{result.stderr}"
    assert result.returncode == status, shown
    return result


def fails(*arguments, **options):
    """Runs a command that must end with status 1 and one error; gives the error's text."""
    result = tenon(*arguments, status=1, **options)
    assert result.stderr.startswith("error: ") or "\nerror: " in result.stderr, result.stderr
    return result.stderr


def save(path, nodes, inputs, outputs, initializers=(), opset=13, domains=()):
    """Writes a model. `inputs` and `outputs` are (name, element type, dims)."""
    graph = helper.make_graph(nodes, "small", [helper.make_tensor_value_info(*i) for i in inputs],
                              [helper.make_tensor_value_info(*o) for o in outputs],
                              [numpy_helper.from_array(v, n) for n, v in dict(initializers).items()])
    opsets = [helper.make_opsetid("", opset)] + [helper.make_opsetid(d, 1) for d in domains]
    onnx.save(helper.make_model(graph, opset_imports=opsets, ir_version=8), path)
    return path


def save_small(path, batch="N"):
    """Convolution, ReLU and a dense layer: f32[N,2,8,8] named "image" to f32[N,3] named "head/scores"."""
    rng = np.random.default_rng(1)
    weights = {
        "w": rng.standard_normal((4, 2, 3, 3), np.float32),
        "b": rng.standard_normal(4, np.float32),
        "dense": rng.standard_normal((4 * 8 * 8, 3), np.float32) / np.float32(16),
    }
    nodes = [
        helper.make_node("Conv", ["image", "w", "b"], ["c"], name="Conv_0", pads=[1, 1, 1, 1]),
        helper.make_node("Relu", ["c"], ["r"], name="Relu_1"),
        helper.make_node("Flatten", ["r"], ["f"], name="Flatten_2"),
        helper.make_node("MatMul", ["f", "dense"], ["head/scores"], name="MatMul_3"),
    ]
    return save(path, nodes, [("image", TensorProto.FLOAT, [batch, 2, 8, 8])],
                [("head/scores", TensorProto.FLOAT, [batch, 3])], weights)


def only_files(folder):
    """Names of what lies in a folder, to show that nothing else was left there."""
    return sorted(p.name for p in pathlib.Path(folder).iterdir())
