# SPDX-License-Identifier: Apache-2.0
"""Bad input as a user gives it: status 1, a message that names the thing, and no half file."""

import os
import subprocess

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper

from tenon_command import fails, only_files, save, save_small, tenon

X = [("x", TensorProto.FLOAT, [2, 3])]
Y = [("y", TensorProto.FLOAT, [2, 3])]


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    folder = tmp_path_factory.mktemp("small")
    model, plan = save_small(folder / "small.onnx"), folder / "small.plan"
    tenon("build", model, "-o", plan, "--shape", "image=1x2x8x8:2x2x8x8:8x2x8x8")
    return model, plan


def build_fails(model, tmp_path, *arguments):
    """A build that must fail and leave nothing in its folder."""
    folder = tmp_path / "out"
    folder.mkdir(exist_ok=True)
    error = fails("build", model, "-o", folder / "m.plan", *arguments)
    assert only_files(folder) == []
    return error


# ---- models

@pytest.mark.parametrize("size", [0, 1, 10, 200, 1000])
def test_truncated_model(small, tmp_path, size):
    (tmp_path / "cut.onnx").write_bytes(small[0].read_bytes()[:size])
    build_fails(tmp_path / "cut.onnx", tmp_path)


@pytest.mark.parametrize("seed", range(8))
def test_random_bytes_as_model(tmp_path, seed):
    (tmp_path / "noise.onnx").write_bytes(np.random.default_rng(seed).bytes(1000))
    build_fails(tmp_path / "noise.onnx", tmp_path)


def test_flipped_bits_of_a_model_never_crash(small, tmp_path):
    good = small[0].read_bytes()
    rng = np.random.default_rng(1)
    for _ in range(40):
        data = bytearray(good)
        for position in rng.integers(0, len(data), 4):
            data[position] ^= 1 << rng.integers(0, 8)
        (tmp_path / "flipped.onnx").write_bytes(data)
        # A flip in a weight is still a model; whatever it is, it is no bug of the command.
        result = subprocess.run([os.environ["TENON_COMMAND"], "check", tmp_path / "flipped.onnx"],
                                capture_output=True, check=False, timeout=60)
        assert result.returncode in (0, 1), result.stderr


def test_missing_model(tmp_path):
    assert "absent.onnx" in build_fails(tmp_path / "absent.onnx", tmp_path)
    assert "absent.onnx" in fails("check", tmp_path / "absent.onnx")


def test_folder_as_model(tmp_path):
    assert str(tmp_path) in build_fails(tmp_path, tmp_path)


def test_cycle(tmp_path):
    model = save(tmp_path / "cycle.onnx", [helper.make_node("Add", ["x", "b"], ["a"], name="first"),
                                           helper.make_node("Relu", ["a"], ["b"], name="second"),
                                           helper.make_node("Relu", ["a"], ["y"], name="third")], X, Y)
    error = build_fails(model, tmp_path)
    assert "needs its own result" in error and "first" in error and "second" in error


def test_missing_initializer(tmp_path):
    model = save(tmp_path / "m.onnx", [helper.make_node("Add", ["x", "bias"], ["y"], name="Add_0")], X, Y)
    error = build_fails(model, tmp_path)
    assert "bias" in error and "Add_0" in error


def test_missing_output(tmp_path):
    model = save(tmp_path / "m.onnx", [helper.make_node("Relu", ["x"], ["z"])], X, Y)
    assert '"y"' in build_fails(model, tmp_path)


def test_unsupported_operators_are_listed_at_once(tmp_path):
    model = save(tmp_path / "m.onnx", [
        helper.make_node("StringSplit", ["x"], ["a", "n"], name="/head/split"),
        helper.make_node("Mystery", ["x"], ["b"], name="/post/odd", domain="com.acme"),
        helper.make_node("Relu", ["x"], ["y"], name="fine"),
    ], X, Y, opset=20, domains=["com.acme"])
    for error in (build_fails(model, tmp_path), tenon("check", model, status=1).stdout):
        assert "/head/split" in error and "StringSplit" in error
        assert "/post/odd" in error and "com.acme" in error
        assert "fine" not in error
        assert "2 of 3 nodes" in error


