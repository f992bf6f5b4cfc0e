# SPDX-License-Identifier: Apache-2.0
"""The comparison with ONNX Runtime measures both sides, compares answers, and can pass and fail."""

import json
import os
import subprocess
import sys

import fastjsonschema
import pytest

from tenon_command import SOURCE_DIR, save_small

SCRIPT = SOURCE_DIR / "benchmarks/compare_onnxruntime.py"


@pytest.mark.parametrize("limit, passed", [(1e6, True), (0, False)])
def test_comparison_passes_and_fails(tmp_path, limit, passed):
    model = save_small(tmp_path / "small.onnx")
    report = tmp_path / "report.json"
    result = subprocess.run([sys.executable, SCRIPT, model, "--tenon", os.environ["TENON_COMMAND"], "--pairs", "2",
                             "--duration", "0.05", "--warmup", "0", "--limit", str(limit), "--json", report],
                            capture_output=True, text=True, check=False)
    assert result.returncode == (0 if passed else 1), result.stdout + result.stderr
    assert result.stdout.splitlines()[-1] == ("passed" if passed else "failed")
    document = json.loads(report.read_text())
    fastjsonschema.compile(json.loads((SOURCE_DIR / "docs/json/compare.schema.json").read_text()))(document)
    assert document["models"][0]["relative_l2"] < 1e-4 and len(document["models"][0]["ratios"]) == 2


def test_missing_model_is_named(tmp_path):
    result = subprocess.run([sys.executable, SCRIPT, tmp_path / "absent.onnx"], capture_output=True, text=True,
                            check=False)
    assert result.returncode == 1 and "absent.onnx" in result.stderr
