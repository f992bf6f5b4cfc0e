# SPDX-License-Identifier: Apache-2.0
"""Every JSON output follows its schema in docs/json."""

import json

import fastjsonschema
import pytest
from onnx import TensorProto, helper

from tenon_command import SOURCE_DIR, save, save_small, tenon

SCHEMAS = SOURCE_DIR / "docs/json"


def check(name, text):
    schema = json.loads((SCHEMAS / f"{name}.schema.json").read_text())
    document = json.loads(text)
    fastjsonschema.compile(schema)(document)
    assert document["schema"] == f"tenon.{name}/1"
    return document


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    folder = tmp_path_factory.mktemp("small")
    model, plan = save_small(folder / "small.onnx"), folder / "small.plan"
    report = tenon("build", model, "-o", plan, "--json", "-").stdout
    return model, plan, report


def test_build(small):
    model, plan, report = small
    document = check("build", report)
    assert document["plan"] == {"path": str(plan), "bytes": plan.stat().st_size}
    assert document["model"]["nodes"] == 4 and document["model"]["path"] == str(model)
    assert any(p["name"] == "fuse_epilogues" for p in document["passes"])


def test_run(small):
    document = check("run", tenon("run", small[1], "--json").stdout)
    assert document["random_inputs"] == ["image"]
    assert document["outputs"][0]["name"] == "head/scores"
    assert document["outputs"][0]["minimum"] <= document["outputs"][0]["mean"] <= document["outputs"][0]["maximum"]


def test_bench(small, tmp_path):
    report = tmp_path / "bench.json"
    tenon("bench", small[1], "--duration", "0.05", "--layer-times", "--json", report)
    document = check("bench", report.read_text())
    latency = document["latency_ms"]
    assert 0 < latency["min"] <= latency["p50"] <= latency["p90"] <= latency["p99"] <= latency["max"]
    assert document["runs"] >= 1 and len(document["layers"]) >= 2
    assert abs(sum(layer["share"] for layer in document["layers"]) - 1) < 1e-6
    assert document["peak"]["gflops_per_s"] > 1


def test_verify(small):
    document = check("verify", tenon("verify", small[0], "--both", "--json").stdout)
    assert [run["name"] for run in document["runs"]] == ["no passes", "all passes"]
    assert all(run["compared"] > 0 and run["failed"] == 0 for run in document["runs"])
    assert document["runs"][0]["compared"] > document["runs"][1]["compared"], "fusion leaves fewer tensors"


def test_check(small, tmp_path):
    document = check("check", tenon("check", small[0], "--json").stdout)
    assert document["supported"] and document["operators"] == {"Conv": 1, "Relu": 1, "Flatten": 1, "MatMul": 1}
    model = save(tmp_path / "m.onnx", [helper.make_node("Mystery", ["x"], ["y"], name="odd", domain="com.acme")],
                 [("x", TensorProto.FLOAT, [2])], [("y", TensorProto.FLOAT, [2])], domains=["com.acme"])
    document = check("check", tenon("check", model, "--json", status=1).stdout)
    assert not document["supported"] and document["problems"][0]["node"]["name"] == "odd"


def test_ops():
    document = check("ops", tenon("ops", "--json").stdout)
    names = [operator["name"] for operator in document["operators"]]
    assert names == sorted(names) and {"conv", "relu", "matmul"} <= set(names)


def test_inspect(small):
    document = check("inspect", tenon("inspect", small[1], "--json").stdout)
    assert [i["name"] for i in document["inputs"]] == ["image"]
    origins = {name for step in document["steps"] for name in step["origins"]}
    assert {"Conv_0", "Relu_1", "MatMul_3"} <= origins
    check("inspect", tenon("inspect", small[1], "--json", "--kernels").stdout)


def test_schemas_can_fail():
    schema = json.loads((SCHEMAS / "bench.schema.json").read_text())
    with pytest.raises(fastjsonschema.JsonSchemaException):
        fastjsonschema.compile(schema)({"schema": "tenon.bench/1", "tenon": "0.1.0"})