def test_mismatched_shapes(tmp_path):
    model = save(tmp_path / "m.onnx", [helper.make_node("MatMul", ["x", "w"], ["y"], name="MatMul_0")], X, Y,
                 {"w": np.ones((4, 3), np.float32)})
    assert "MatMul_0" in build_fails(model, tmp_path)


def test_absent_and_escaping_external_data(tmp_path):
    model = save_small(tmp_path / "small.onnx")
    loaded = onnx.load(model)
    onnx.save(loaded, tmp_path / "external.onnx", save_as_external_data=True, location="weights.bin", size_threshold=0)
    tenon("check", tmp_path / "external.onnx")
    (tmp_path / "weights.bin").unlink()
    assert "weights.bin" in build_fails(tmp_path / "external.onnx", tmp_path)
    text = (tmp_path / "external.onnx").read_bytes()
    (tmp_path / "escape.onnx").write_bytes(text.replace(b"weights.bin", b"../eights.x"))
    assert "../eights.x" in build_fails(tmp_path / "escape.onnx", tmp_path)


# ---- plans

@pytest.mark.parametrize("size", [0, 10, 63, 64, 200, 5000])
def test_truncated_plan(small, tmp_path, size):
    (tmp_path / "cut.plan").write_bytes(small[1].read_bytes()[:size])
    for command in (["run"], ["inspect"], ["bench", "--duration", "0"]):
        result = tenon(*command, tmp_path / "cut.plan", status=1)
        assert "cut.plan" in result.stderr


def test_model_as_plan_and_plan_as_model(small):
    assert str(small[0]) in fails("run", small[0])
    fails("check", small[1])


def test_changed_plan_is_told_from_a_sound_one(small, tmp_path):
    good = small[1].read_bytes()
    rng = np.random.default_rng(1)
    noticed = 0
    for _ in range(20):
        data = bytearray(good)
        data[rng.integers(0, len(data))] ^= 0xff
        (tmp_path / "changed.plan").write_bytes(data)
        result = subprocess.run([os.environ["TENON_COMMAND"], "inspect", tmp_path / "changed.plan"],
                                capture_output=True, check=False, timeout=60)
        assert result.returncode in (0, 1), result.stderr
        noticed += result.returncode
    assert noticed > 0


def test_missing_plan(tmp_path):
    for command in ("run", "inspect", "bench"):
        assert "absent.plan" in tenon(command, tmp_path / "absent.plan", status=1).stderr


def test_plan_for_another_processor(small):
    features = {"avx512f", "avx2"}
    error = fails("run", small[1], *[f"--mask-feature={name}" for name in sorted(features)])
    assert any(name in error for name in features) and "incompatible" in error
    assert "--target" in error, "it says how to build one that runs here"


def test_plan_that_needs_more_than_this_processor(small, tmp_path):
    tenon("build", small[0], "-o", tmp_path / "amx.plan", "--target", "cpu:native+amx-tile")
    error = fails("run", tmp_path / "amx.plan", "--mask-feature", "amx-tile")
    assert "incompatible plan" in error and "lacks amx-tile" in error and "amx.plan" in error
    assert "amx-tile" in tenon("inspect", tmp_path / "amx.plan").stdout, "inspection works on any machine"


def test_unknown_target_and_feature(small, tmp_path):
    assert "sparc" in build_fails(small[0], tmp_path, "--target", "cpu:sparc")
    assert "avx9000" in build_fails(small[0], tmp_path, "--target", "cpu:native+avx9000")


# ---- running

def test_wrong_inputs_at_run(small, tmp_path):
    plan = small[1]
    np.save(tmp_path / "double.npy", np.zeros((1, 2, 8, 8)))
    error = fails("run", plan, "--input", f"image={tmp_path}/double.npy")
    assert '"image"' in error and "f64" in error and "f32" in error
    np.save(tmp_path / "large.npy", np.zeros((9, 2, 8, 8), np.float32))
    error = fails("run", plan, "--input", f"image={tmp_path}/large.npy")
    assert '"image"' in error and "9" in error and "8" in error
    np.save(tmp_path / "rank.npy", np.zeros((2, 8, 8), np.float32))
    assert '"image"' in fails("run", plan, "--input", f"image={tmp_path}/rank.npy")
    error = fails("run", plan, "--input", f"picture={tmp_path}/rank.npy")
    assert '"picture"' in error and "image" in error
    assert '"picture"' in fails("run", plan, "--shape", "picture=1x2")


