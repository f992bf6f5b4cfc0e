# SPDX-License-Identifier: Apache-2.0
"""Builds, runs, measures and verifies small models through the command."""

import json

import numpy as np
import onnxruntime
import pytest
from onnx import TensorProto, helper

from tenon_command import fails, only_files, save, save_small, tenon


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    folder = tmp_path_factory.mktemp("small")
    model = save_small(folder / "small.onnx")
    plan = folder / "small.plan"
    result = tenon("build", model, "-o", plan, "--shape", "image=1x2x8x8:2x2x8x8:8x2x8x8")
    assert "wrote" in result.stdout and "4 nodes" in result.stdout
    return folder, model, plan


def onnxruntime_answer(model, feeds):
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    return onnxruntime.InferenceSession(str(model), options).run(None, feeds)


@pytest.mark.parametrize("batch", [1, 3, 8])
def test_run_answers_like_onnxruntime(small, tmp_path, batch):
    _, model, plan = small
    image = np.random.default_rng(batch).standard_normal((batch, 2, 8, 8), np.float32)
    np.save(tmp_path / "image.npy", image)
    tenon("run", plan, "--input", f"image={tmp_path}/image.npy", "--output", tmp_path / "out")
    assert only_files(tmp_path / "out") == ["head_scores.npy"]
    expected = onnxruntime_answer(model, {"image": image})[0]
    np.testing.assert_allclose(np.load(tmp_path / "out/head_scores.npy"), expected, rtol=1e-4, atol=1e-4)


def test_run_says_which_inputs_are_random_and_repeats_them(small):
    _, _, plan = small
    first = tenon("run", plan, "--seed", "5")
    assert 'input "image": no --input given, so random values f32[2,2,8,8] (seed 5)' in first.stderr
    assert tenon("run", plan, "--seed", "5").stdout == first.stdout
    assert tenon("run", plan, "--seed", "6").stdout != first.stdout
    assert "f32[4,3]" in tenon("run", plan, "--shape", "image=4x2x8x8").stdout


def test_threads_do_not_change_a_bit(small):
    _, _, plan = small
    assert tenon("run", plan, "--threads", "1").stdout == tenon("run", plan, "--threads", "2").stdout


def test_two_builds_give_the_same_bytes(small, tmp_path):
    _, model, plan = small
    tenon("build", model, "-o", tmp_path / "again.plan", "--shape", "image=1x2x8x8:2x2x8x8:8x2x8x8")
    assert (tmp_path / "again.plan").read_bytes() == plan.read_bytes()


def test_bench_ends_with_passed(small):
    _, model, plan = small
    for file, shape in ((plan, "image=1x2x8x8"), (model, "image=1x2x8x8:2x2x8x8:8x2x8x8")):
        result = tenon("bench", file, "--shape", shape, "--duration", "0.05", "--warmup", "0", "--layer-times",
                       "--contexts", "2", "--percentile", "50", "--percentile", "99.9")
        assert result.stdout.splitlines()[-1] == "passed"
        assert "p99.9" in result.stdout and "Conv_0" in result.stdout


def test_bench_ends_with_failed(small):
    _, _, plan = small
    result = tenon("bench", plan, "--shape", "image=9x2x8x8", status=1)
    assert result.stdout.splitlines()[-1] == "failed"
    assert "image" in result.stderr


@pytest.mark.parametrize("mode", [[], ["--no-passes"], ["--both"], ["--checked-kernels"]])
def test_verify_compares_every_tensor(small, mode):
    _, model, _ = small
    result = tenon("verify", model, *mode)
    assert result.stdout.splitlines()[-1].endswith("tensors compared, 0 failed")


