# SPDX-License-Identifier: Apache-2.0
"""Checks the rules about the sources that no compiler checks, first of all who may include whom.

    check_includes.py ROOT          prints every violation; exit status 1 when there is one
    check_includes.py --self-test   shows on a made-up tree that each rule can fail
"""

import pathlib
import re
import sys
import tempfile

# Folder -> what its files may include besides the standard library and themselves. The longest folder that fits
# decides. An entry is a folder, a file, or the name of an outside library.
IR_TYPES = ["builder/ir/type.h", "builder/ir/dim.h", "builder/ir/layout.h"]
ALLOWED = {
    "include/tenon": [],
    "runtime/base": ["include/tenon", "xxhash", "posix"],
    "runtime": ["include/tenon", "flatbuffers", "xxhash", "posix"],
    "kernels": ["runtime/base/kernel_abi.h", "runtime/base/half.h"],
    "builder/ir": ["include/tenon", "runtime/base", "fmt", "xxhash"],
    "builder/loop": ["include/tenon", "runtime/base", *IR_TYPES, "builder/ir/scanner.h",
                     "builder/ir/type_scanner.h", "fmt", "xxhash"],
    "builder/ops": ["include/tenon", "runtime/base", "builder/ir", "builder/loop", "fmt"],
    "builder/passes": ["include/tenon", "runtime/base", "builder/ir", "builder/loop", "builder/ops/op.h",
                       "builder/passes/pass.h", "fmt"],
    "builder/precision": ["include/tenon", "runtime/base", "builder/ir", "builder/loop", "builder/ops/op.h",
                          "builder/passes/pass.h", "fmt"],
    "builder/memory": ["include/tenon", "runtime/base", "builder/ir", "builder/loop", "builder/ops/op.h",
                       "builder/passes/pass.h", "fmt"],
    "builder/codegen": ["include/tenon", "runtime/base", "builder/loop", *IR_TYPES, "fmt", "xxhash"],
    "builder/codegen/cpu": ["include/tenon", "runtime/base", "builder/loop", "builder/codegen", *IR_TYPES, "fmt",
                            "xxhash", "llvm"],
    "builder/codegen/cuda": ["include/tenon", "runtime/base", "builder/loop", "builder/codegen", *IR_TYPES, "fmt",
                             "xxhash", "nvrtc"],
    "builder/tactics": ["include/tenon", "runtime/base", "builder/ir", "builder/loop", "builder/codegen",
                        "builder/execute", "builder/ops/op.h", "fmt", "xxhash"],
    "builder/execute": ["include/tenon", "runtime", "builder/ir", "builder/ops/op.h", "fmt"],
    "builder/emit": ["include/tenon", "runtime/base", "runtime/plan", "builder/ir", "builder/loop", "builder/codegen",
                     "builder/memory", "builder/ops/op.h", "flatbuffers", "fmt", "xxhash", "posix"],
    "builder": ["include/tenon", "runtime", "fmt", "xxhash", "posix"],
    "parser": ["include/tenon", "builder/ops/op.h", "protobuf", "fmt", "posix"],
    "plugins": ["include/tenon"],
    "samples": ["include/tenon"],
    "python": ["include/tenon", "nanobind"],
    "benchmarks": ["include/tenon", "benchmark", "fmt", "posix"],
    # Times single kernels, on what the tests of contractions run them with.
    "benchmarks/contraction": ["include/tenon", "builder", "tests", "fmt"],
    "tools": ["include/tenon", "cli11", "fmt", "json", "posix"],
    # `tenon opt` works on the graph's text form, which is the builder's own.
    "tools/opt": ["include/tenon", "builder", "cli11", "fmt", "json"],
}

OUTSIDE = [
    (r"^(llvm|llvm-c)/", "llvm"),
    (r"^google/protobuf/|\.pb\.h$", "protobuf"),
    (r"^flatbuffers/|_generated\.h$", "flatbuffers"),
    (r"^fmt/", "fmt"),
    (r"^CLI/", "cli11"),
    (r"^nlohmann/", "json"),
    (r"^xxhash\.h$|^xxh3\.h$", "xxhash"),
    (r"^nvrtc\.h$|^cuda", "nvrtc"),
    (r"^nanobind/", "nanobind"),
    (r"^benchmark/", "benchmark"),
    (r"^(sys|linux|asm|arpa|netinet)/|^(unistd|fcntl|pthread|sched|dlfcn|poll|signal|elf|dirent|cpuid)\.h$", "posix"),
    (r"^(immintrin|x86intrin|xmmintrin)\.h$", "posix"),
]