def test_npy_files_that_are_not_read(small, tmp_path):
    plan = small[1]
    np.save(tmp_path / "fortran.npy", np.asfortranarray(np.zeros((2, 2, 8, 8), np.float32)))
    assert "ascontiguousarray" in fails("run", plan, "--input", f"image={tmp_path}/fortran.npy")
    np.save(tmp_path / "big.npy", np.zeros((2, 2, 8, 8), ">f4"))
    assert ">f4" in fails("run", plan, "--input", f"image={tmp_path}/big.npy")
    np.save(tmp_path / "text.npy", np.array(["a", "b"]))
    assert "<U1" in fails("run", plan, "--input", f"image={tmp_path}/text.npy")
    np.save(tmp_path / "good.npy", np.zeros((2, 2, 8, 8), np.float32))
    good = (tmp_path / "good.npy").read_bytes()
    for size in (0, 5, 9, 50, len(good) - 1):
        (tmp_path / "cut.npy").write_bytes(good[:size])
        assert "cut.npy" in fails("run", plan, "--input", f"image={tmp_path}/cut.npy")
    assert "absent.npy" in fails("run", plan, "--input", f"image={tmp_path}/absent.npy")
    assert "not supported yet" in fails("run", plan, "--input", f"image={tmp_path}/x.pb")


# ---- usage

@pytest.mark.parametrize("shape", ["image", "=1x2", "image=1x-2", "image=1xax3", "image=1x2:3x4",
                                   "image=2x2x8x8:1x2x8x8:8x2x8x8", "image=1:2x2:3", "image=99999999999999999999"])
def test_shapes_that_cannot_be_read(small, tmp_path, shape):
    assert "--shape" in build_fails(small[0], tmp_path, "--shape", shape)


def test_shape_of_no_input(small, tmp_path):
    assert "picture" in build_fails(small[0], tmp_path, "--shape", "picture=1x2x8x8")


@pytest.mark.parametrize("option", [["--fp16"], ["--int8"], ["--bf16"], ["--calib", "d"], ["--timing-cache", "f"],
                                    ["--plugin", "l.so"], ["--accuracy-budget", "1"], ["--refit"],
                                    ["--memory-limit", "1"], ["--save-tactics", "f"], ["--load-tactics", "f"],
                                    ["--shape-profile"]])
def test_planned_options_say_so(small, tmp_path, option):
    assert f"unsupported: not supported yet: {option[0]}" in build_fails(small[0], tmp_path, *option)


def test_unknown_names(small, tmp_path):
    assert "fuse_everything" in build_fails(small[0], tmp_path, "--disable-pass", "fuse_everything")
    assert "--frobnicate" in build_fails(small[0], tmp_path, "--frobnicate")
    assert "conjure" in fails("conjure")
    fails()
    fails("build")


def test_help_and_version_succeed():
    assert tenon("--version").stdout.startswith("tenon ")
    commands = ["build", "run", "bench", "inspect", "verify", "check", "opt", "ops"]
    assert all(name in tenon("--help").stdout for name in commands)
    for name in commands:
        assert "--help" in tenon(name, "--help").stdout


# ---- output files

def test_folder_as_output(small, tmp_path):
    (tmp_path / "taken").mkdir()
    error = fails("build", small[0], "-o", tmp_path / "taken")
    assert "taken" in error and only_files(tmp_path) == ["taken"] and only_files(tmp_path / "taken") == []
    (tmp_path / "file").write_text("")
    assert "file" in fails("run", small[1], "--output", tmp_path / "file")


def test_output_in_an_absent_folder(small, tmp_path):
    assert "absent" in fails("build", small[0], "-o", tmp_path / "absent/m.plan")


def test_failed_build_keeps_the_old_plan(small, tmp_path):
    (tmp_path / "m.plan").write_bytes(b"old")
    fails("build", tmp_path / "absent.onnx", "-o", tmp_path / "m.plan")
    assert (tmp_path / "m.plan").read_bytes() == b"old"


