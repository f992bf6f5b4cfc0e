# SPDX-License-Identifier: Apache-2.0
"""`tenon opt` reads and prints the text form of graphs."""

import pytest

from tenon_command import fails, tenon

GRAPH = """// RUN: tenon opt --pass=merge_common_subexpressions
graph @g {
  %0 "x" = input : f32[2,3]
  // the same twice
  %1 "a" = relu(%0) : f32[2,3]
  %2 "b" = relu(%0) : f32[2,3]
  %3 "y" = add(%1, %2) : f32[2,3]
  output "y" = %3
}
"""


def test_no_pass_prints_what_parses_back():
    once = tenon("opt", "-", stdin=GRAPH).stdout
    assert once.count("relu") == 2 and tenon("opt", "-", stdin=once).stdout == once


def test_one_pass(tmp_path):
    (tmp_path / "g.ir").write_text(GRAPH)
    result = tenon("opt", tmp_path / "g.ir", "--pass", "merge_common_subexpressions", "-v")
    assert result.stdout.count("relu") == 1 and "rewrites" in result.stderr
    unchanged = tenon("opt", tmp_path / "g.ir", "--pass=merge_common_subexpressions", "--stop-after", "0")
    assert unchanged.stdout.count("relu") == 2


def test_pipeline_prints_after_passes():
    result = tenon("opt", "-", "--pipeline", "--print-after", "canonicalize", stdin=GRAPH)
    assert "// after canonicalize" in result.stderr and "group" in result.stdout


def test_errors_name_place_and_pass(tmp_path):
    assert "no_such_pass" in fails("opt", "-", "--pass", "no_such_pass", stdin=GRAPH)
    (tmp_path / "bad.ir").write_text("graph @g {\n  %0 = frobnicate(%7) : f32[2]\n}\n")
    error = fails("opt", tmp_path / "bad.ir")
    assert "bad.ir" in error and "2" in error
    assert "absent.ir" in fails("opt", tmp_path / "absent.ir")


@pytest.mark.parametrize("line", ["%1 = no_such(%0) : f32[2,3]", "%1 = relu(%0) : f32[3,2]", "%1 = relu() : f32[2,3]",
                                  "%1 = relu(%0) {alpha=1} : f32[2,3]", "%1 = add(%0, %0) : f32[N,3]",
                                  "%1 = conv(%0, %0) : f32[2,3]", "%1 = reshape(%0) {shape=[-1]} : f32[6]"])
def test_graphs_that_do_not_fit_together_are_the_users(line):
    text = f'graph @g {{\n  %0 "x" = input : f32[2,3]\n  {line}\n  output "y" = %1\n}}\n'
    assert "internal" not in fails("opt", "-", "--pipeline", stdin=text)


@pytest.mark.parametrize("file", ["/dev/zero", "/dev/urandom", "/"])
def test_what_never_ends_is_no_graph(file):
    assert file in fails("opt", file)
