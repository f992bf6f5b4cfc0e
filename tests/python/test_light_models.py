# SPDX-License-Identifier: Apache-2.0
"""The light models of the fixture are what tests rely on: the original form, with weights that differ."""

import os
import pathlib

import numpy as np
import onnx
import pytest
from onnx import TensorProto, numpy_helper

FOLDER = pathlib.Path(os.environ["TENON_DATA_DIR"]) / "light"
NAMES = ["bvlc_alexnet", "densenet121", "inception_v1", "inception_v2", "resnet50", "shufflenet", "squeezenet",
         "vgg19", "zfnet512"]


@pytest.mark.parametrize("name", NAMES)
def test_model_keeps_its_form(name):
    model = onnx.load(FOLDER / name / "model.onnx")
    assert model.ir_version == 3
    assert [(o.domain, o.version) for o in model.opset_import] == [("", 9)]
    inputs = {i.name for i in model.graph.input}
    initializers = {t.name for t in model.graph.initializer}
    assert len(inputs - initializers) == 1, "one input is no initialiser: the image"
    assert initializers <= inputs, "every initialiser is also an input"
    assert not [n.name for n in model.graph.node if n.op_type == "ConstantOfShape"]
    for tensor in model.graph.initializer:
        if tensor.data_type == TensorProto.FLOAT and np.prod(tensor.dims) > 1:
            values = numpy_helper.to_array(tensor)
            assert np.isfinite(values).all() and values.std() > 0, f"{tensor.name} is constant or not finite"


@pytest.mark.parametrize("name", NAMES)
def test_output_tells_results_apart(name):
    output = np.load(FOLDER / name / "output.npy")
    assert np.load(FOLDER / name / "input.npy").shape == (1, 3, 224, 224)
    assert output.size == 1000 and np.isfinite(output).all()
    # A ReLU before the average leaves some classes of squeezenet at exactly zero.
    assert np.unique(output).size > 800, "most of the thousand outputs differ"