# Longer than their limit, with the reason. Nothing else may be.
LONG_FILES = {
    "builder/passes/pass.h": "what every pass is given, not a pass",
}

SOURCE_FOLDERS = ["include", "runtime", "kernels", "builder", "parser", "plugins", "samples", "python", "benchmarks",
                  "tools", "tests", "scripts", "cmake"]
SUFFIXES = {".cpp", ".h", ".py", ".sh", ".cmake", ".fbs", ".proto", ".def"}
CODE = {".cpp", ".h", ".py"}
VAGUE_NAME = re.compile(r"(^|_)(utils?|utilities|helpers?|common|misc)$", re.IGNORECASE)
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', re.MULTILINE)


def classify(bracket, name):
    """What an #include names: a path of ours, an outside library, or None for the standard library."""
    if name.startswith("tenon/"):
        return "include/" + name
    for pattern, library in OUTSIDE:
        if re.search(pattern, name):
            return library
    if bracket == '"':
        return name
    return None if "/" not in name else name


def is_below(path, folder):
    return path == folder or path.startswith(folder + "/")


def rule_for(path):
    """The folder whose rule holds for a file; `tools/opt` also covers tools/opt.cpp and tools/opt_*.cpp."""
    if re.match(r"tools/opt[_.]", path):
        return "tools/opt"
    fitting = [folder for folder in ALLOWED if is_below(path, folder)]
    return max(fitting, key=len, default=None)


def operator_of(path, operators):
    """The operator that a file of builder/ops belongs to, or None for what operators share."""
    match = re.match(r"builder/ops/([a-z0-9_]+)", path)
    return match.group(1) if match and match.group(1) in operators else None


def check_includes(path, text, operators):
    folder = rule_for(path)
    if folder is None:
        return
    own = "tools" if folder == "tools/opt" else folder
    for bracket, name in INCLUDE.findall(text):
        target = classify(bracket, name)
        if target is None:
            continue
        if folder == "runtime/base" and target.startswith("runtime/") and not is_below(target, "runtime/base"):
            yield f"{path}: includes {name}; runtime/base may not include other parts of the runtime"
            continue
        if not any(is_below(target, entry) for entry in [own, *ALLOWED[folder]]):
            yield f"{path}: includes {name}; {folder} may include only {', '.join(ALLOWED[folder]) or 'std'}"
        included = operator_of(target, operators)
        if folder == "builder/ops" and included and included != operator_of(path, operators):
            yield f"{path}: includes {name}; no operator includes another"


def check_size(path, text, long_files):
    limit = 400
    if path.startswith("include/tenon/"):
        limit = 300
    if path.startswith("builder/passes/") and path.endswith(".h"):
        limit = 35
    lines = text.count("\n")
    if lines > limit and path not in long_files:
        yield f"{path}: {lines} lines; the limit is {limit}. Split it by meaning."


def check_operator_names(path, text, operator_names):
    """Everything about an operator is in builder/ops; elsewhere only a rewrite matches operators by name."""
    if not re.match(r"(builder|parser|tools|runtime)/", path) or path.startswith("builder/ops/"):
        return
    # A rewrite names the operators of its own formula; a list of more is a switch.
    limit = 4 if path.startswith("builder/passes/") else 0
    literals = re.findall(r'[=!]=\s*"(\w+)"|"(\w+)"\s*[=!]=', text)
    found = sorted({a or b for a, b in literals} & operator_names)
    if len(found) > limit:
        yield f"{path}: compares with the operator names {', '.join(found)}; that belongs to builder/ops"


def check_file(path, text, operators, operator_names, long_files):
    if VAGUE_NAME.search(pathlib.PurePath(path).name.split(".")[0]):
        yield f"{path}: name the file after what it holds, not 'utils', 'helpers' or 'common'"
    if "SPDX-License-Identifier: Apache-2.0" not in "\n".join(text.split("\n", 3)[:3]):
        yield f"{path}: lacks the line 'SPDX-License-Identifier: Apache-2.0' at its top"
    suffix = pathlib.PurePath(path).suffix
    if suffix in CODE:
        yield from check_size(path, text, long_files)
    if suffix in {".cpp", ".h"}:
        yield from check_includes(path, text, operators)
        yield from check_operator_names(path, text, operator_names)


def check_operator_list(text):
    entries = [line for line in text.split("\n") if re.match(r"\w+\(\w+\)", line)]
    for before, after in zip(entries, entries[1:]):
        if before >= after:
            yield f"builder/ops/ops.def: '{after}' stands after '{before}'; the list is sorted and has no doubles"


