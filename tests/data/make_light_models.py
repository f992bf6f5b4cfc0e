# SPDX-License-Identifier: Apache-2.0
"""Writes FOLDER/<name>/{model.onnx,input.npy,output.npy} for the nine "light" models of the onnx package.

The package ships these well-known networks with constant weights, on which most mistakes of an engine stay
invisible. Here every weight becomes an initialiser of seeded random values, scaled so that activations keep
their size. As in the originals the models have IR version 3 and opset 9, and every initialiser is also a
graph input. output.npy is what ONNX Runtime answers. What exists and is up to date is left alone.
"""

import argparse
import hashlib
import os
import pathlib
import shutil
import sys
import zlib

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

LOGIT_SPREAD = 2.0


def consumers_of(graph):
    """Maps a tensor to the (operator, input index, node) that read it."""
    consumers = {}
    for node in graph.node:
        for index, name in enumerate(node.input):
            consumers.setdefault(name, []).append((node.op_type, index, node))
    return consumers


def role_of(name, consumers):
    """The operator and input index a weight feeds, seen through the operators that only change its shape."""
    operator, index, node = consumers[name][0]
    while operator in ("Unsqueeze", "Reshape") and index == 0:
        operator, index, node = consumers[node.output[0]][0]
    return operator, index, node


def random_weight(rng, operator, index, node, dims):
    if operator == "Conv" and index == 1:
        fan_in = int(np.prod(dims[1:]))
        return rng.standard_normal(dims, np.float32) * np.float32(np.sqrt(2.0 / fan_in))
    if operator == "Gemm" and index == 1:
        transposed = any(a.name == "transB" and a.i for a in node.attribute)
        fan_in = dims[-1] if transposed else dims[0]
        return rng.standard_normal(dims, np.float32) * np.float32(np.sqrt(2.0 / fan_in))
    if operator in ("BatchNormalization", "Mul") and index == 1:
        return rng.uniform(0.8, 1.2, dims).astype(np.float32)
    if operator == "BatchNormalization" and index == 4:
        return rng.uniform(0.5, 1.5, dims).astype(np.float32)
    return rng.standard_normal(dims, np.float32) * np.float32(0.05)


def is_weight(tensor, name, consumers):
    """Float initialisers that something reads; int64 ones are shapes."""
    return tensor.data_type == TensorProto.FLOAT and name in consumers


def randomise(model, seed):
    """Replaces constant weights, made by ConstantOfShape or stored, by random initialisers. Changes `model`."""
    graph = model.graph
    consumers = consumers_of(graph)
    stored = {tensor.name: tensor for tensor in graph.initializer}
    weights = {}
    for node in graph.node:
        if node.op_type == "ConstantOfShape":
            weights[node.output[0]] = numpy_helper.to_array(stored[node.input[0]]).tolist()
    shapes = {node.input[0] for node in graph.node if node.op_type == "ConstantOfShape"}
    for name, tensor in stored.items():
        if name not in shapes and is_weight(tensor, name, consumers):
            weights[name] = list(tensor.dims)

    kept_nodes = [node for node in graph.node if node.op_type != "ConstantOfShape"]
    kept_initializers = [t for t in graph.initializer if t.name not in shapes and t.name not in weights]
    kept_inputs = [i for i in graph.input if i.name not in shapes and i.name not in weights]
    for field, kept in (("node", kept_nodes), ("initializer", kept_initializers), ("input", kept_inputs)):
        copies = [type(item).FromString(item.SerializeToString()) for item in kept]
        graph.ClearField(field)
        getattr(graph, field).extend(copies)
    for name, dims in weights.items():
        # A stream per name: a weight keeps its values when others come or go.
        rng = np.random.default_rng([seed, zlib.crc32(name.encode())])
        value = random_weight(rng, *role_of(name, consumers), dims)
        graph.initializer.append(numpy_helper.from_array(value, name))
        graph.input.append(helper.make_tensor_value_info(name, TensorProto.FLOAT, dims))


def run(model_bytes, feeds):
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(model_bytes, options, providers=["CPUExecutionProvider"])
    return session.run(None, feeds)[0]