def test_verify_names_the_first_bad_node(small, tmp_path):
    _, model, plan = small
    result = tenon("verify", model, "--plan", plan)
    assert "0 failed" in result.stdout
    # A plan whose convolution has other weights is wrong from that node on.
    rng = np.random.default_rng(2)
    other = save(tmp_path / "other.onnx", [
        helper.make_node("Conv", ["image", "w", "b"], ["c"], name="Conv_0", pads=[1, 1, 1, 1]),
        helper.make_node("Relu", ["c"], ["r"], name="Relu_1"),
        helper.make_node("Flatten", ["r"], ["f"], name="Flatten_2"),
        helper.make_node("MatMul", ["f", "dense"], ["head/scores"], name="MatMul_3"),
    ], [("image", TensorProto.FLOAT, ["N", 2, 8, 8])], [("head/scores", TensorProto.FLOAT, ["N", 3])], {
        "w": rng.standard_normal((4, 2, 3, 3), np.float32), "b": np.zeros(4, np.float32),
        "dense": rng.standard_normal((256, 3), np.float32)})
    result = tenon("verify", other, "--plan", plan, status=1)
    first_bad = [line for line in result.stdout.splitlines() if line.startswith("first bad")]
    assert first_bad and "Conv_0" in first_bad[0], result.stdout
    assert " 0 failed" not in result.stdout


def test_verify_limit_can_fail(small):
    _, model, _ = small
    result = tenon("verify", model, "--limit", "0", "--no-passes", status=1)
    assert "first bad" in result.stdout


NUMPY_TYPES = {TensorProto.FLOAT: np.float32, TensorProto.DOUBLE: np.float64, TensorProto.FLOAT16: np.float16,
               TensorProto.INT64: np.int64, TensorProto.INT32: np.int32, TensorProto.INT16: np.int16,
               TensorProto.INT8: np.int8, TensorProto.UINT64: np.uint64, TensorProto.UINT32: np.uint32,
               TensorProto.UINT16: np.uint16, TensorProto.UINT8: np.uint8, TensorProto.BOOL: np.bool_}


@pytest.mark.parametrize("element", NUMPY_TYPES)
def test_npy_files_of_every_type(tmp_path, element):
    model = save(tmp_path / "m.onnx", [helper.make_node("Transpose", ["x"], ["y"], perm=[1, 0])],
                 [("x", element, [2, 3])], [("y", element, [3, 2])])
    tenon("build", model, "-o", tmp_path / "m.plan")
    value = np.array([[0, 1, 2], [3, 4, 100]]).astype(NUMPY_TYPES[element])
    np.save(tmp_path / "x.npy", value)
    tenon("run", tmp_path / "m.plan", "--input", f"x={tmp_path}/x.npy", "--output", tmp_path)
    written = np.load(tmp_path / "y.npy")
    assert written.dtype == value.dtype
    np.testing.assert_array_equal(written, value.T)


@pytest.mark.parametrize("version", [(1, 0), (2, 0), (3, 0)])
def test_npy_versions(small, tmp_path, version):
    _, _, plan = small
    image = np.random.default_rng(1).standard_normal((2, 2, 8, 8), np.float32)
    with open(tmp_path / "image.npy", "wb") as file:
        np.lib.format.write_array(file, image, version)
    answer = json.loads(tenon("run", plan, "--input", f"image={tmp_path}/image.npy", "--json").stdout)
    assert answer["random_inputs"] == [] and answer["outputs"][0]["dims"] == [2, 3]


def test_names_may_hold_colons_slashes_and_equals(tmp_path):
    model = save(tmp_path / "m.onnx", [helper.make_node("Relu", ["a/b:0=c"], ["y/z:0"])],
                 [("a/b:0=c", TensorProto.FLOAT, ["N", 2])], [("y/z:0", TensorProto.FLOAT, ["N", 2])])
    tenon("build", model, "-o", tmp_path / "m.plan", "--shape", "a/b:0=c=1x2:3x2:5x2")
    tenon("run", tmp_path / "m.plan", "--shape", "a/b:0=c=5x2", "--output", tmp_path / "out")
    assert np.load(tmp_path / "out/y_z:0.npy").shape == (5, 2)


def test_outputs_of_one_file_name_are_refused(tmp_path):
    model = save(tmp_path / "m.onnx", [helper.make_node("Relu", ["x"], ["a/b"]), helper.make_node("Neg", ["x"], ["a_b"])],
                 [("x", TensorProto.FLOAT, [2])], [("a/b", TensorProto.FLOAT, [2]), ("a_b", TensorProto.FLOAT, [2])])
    tenon("build", model, "-o", tmp_path / "m.plan")
    error = fails("run", tmp_path / "m.plan", "--output", tmp_path / "out")
    assert '"a/b"' in error and '"a_b"' in error
