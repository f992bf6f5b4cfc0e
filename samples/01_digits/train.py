# SPDX-License-Identifier: Apache-2.0
"""Trains a small CNN on scikit-learn's handwritten digits in plain numpy and exports it to ONNX.

    python samples/01_digits/train.py        writes digits.onnx, test_images.npy, test_labels.npy beside this file

conv 3x3 -> batch norm -> relu -> max pool -> conv 3x3 -> relu -> max pool -> gemm -> softmax
"""

import pathlib

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from sklearn.datasets import load_digits

SEED = 1
CHANNELS = (16, 32)
EPSILON = 1e-5


def patches(x):
    """[n,c,h,w] -> [n,h,w,c*9]: the 3x3 neighbourhood of each pixel, zero outside."""
    padded = np.pad(x, ((0, 0), (0, 0), (1, 1), (1, 1)))
    windows = np.lib.stride_tricks.sliding_window_view(padded, (3, 3), axis=(2, 3))
    n, c, h, w = x.shape
    return windows.transpose(0, 2, 3, 1, 4, 5).reshape(n, h, w, c * 9)


def convolve(x, weight):
    return (patches(x) @ weight.reshape(len(weight), -1).T).transpose(0, 3, 1, 2)


def convolve_backward(x, weight, gradient):
    flat = gradient.transpose(0, 2, 3, 1).reshape(-1, len(weight))
    weight_gradient = (flat.T @ patches(x).reshape(len(flat), -1)).reshape(weight.shape)
    turned = weight[:, :, ::-1, ::-1].transpose(1, 0, 2, 3)
    return convolve(gradient, turned), weight_gradient