def last_weighted_node(graph, name):
    """Walks back from the tensor `name` to the nearest Conv or Gemm."""
    producers = {output: node for node in graph.node for output in node.output}
    while producers[name].op_type not in ("Conv", "Gemm"):
        name = producers[name].input[0]
    return producers[name]


def logits_name(graph):
    last = graph.node[-1]
    return last.input[0] if last.op_type == "Softmax" else last.output[0]


def scale_logits(model, path, feeds):
    """Scales the last layer by a power of two, so that the softmax is neither flat nor saturated."""
    graph = model.graph
    node = last_weighted_node(graph, graph.output[0].name)
    # Only the output list differs from the final model, so that one more serialisation is enough.
    outputs = [type(o).FromString(o.SerializeToString()) for o in graph.output]
    graph.ClearField("output")
    graph.output.append(helper.make_tensor_value_info(logits_name(graph), TensorProto.FLOAT, None))
    onnx.save(model, path)
    spread = float(np.std(run(str(path), feeds)))
    graph.ClearField("output")
    graph.output.extend(outputs)
    if not np.isfinite(spread) or spread == 0.0:
        raise SystemExit(f"{path}: the logits have a spread of {spread}")
    factor = np.float32(2.0 ** round(np.log2(LOGIT_SPREAD / spread)))
    producers = {output: n for n in graph.node for output in n.output}
    for tensor in graph.initializer:
        sources = set(node.input[1:])
        sources |= {producers[name].input[0] for name in node.input[1:] if name in producers}
        if tensor.name in sources and tensor.data_type == TensorProto.FLOAT:
            tensor.CopyFrom(numpy_helper.from_array(numpy_helper.to_array(tensor) * factor, tensor.name))
    return spread * float(factor)


def check_output(name, output):
    flat = output.reshape(-1)
    if not np.all(np.isfinite(flat)):
        raise SystemExit(f"{name}: the output has values that are not finite")
    if abs(float(flat.sum()) - 1.0) < 1e-3 and not 2.0 / flat.size < float(flat.max()) < 0.999:
        raise SystemExit(f"{name}: the softmax is degenerate, largest probability {flat.max()}")


def make(source, target, seed, stamp):
    work = target.parent / f".{target.name}.{os.getpid()}"
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    model = onnx.load(source)
    randomise(model, seed)
    initialized = {tensor.name for tensor in model.graph.initializer}
    image = next(i for i in model.graph.input if i.name not in initialized)
    dims = [d.dim_value for d in image.type.tensor_type.shape.dim]
    rng = np.random.default_rng([seed, zlib.crc32(target.name.encode())])
    value = rng.standard_normal(dims, np.float32)
    path = work / "model.onnx"
    spread = scale_logits(model, path, {image.name: value})
    onnx.save(model, path)
    output = run(str(path), {image.name: value})
    check_output(target.name, output)
    np.save(work / "input.npy", value)
    np.save(work / "output.npy", output)
    (work / "stamp").write_text(stamp)
    shutil.rmtree(target, ignore_errors=True)
    work.rename(target)
    size = (target / "model.onnx").stat().st_size / 2**20
    print(f"made {target.name}: {size:.1f} MiB, logits spread {spread:.2f}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--only", nargs="*", help="names of models, such as squeezenet")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    stamp = hashlib.sha256(pathlib.Path(__file__).read_bytes()).hexdigest()
    stamp += f" seed {arguments.seed} onnx {onnx.__version__}\n"
    sources = pathlib.Path(onnx.__file__).parent / "backend/test/data/light"
    models = sorted(sources.glob("light_*.onnx"))
    if len(models) != 9:
        sys.exit(f"the onnx package has {len(models)} light models in {sources}; expected 9 (see requirements.txt)")
    for source in models:
        target = arguments.folder / source.stem.removeprefix("light_")
        if arguments.only and target.name not in arguments.only:
            continue
        stamp_file = target / "stamp"
        if stamp_file.exists() and stamp_file.read_text() == stamp:
            continue
        make(source, target, arguments.seed, stamp)


if __name__ == "__main__":
    main()
