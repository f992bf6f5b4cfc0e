#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Sets up, builds the command, turns the digits sample into a plan and runs it.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

scripts/setup.sh
log=$(mktemp)
trap 'rm -f "$log"' EXIT
echo "== building the command (build/release/tenon)"
cmake --preset release >"$log" 2>&1 || { cat "$log"; exit 1; }
cmake --build --preset release --target tenon -- --quiet

tenon=build/release/tenon
sample=samples/01_digits
work=build/demo
mkdir -p "$work"

step() {
  echo
  echo "\$ $*"
  "$@"
}

step "$tenon" build "$sample/digits.onnx" -o "$work/digits.plan" --shape image=1x1x8x8:64x1x8x8:512x1x8x8
step "$tenon" run "$work/digits.plan" --input "image=$sample/test_images.npy" --output "$work"
echo
.venv/bin/python scripts/show_digits.py "$sample" "$work/probabilities.npy"
step "$tenon" bench "$work/digits.plan" --shape image=1x1x8x8 --duration 1

cat <<TEXT

Next:
  $tenon inspect $work/digits.plan          what is in the plan: steps, tactics, memory
  $tenon check MODEL.onnx                   can Tenon build your model? every obstacle at once
  $tenon build MODEL.onnx -o MODEL.plan     build it; then: $tenon bench MODEL.plan --layer-times
  $tenon verify MODEL.onnx                  every tensor against the reference
  samples/02_embed                          the program that serves a plan
TEXT