def pool(x):
    n, c, h, w = x.shape
    return x.reshape(n, c, h // 2, 2, w // 2, 2).max(axis=(3, 5))


def pool_backward(x, pooled, gradient):
    mask = x == pooled.repeat(2, 2).repeat(2, 3)
    return mask * gradient.repeat(2, 2).repeat(2, 3)


class Model:
    def __init__(self, rng):
        a, b = CHANNELS

        def he(*dims):
            return rng.standard_normal(dims) * np.sqrt(2 / np.prod(dims[1:]))

        self.weights = {
            "conv1": he(a, 1, 3, 3), "scale": np.ones(a), "shift": np.zeros(a),
            "conv2": he(b, a, 3, 3), "bias2": np.zeros(b),
            "dense": he(10, b * 4), "bias3": np.zeros(10),
        }
        self.mean, self.variance = np.zeros(a), np.ones(a)

    def forward(self, x, training=False):
        w = self.weights
        column = (slice(None), None, None)
        s = {"x": x, "c1": convolve(x, w["conv1"])}
        mean, variance = self.mean, self.variance
        if training:
            mean, variance = s["c1"].mean((0, 2, 3)), s["c1"].var((0, 2, 3))
            self.mean += 0.1 * (mean - self.mean)
            self.variance += 0.1 * (variance - self.variance)
        s["deviation"] = np.sqrt(variance + EPSILON)[column]
        s["normal"] = (s["c1"] - mean[column]) / s["deviation"]
        s["r1"] = np.maximum(s["normal"] * w["scale"][column] + w["shift"][column], 0)
        s["p1"] = pool(s["r1"])
        s["r2"] = np.maximum(convolve(s["p1"], w["conv2"]) + w["bias2"][column], 0)
        s["p2"] = pool(s["r2"])
        s["flat"] = s["p2"].reshape(len(x), -1)
        logits = s["flat"] @ w["dense"].T + w["bias3"]
        exponentials = np.exp(logits - logits.max(1, keepdims=True))
        s["y"] = exponentials / exponentials.sum(1, keepdims=True)
        return s

    def gradients(self, s, labels):
        w, g = self.weights, {}
        d = s["y"].copy()
        d[np.arange(len(labels)), labels] -= 1
        d /= len(labels)
        g["dense"], g["bias3"] = d.T @ s["flat"], d.sum(0)
        d = pool_backward(s["r2"], s["p2"], (d @ w["dense"]).reshape(s["p2"].shape)) * (s["r2"] > 0)
        g["bias2"] = d.sum((0, 2, 3))
        d, g["conv2"] = convolve_backward(s["p1"], w["conv2"], d)
        d = pool_backward(s["r1"], s["p1"], d) * (s["r1"] > 0)
        g["scale"], g["shift"] = (d * s["normal"]).sum((0, 2, 3)), d.sum((0, 2, 3))
        d = d * w["scale"][:, None, None]
        centred = d - d.mean((0, 2, 3), keepdims=True)
        correlated = s["normal"] * (d * s["normal"]).mean((0, 2, 3), keepdims=True)
        _, g["conv1"] = convolve_backward(s["x"], w["conv1"], (centred - correlated) / s["deviation"])
        return g


def shifted(images, rng):
    """Each image moved by up to one pixel, so that the model learns shapes and not places."""
    padded = np.pad(images, ((0, 0), (0, 0), (1, 1), (1, 1)))
    corners = rng.integers(0, 3, (len(images), 2))
    return np.stack([p[:, y:y + 8, x:x + 8] for p, (y, x) in zip(padded, corners)])


def train(images, labels, epochs=50, batch=64, rate=4e-3):
    """Adam, with the rate falling to zero along a cosine."""
    rng = np.random.default_rng(SEED)
    model = Model(rng)
    first = {k: np.zeros_like(v) for k, v in model.weights.items()}
    second = {k: np.zeros_like(v) for k, v in model.weights.items()}
    steps, step = epochs * (len(images) // batch), 0
    for _ in range(epochs):
        order = rng.permutation(len(images))
        for i in range(len(images) // batch):
            chosen = order[i * batch:(i + 1) * batch]
            state = model.forward(shifted(images[chosen], rng), training=True)
            gradients = model.gradients(state, labels[chosen])
            step += 1
            for k, g in gradients.items():
                first[k] += 0.1 * (g - first[k])
                second[k] += 0.001 * (g * g - second[k])
                size = rate * (1 + np.cos(np.pi * step / steps)) / 2
                direction = first[k] / (1 - 0.9**step) / (np.sqrt(second[k] / (1 - 0.999**step)) + 1e-8)
                model.weights[k] -= size * direction
    return model


def export(model, path):
    w = dict(model.weights, mean=model.mean, variance=model.variance)
    initializers = [numpy_helper.from_array(v.astype(np.float32), k) for k, v in w.items()]
    three = {"kernel_shape": [3, 3], "pads": [1, 1, 1, 1]}
    two = {"kernel_shape": [2, 2], "strides": [2, 2]}
    make = helper.make_node
    nodes = [
        make("Conv", ["image", "conv1"], ["c1"], "conv1", **three),
        make("BatchNormalization", ["c1", "scale", "shift", "mean", "variance"], ["n1"], "norm1", epsilon=EPSILON),
        make("Relu", ["n1"], ["r1"], "relu1"),
        make("MaxPool", ["r1"], ["p1"], "pool1", **two),
        make("Conv", ["p1", "conv2", "bias2"], ["c2"], "conv2", **three),
        make("Relu", ["c2"], ["r2"], "relu2"),
        make("MaxPool", ["r2"], ["p2"], "pool2", **two),
        make("Flatten", ["p2"], ["flat"], "flatten", axis=1),
        make("Gemm", ["flat", "dense", "bias3"], ["logits"], "dense", transB=1),
        make("Softmax", ["logits"], ["probabilities"], "softmax", axis=1),
    ]
    graph = helper.make_graph(
        nodes, "digits",
        [helper.make_tensor_value_info("image", TensorProto.FLOAT, ["N", 1, 8, 8])],
        [helper.make_tensor_value_info("probabilities", TensorProto.FLOAT, ["N", 10])], initializers)
    proto = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], producer_name="tenon-sample")
    proto.ir_version = 8
    onnx.checker.check_model(proto, full_check=True)
    onnx.save(proto, path)


def main():
    here = pathlib.Path(__file__).parent
    digits = load_digits()
    images = (digits.images / 16).astype(np.float32)[:, None]
    order = np.random.default_rng(SEED).permutation(len(images))
    images, labels = images[order], digits.target[order].astype(np.int64)
    held_out = 360
    model = train(images[held_out:], labels[held_out:])
    answers = model.forward(images[:held_out])["y"].argmax(1)
    accuracy = (answers == labels[:held_out]).mean()
    print(f"accuracy on {held_out} held-out images: {100 * accuracy:.2f} %")
    if accuracy < 0.97:
        raise SystemExit("expected at least 97 %")
    export(model, here / "digits.onnx")
    np.save(here / "test_images.npy", images[:held_out])
    np.save(here / "test_labels.npy", labels[:held_out])


if __name__ == "__main__":
    main()
