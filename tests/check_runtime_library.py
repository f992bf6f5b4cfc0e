# SPDX-License-Identifier: Apache-2.0
"""Checks that libtenon_runtime is slim: what it links, what it names, and how large it is when stripped.

    check_runtime_library.py LIBRARY
"""

import os
import re
import subprocess
import sys
import tempfile

ALLOWED_LIBRARIES = re.compile(r"^(libc|libm|libstdc\+\+|libgcc_s|ld-linux[-\w]*)\.so")
FOREIGN_SYMBOL = re.compile(r"llvm|LLVM|protobuf|nvrtc|onnx::|fmt::", re.IGNORECASE)
SIZE_LIMIT = 1_000_000


def output_of(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def main():
    library = sys.argv[1]
    problems = []
    needed = re.findall(r"\(NEEDED\).*\[(.+)\]", output_of("readelf", "-d", library))
    print("needs:", ", ".join(needed))
    problems += [f"needs {name}" for name in needed if not ALLOWED_LIBRARIES.match(name)]
    symbols = output_of("nm", "-D", "-C", library).splitlines()
    symbols += output_of("nm", "-C", library).splitlines()
    foreign = sorted({line.split(maxsplit=1)[-1] for line in symbols if FOREIGN_SYMBOL.search(line)})
    problems += [f"names the symbol {symbol}" for symbol in foreign[:20]]
    dynamic = output_of("nm", "-D", "-C", "--defined-only", library).splitlines()
    internals = [line for line in dynamic if re.search(r" [TBDR] tenon::(runtime|plan)::", line)]
    problems += [f"exports the internal symbol {line.split(maxsplit=2)[-1]}" for line in internals[:20]]
    with tempfile.TemporaryDirectory() as folder:
        stripped = os.path.join(folder, "stripped.so")
        subprocess.run(["strip", "-o", stripped, library], check=True)
        size = os.path.getsize(stripped)
    print(f"stripped: {size} bytes, {len(dynamic)} exported symbols")
    if size > SIZE_LIMIT:
        problems.append(f"has {size} bytes when stripped; the limit is {SIZE_LIMIT}")
    for problem in problems:
        print(f"{library}: {problem}")
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
