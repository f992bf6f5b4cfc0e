# SPDX-License-Identifier: Apache-2.0
"""Prints a few test images with what the plan reads in them, and how often it is right.

    show_digits.py SAMPLE PROBABILITIES.npy
"""

import pathlib
import sys

import numpy as np

INK = " .:-=+*#%@"
SHOWN = 6


def main():
    sample = pathlib.Path(sys.argv[1])
    images = np.load(sample / "test_images.npy")
    labels = np.load(sample / "test_labels.npy")
    probabilities = np.load(sys.argv[2])
    answers = probabilities.argmax(1)
    for row in range(8):
        print("   ".join("".join(INK[round(9 * float(p))] * 2 for p in images[i, 0, row]) for i in range(SHOWN)))
    print("   ".join(f"{answers[i]} ({100 * probabilities[i].max():.1f} %)".center(16) for i in range(SHOWN)))
    correct = int((answers == labels).sum())
    print(f"\n{correct} of {len(labels)} test images read correctly: {100 * correct / len(labels):.2f} %")
    if correct < 0.97 * len(labels):
        sys.exit("error: expected at least 97 %; the plan does not compute what the model says")


if __name__ == "__main__":
    main()