def snake_case(name):
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", name).lower()


def check(root, long_files):
    files = {}
    for folder in SOURCE_FOLDERS:
        for path in sorted((root / folder).rglob("*")):
            if path.is_file() and (path.suffix in SUFFIXES or path.name == "CMakeLists.txt"):
                files[path.relative_to(root).as_posix()] = path.read_text()
    operator_list = files.get("builder/ops/ops.def", "")
    operators = {snake_case(name) for name in re.findall(r"^\w+\((\w+)\)", operator_list, re.MULTILINE)}
    operator_names = set()
    for path, text in files.items():
        if path.startswith("builder/ops/"):
            operator_names |= set(re.findall(r'op\.name = "(\w+)"', text))
    problems = list(check_operator_list(operator_list))
    for path, text in files.items():
        problems += check_file(path, text, operators, operator_names, long_files)
    for path in long_files:
        if path not in files:
            problems.append(f"{path}: listed as a long file, but does not exist")
    return len(files), problems


SPDX = "// SPDX-License-Identifier: Apache-2.0\n"
SELF_TEST = [
    # (files, what the single problem must say; None: no problem)
    ({"runtime/base/hash.cpp": SPDX + "#include <xxhash.h>\n#include <tenon/status.h>\n#include <vector>\n"}, None),
    ({"runtime/plan/a.cpp": SPDX + '#include "builder/ir/graph.h"\n'}, "runtime may include only"),
    ({"runtime/base/a.cpp": SPDX + '#include "runtime/plan/b.h"\n'}, "may not include other parts"),
    ({"include/tenon/a.h": SPDX + "#include <fmt/format.h>\n"}, "may include only std"),
    ({"builder/passes/a.cpp": SPDX + "#include <llvm/IR/Module.h>\n"}, "builder/passes may include only"),
    ({"builder/codegen/cpu/a.cpp": SPDX + "#include <llvm/IR/Module.h>\n"}, None),
    ({"builder/ir/a.cpp": SPDX + '#include "builder/loop/kernel.h"\n'}, "builder/ir may include only"),
    ({"tools/run.cpp": SPDX + '#include "builder/ir/text.h"\n'}, "tools may include only"),
    ({"tools/opt.cpp": SPDX + '#include "builder/ir/text.h"\n'}, None),
    ({"kernels/top_k.cpp": SPDX + '#include "runtime/base/hash.h"\n'}, "kernels may include only"),
    ({"builder/ops/ops.def": SPDX + "TENON_OP(Conv)\nTENON_OP(Relu)\n",
      "builder/ops/relu.cpp": SPDX + '#include "builder/ops/conv.h"\n'}, "no operator includes another"),
    ({"builder/ops/ops.def": SPDX + "TENON_OP(Relu)\nTENON_OP(Conv)\n"}, "the list is sorted"),
    ({"builder/ops/conv.cpp": SPDX + 'op.name = "conv";\n',
      "builder/emit/a.cpp": SPDX + 'if (node->op() == "conv") {}\n'}, "belongs to builder/ops"),
    ({"builder/ops/conv.cpp": SPDX + 'op.name = "conv";\n',
      "builder/passes/a.cpp": SPDX + 'if (node->op() == "conv") {}\n'}, None),
    ({"tools/string_utils.cpp": SPDX}, "name the file after what it holds"),
    ({"tools/a.cpp": "int a;\n"}, "lacks the line"),
    ({"tools/a.cpp": SPDX + "\n" * 400}, "the limit is 400"),
    ({"builder/passes/a.h": SPDX + "\n" * 35}, "the limit is 35"),
]


def self_test():
    wrong = 0
    for files, expected in SELF_TEST:
        with tempfile.TemporaryDirectory() as folder:
            for path, text in files.items():
                file = pathlib.Path(folder) / path
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text(text)
            _, problems = check(pathlib.Path(folder), {})
        fits = not problems if expected is None else len(problems) == 1 and expected in problems[0]
        if not fits:
            wrong += 1
            print(f"{list(files)}: expected {expected or 'no problem'}, got {problems}")
    print(f"{len(SELF_TEST) - wrong} of {len(SELF_TEST)} rules behave as stated")
    return wrong


def main():
    if sys.argv[1] == "--self-test":
        sys.exit(1 if self_test() else 0)
    count, problems = check(pathlib.Path(sys.argv[1]), LONG_FILES)
    print("\n".join(problems))
    print(f"{count} files, {len(problems)} problems")
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
