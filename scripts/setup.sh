#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs what Tenon needs on Debian 12: packages, and .venv for the tests. Does nothing that is already done.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

packages=(
  g++ cmake ninja-build ccache
  llvm-19-dev
  libprotobuf-dev protobuf-compiler libflatbuffers-dev flatbuffers-compiler
  libcli11-dev libfmt-dev nlohmann-json3-dev libxxhash-dev
  libgtest-dev libgmock-dev libbenchmark-dev
  binutils python3 python3-venv
)

missing=()
for package in "${packages[@]}"; do
  status=$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null || true)
  [[ $status == installed ]] || missing+=("$package")
done

if ((${#missing[@]})); then
  as_root=()
  if ((EUID != 0)); then
    if ! command -v sudo >/dev/null; then
      echo "error: not root, and these packages are missing: ${missing[*]}" >&2
      exit 1
    fi
    as_root=(sudo)
  fi
  echo "set-up: installing ${missing[*]}"
  export DEBIAN_FRONTEND=noninteractive
  "${as_root[@]}" apt-get update -qq
  "${as_root[@]}" apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
fi

# A stamp of the requirements tells a finished environment from an interrupted one.
stamp=.venv/requirements.sha256
wanted=$(sha256sum requirements.txt | cut -d ' ' -f 1)
if [[ ! -x .venv/bin/python || ! -f $stamp || $(<"$stamp") != "$wanted" ]]; then
  echo "set-up: making .venv"
  /usr/bin/python3 -m venv --clear .venv
  .venv/bin/python -m pip install --quiet --disable-pip-version-check --no-input -r requirements.txt
  echo "$wanted" >"$stamp"
fi
echo "set-up: done"
