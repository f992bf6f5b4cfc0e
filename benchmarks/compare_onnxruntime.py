# SPDX-License-Identifier: Apache-2.0
"""Measures Tenon and ONNX Runtime side by side on the same models and inputs.

Each side runs in processes of its own, in alternating rounds, so that a change of the machine's state hits both. A
model passes when the median of its ratios (Tenon's latency by ONNX Runtime's) is at most --limit, and both answers
agree. Ends with `passed` or `failed`.

    benchmarks/compare_onnxruntime.py                      the light models of the tests, which CTest makes
    benchmarks/compare_onnxruntime.py model.onnx --shape data=1x3x224x224
"""

import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parent.parent
LIGHT_MODELS = ["resnet50", "squeezenet", "shufflenet", "vgg19"]
LARGEST_DISTANCE = 1e-3

# Memory that the peer frees stays with its process, so that no page faults are counted against it.
PEER_ALLOCATION = {"MALLOC_MMAP_MAX_": "0", "MALLOC_TRIM_THRESHOLD_": "68719476736",
                   "MALLOC_TOP_PAD_": "268435456"}
# Settings of a BLAS that would hold one side back.
DROPPED_VARIABLES = ["OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE"]


def environment(extra=()):
    kept = {name: value for name, value in os.environ.items() if name not in DROPPED_VARIABLES}
    return {**kept, **dict(extra)}


def run_peer(arguments):
    """The peer's process: times one session and prints its median latency as JSON."""
    import onnxruntime

    model, inputs, outputs, threads, duration, warmup = arguments
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = int(threads)
    options.inter_op_num_threads = 1
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    feeds = dict(np.load(inputs))
    answers = session.run(None, feeds)
    np.savez(outputs, **{str(i): answer for i, answer in enumerate(answers)})
    latencies = []
    end_of_warmup = time.perf_counter() + float(warmup)
    while time.perf_counter() < end_of_warmup:
        session.run(None, feeds)
    end = time.perf_counter() + float(duration)
    while not latencies or time.perf_counter() < end:
        start = time.perf_counter()
        session.run(None, feeds)
        latencies.append(time.perf_counter() - start)
    print(json.dumps({"version": onnxruntime.__version__, "p50_ms": 1e3 * statistics.median(latencies)}))


def call(command, extra=()):
    result = subprocess.run([str(part) for part in command], env=environment(extra), capture_output=True, text=True,
                            check=False)
    if result.returncode != 0:
        sys.exit(f"failed: {' '.join(map(str, command))}\n{result.stdout}{result.stderr}")
    return result.stdout


def relative_distance(ours, theirs):
    """Relative L2 distance, or None where NaN or infinity stands against a number."""
    ours, theirs = ours.astype(np.float64).ravel(), theirs.astype(np.float64).ravel()
    norm = np.linalg.norm(theirs)
    distance = float(np.linalg.norm(ours - theirs) / (norm if norm > 0 else 1))
    return distance if np.isfinite(distance) else None