def test_full_disk(small, tmp_path):
    disk = tmp_path / "disk"
    disk.mkdir()
    if os.geteuid() != 0:
        pytest.skip("mounting a small disk needs root")
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", disk], capture_output=True, text=True,
                             check=False)
    if mounted.returncode != 0:
        pytest.skip(f"this root may not mount: {mounted.stderr.strip()}")
    try:
        rng = np.random.default_rng(1)
        model = save(tmp_path / "large.onnx", [helper.make_node("MatMul", ["x", "w"], ["y"])],
                     [("x", TensorProto.FLOAT, [2, 256])], [("y", TensorProto.FLOAT, [2, 256])],
                     {"w": rng.standard_normal((256, 256), np.float32)})
        error = fails("build", model, "-o", disk / "m.plan")
        assert "m.plan" in error and "space" in error
        assert only_files(disk) == []
        np.save(tmp_path / "image.npy", np.zeros((2, 2, 8, 8), np.float32))
        (disk / "filler").write_bytes(b"x" * 65536)
        assert "space" in fails("run", small[1], "--output", disk)
        assert only_files(disk) == ["filler"]
    finally:
        subprocess.run(["umount", disk], check=True)


def test_closed_standard_output(small):
    with open("/dev/full", "w", encoding="utf-8") as full:
        result = subprocess.run([os.environ["TENON_COMMAND"], "run", small[1]], stdout=full, stderr=subprocess.PIPE,
                                text=True, check=False)
    assert result.returncode == 1 and "standard output" in result.stderr


@pytest.mark.parametrize("closed, status", [("<&-", 0), ("2>&-", 0), (">&-", 1), ("<&- >&- 2>&-", 1)])
def test_closed_streams(small, tmp_path, closed, status):
    command = [os.environ["TENON_COMMAND"], "run", small[1], "--output", tmp_path]
    result = subprocess.run(["sh", "-c", f'exec "$@" {closed}', "sh", *command], capture_output=True, check=False)
    assert result.returncode == status, result.stderr
    assert np.load(tmp_path / "head_scores.npy").shape == (2, 3), "no message in the file"


# ---- sizes beyond all measure

@pytest.mark.parametrize("dims", [[2**31, 2**31], [2**62, 3], [1] * 100, [1] * 1000000, [f"s{i}" for i in range(100000)]])
def test_inputs_beyond_all_measure(tmp_path, dims):
    model = save(tmp_path / "m.onnx", [helper.make_node("Relu", ["x"], ["y"])], [("x", TensorProto.FLOAT, dims)],
                 [("y", TensorProto.FLOAT, None)])
    error = build_fails(model, tmp_path)
    assert '"x"' in error and "internal" not in error and len(error) < 2000


def test_a_profile_beyond_all_measure(small, tmp_path):
    error = build_fails(small[0], tmp_path, "--shape", f"image=1x2x8x8:1x2x8x8:{2**60}x2x8x8")
    assert '"image"' in error and "maximum of the profile" in error


@pytest.mark.parametrize("op", ["Concat", "Sum", "Max"])
def test_thousands_of_inputs(tmp_path, op):
    attributes = {"axis": 0} if op == "Concat" else {}
    model = save(tmp_path / "m.onnx", [helper.make_node(op, ["x"] * 3000, ["y"], **attributes)],
                 [("x", TensorProto.FLOAT, [1, 2])], [("y", TensorProto.FLOAT, None)])
    tenon("build", model, "-o", tmp_path / "m.plan")
    tenon("run", tmp_path / "m.plan")


def test_thousands_of_nodes_take_seconds(tmp_path):
    count = 20000
    nodes = [helper.make_node("Sin", [f"v{i}"], [f"v{i + 1}"]) for i in reversed(range(count))]
    model = save(tmp_path / "m.onnx", nodes, [("v0", TensorProto.FLOAT, [2, 3])],
                 [(f"v{count}", TensorProto.FLOAT, None)])
    tenon("build", model, "-o", tmp_path / "m.plan", timeout=60)


def test_more_threads_than_there_are(small, tmp_path):
    tenon("build", small[0], "-o", tmp_path / "m.plan", "--threads", "100000")
    tenon("run", tmp_path / "m.plan", "--threads", "100000")


@pytest.mark.parametrize("name", ["nope", "", "AVX2"])
def test_masked_features_have_names(small, name):
    assert f'no instruction set is called "{name}"' in fails("run", small[1], "--mask-feature", name)
