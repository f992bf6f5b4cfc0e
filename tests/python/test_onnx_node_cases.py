# SPDX-License-Identifier: Apache-2.0
"""The conformance cases of the onnx package: every one that `tenon check` accepts gives the right answer."""

import collections
import dataclasses
import re

import numpy as np
import onnx.backend.test.loader as loader
import pytest
from onnx import AttributeProto

from node_cases import NPY_TYPES, Case, by_opset, failures, unsupported

# Why a case may be left out, as patterns of whole reasons. Anything else fails.
EXPECTED_REASONS = [
    r"its tensors have element types without \.npy form",
    r"it has inputs or outputs that are no tensors",
    r"it has a sub-graph",
    r"it is of another domain",
    r".*not supported yet: .*",
]

# At least so many cases run, so that a change that loses many is seen.
LEAST_RUN = 600


def read(test):
    """The case, or the reason why there is none."""
    graph = test.model.graph
    data_inputs, data_outputs = test.data_sets[0]
    if any(a.type in (AttributeProto.GRAPH, AttributeProto.GRAPHS) for n in graph.node for a in n.attribute):
        return "it has a sub-graph"
    if any(n.domain not in ("", "ai.onnx") for n in graph.node):
        return "it is of another domain"
    arrays = [*data_inputs, *data_outputs]
    if not all(isinstance(a, (np.ndarray, np.generic)) for a in arrays):
        return "it has inputs or outputs that are no tensors"
    if any(np.asarray(a).dtype not in NPY_TYPES for a in arrays):
        return "its tensors have element types without .npy form"
    names = [i.name for i in graph.input]
    inputs = {name: np.asarray(a) for name, a in zip(names, data_inputs, strict=True)}
    return Case(test.name, test.model, inputs, [np.asarray(a) for a in data_outputs], test.rtol, max(test.atol, 1e-6))


@pytest.fixture(scope="module")
def sorted_cases(tmp_path_factory):
    """Cases that `tenon check` accepts, with all inputs given at run time or else with all but the first as
    constants, and how many are left out for each reason."""
    folder = tmp_path_factory.mktemp("check")
    skipped, found = collections.Counter(), []
    for test in loader.load_model_tests(kind="node"):
        case = read(test)
        if isinstance(case, str):
            skipped[case] += 1
        else:
            found.append(case)
    accepted = []
    for cases in by_opset(found).values():
        reasons = unsupported(cases, folder)
        accepted += [case for number, case in enumerate(cases) if number not in reasons]
        rest = [dataclasses.replace(cases[n], constants=frozenset(list(cases[n].inputs)[1:])) for n in sorted(reasons)]
        if not rest:
            continue
        reasons = unsupported(rest, folder)
        accepted += [case for number, case in enumerate(rest) if number not in reasons]
        for code, reason in reasons.values():
            skipped[f"{code}: {reason}" if code != "unsupported" else re.sub(r"^.*?(not supported)", r"\1", reason)] += 1
    return accepted, skipped


def test_left_out_cases_have_expected_reasons(sorted_cases):
    accepted, skipped = sorted_cases
    for reason, count in sorted(skipped.items()):
        print(f"{count:5}  {reason}")
    print(f"{len(accepted):5}  run")
    unexpected = [r for r in skipped if not any(re.fullmatch(p, r) for p in EXPECTED_REASONS)]
    assert unexpected == []
    assert len(accepted) >= LEAST_RUN


@pytest.mark.parametrize("flags", [(), ("--disable-pass", "all", "--checked-kernels")], ids=["passes", "no_passes"])
def test_accepted_cases_give_the_expected_answers(sorted_cases, tmp_path, flags):
    accepted, _ = sorted_cases
    lines = []
    for opset, cases in by_opset(accepted).items():
        lines += failures(cases, tmp_path / str(opset), flags)
    assert not lines, f"{len(lines)} failures:\n" + "\n".join(lines)