class Comparison:
    """One model on both sides."""

    def __init__(self, model, shapes, folder, arguments):
        self.model, self.folder, self.arguments = model, folder, arguments
        self.plan = folder / "model.plan"
        shape_options = [part for shape in shapes for part in ("--shape", shape)]
        call([arguments.tenon, "build", model, "-o", self.plan, "--threads", arguments.threads, *shape_options])
        bindings = json.loads(call([arguments.tenon, "inspect", self.plan, "--json"]))
        rng = np.random.default_rng(arguments.seed)
        self.feeds = {}
        for binding in bindings["inputs"]:
            dims = [dim["optimum"] for dim in binding["dims"]]
            self.feeds[binding["name"]] = self.values(binding["type"], dims, rng)
        self.outputs = [binding["name"] for binding in bindings["outputs"]]
        stored = model.parent / "input.npy"
        if len(self.feeds) == 1 and stored.exists():
            name, value = next(iter(self.feeds.items()))
            if np.load(stored).shape == value.shape:
                self.feeds[name] = np.load(stored)
        np.savez(folder / "inputs.npz", **self.feeds)
        self.input_options = []
        for number, (name, value) in enumerate(self.feeds.items()):
            np.save(folder / f"input_{number}.npy", value)
            self.input_options += ["--input", f"{name}={folder}/input_{number}.npy"]

    @staticmethod
    def values(element_type, dims, rng):
        types = {"f64": np.float64, "f32": np.float32, "f16": np.float16, "i64": np.int64, "i32": np.int32,
                 "bool": np.bool_}
        if element_type not in types:
            sys.exit(f"no random values of type {element_type}")
        if element_type.startswith("f"):
            return rng.standard_normal(dims).astype(types[element_type])
        return rng.integers(0, 2, dims).astype(types[element_type])

    def ours(self):
        arguments = self.arguments
        report = call([arguments.tenon, "bench", self.plan, "--threads", arguments.threads, "--duration",
                       arguments.duration, "--warmup", 1e3 * arguments.warmup, "--json", "-", *self.input_options])
        return json.loads(report)["latency_ms"]["p50"]

    def theirs(self):
        arguments = self.arguments
        return json.loads(call([sys.executable, __file__, "--peer", self.model, self.folder / "inputs.npz",
                                self.folder / "outputs.npz", arguments.threads, arguments.duration, arguments.warmup],
                               PEER_ALLOCATION))

    def distance(self):
        call([self.arguments.tenon, "run", self.plan, "--output", self.folder, *self.input_options])
        theirs = np.load(self.folder / "outputs.npz")
        distances = [relative_distance(np.load(self.folder / f"{name.replace('/', '_')}.npy"), theirs[str(i)])
                     for i, name in enumerate(self.outputs)]
        return None if None in distances else max(distances)

    def measure(self):
        ours, theirs, version = [], [], ""
        for pair in range(self.arguments.pairs):
            # Who goes first alternates as well.
            for side in ((self.ours, self.theirs) if pair % 2 == 0 else (self.theirs, self.ours)):
                answer = side()
                if isinstance(answer, dict):
                    theirs.append(answer["p50_ms"])
                    version = answer["version"]
                else:
                    ours.append(answer)
        ratios = [a / b for a, b in zip(ours, theirs)]
        distance = self.distance()
        ratio = statistics.median(ratios)
        agrees = distance is not None and distance <= LARGEST_DISTANCE
        name = self.model.parent.name if self.model.name == "model.onnx" else self.model.stem
        return version, {"model": name, "tenon_ms": statistics.median(ours), "onnxruntime_ms": statistics.median(theirs),
                         "ratio": ratio, "ratios": ratios, "relative_l2": distance,
                         "passed": agrees and ratio <= self.arguments.limit}


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", nargs="*", type=pathlib.Path)
    parser.add_argument("--shape", action="append", default=[], help="NAME=DIMS, for every model")
    parser.add_argument("--tenon", type=pathlib.Path, default=ROOT / "build/release/tenon")
    parser.add_argument("--data", type=pathlib.Path, default=ROOT / "build/data/light")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--pairs", type=int, default=7)
    parser.add_argument("--duration", type=float, default=2.0, help="seconds of each round")
    parser.add_argument("--warmup", type=float, default=0.5, help="seconds before each round")
    parser.add_argument("--limit", type=float, default=1.5, help="largest ratio of latencies that passes")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", type=pathlib.Path)
    return parser.parse_args()


def main():
    if sys.argv[1:2] == ["--peer"]:
        run_peer(sys.argv[2:])
        return 0
    arguments = parse_arguments()
    models = arguments.models or [arguments.data / name / "model.onnx" for name in LIGHT_MODELS]
    missing = [str(model) for model in models if not model.exists()]
    if missing:
        sys.exit(f"no such model: {', '.join(missing)}; `ctest --preset release -R data.light` makes the light models")
    print(f"{'model':<16} {'Tenon ms':>10} {'ONNX Runtime ms':>16} {'ratio':>7} {'spread':>13} {'distance':>10}")
    results, version = [], ""
    for model in models:
        with tempfile.TemporaryDirectory() as folder:
            version, result = Comparison(model, arguments.shape, pathlib.Path(folder), arguments).measure()
        results.append(result)
        spread = f"{min(result['ratios']):.2f}..{max(result['ratios']):.2f}"
        distance = "NaN" if result["relative_l2"] is None else f"{result['relative_l2']:.1e}"
        print(f"{result['model']:<16} {result['tenon_ms']:>10.3f} {result['onnxruntime_ms']:>16.3f} "
              f"{result['ratio']:>7.2f} {spread:>13} {distance:>10}", flush=True)
    passed = all(result["passed"] for result in results)
    if arguments.json:
        report = {"schema": "tenon.compare/1", "tenon": call([arguments.tenon, "--version"]).split()[1],
                  "threads": arguments.threads, "pairs": arguments.pairs, "limit": arguments.limit, "passed": passed,
                  "onnxruntime": version, "models": results}
        arguments.json.write_text(json.dumps(report, indent=2) + "\n")
    print(f"{arguments.pairs} alternating pairs, {arguments.threads} threads, ONNX Runtime {version}, "
          f"limit {arguments.limit}")
    print("passed" if passed else "failed")
    return 0 if passed else 1


if __name__ == "__main__":
    sys.exit(main())
