"""Pages made from benchmarks/results: README.md here, and the figure of the project's page.

    python -m benchmarks.page            writes them
    python -m benchmarks.page --check    fails if what is committed differs
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

HERE = Path(__file__).parent
SHOWN = "h200"      # the GPU that the figure is about
ORDER = ("reference", "eager", "torch", "torch.compile", "liger-kernel")


def slug(gpu: str) -> str:
    """`NVIDIA H200` -> `h200`: the name of a result file."""
    words = gpu.lower().replace("nvidia", "").replace("geforce", "").replace("tesla", "").split()
    return "-".join(words)


def sizes(dims: dict) -> str:
    return " × ".join(f"{size:,}" for size in dims.values())


def table(results: dict) -> str:
    """Share of a copy's speed, kernel by kernel, as Markdown."""
    lines = ["| kernel | size | dtype | copy [TB/s] | " + " | ".join(ORDER) + " |",
             "|---|---|---|---|" + "---|" * len(ORDER)]
    for entry in results["kernels"]:
        copy = entry["bytes"] / entry["copy_ms"][1] / 1e9
        cells = [f"{entry['arms'][name]['share']:.3f}" if name in entry["arms"] else ""
                 for name in ORDER]
        lines.append(f"| {entry['kernel']} | {sizes(entry['dims'])} | {entry['dtype']} | "
                     f"{copy:.2f} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def time_table(results: dict) -> str:
    """Milliseconds, median and quartiles, as Markdown."""
    lines = ["| kernel | size | copy | " + " | ".join(ORDER) + " |",
             "|---|---|---|" + "---|" * len(ORDER)]

    def cell(ms):
        return f"{ms[1]:.3f} ({ms[0]:.3f} to {ms[2]:.3f})"

    for entry in results["kernels"]:
        cells = [cell(entry["arms"][name]["ms"]) if name in entry["arms"] else "" for name in ORDER]
        lines.append(f"| {entry['kernel']} | {sizes(entry['dims'])} | {cell(entry['copy_ms'])} | "
                     + " | ".join(cells) + " |")
    return "\n".join(lines)


def threshold_table(results: dict) -> str:
    """What the speed criterion asks beside what the reference and the unfused version reach."""
    lines = ["| exercise | size | share of | reference | as the examiner sees it | unfused "
             "| full points at |",
             "|---|---|---|---|---|---|---|"]
    for row in results["thresholds"]:
        low, high = row["examiner_interval"]
        lines.append(
            f"| {row['exercise']} | {sizes(row['dims'])} | {row['ceiling']} | "
            f"{row['shares']['reference']:.3f} | "
            f"{row['examiner_share']:.3f} ({low:.3f} to {high:.3f}) | "
            f"{row['shares']['eager']:.3f} | {row['tiers'][-1][0]:.2f} |")
    return "\n".join(lines)


def readme(files: list[Path]) -> str:
    parts = ["""# Benchmarks

`make bench` times every reference kernel on your GPU beside what people would use instead, and
writes `results/<gpu>.json`. This page is made from those files by `python -m benchmarks.page`:
nothing on it is typed.

A number is the **share of a copy's speed**: the time of a copy of the same bytes over the time of
the kernel, median of pairs timed one after the other in the order AB BA. "eager" is the unfused
PyTorch expression, "torch" PyTorch's own fused operator where there is one, "liger-kernel" the
Triton operators of Liger-Kernel.
"""]
    for file in files:
        results = json.loads(file.read_text())
        versions = ", ".join(f"{name} {v}" for name, v in results["versions"].items())
        parts.append(f"""## {results['gpu']}

{results['date']}; {versions}. Protocol: {results['protocol']}.

{table(results)}

Milliseconds, median (quartiles):

{time_table(results)}

What the speed criterion asks. The examiner times with fresh inputs and a cold L2 cache; its number
has a 99 % interval. Where there is nothing to fuse (vector_add), "unfused" is PyTorch's own kernel.

{threshold_table(results)}
""")
    return "\n".join(parts)


def figure(results: dict) -> bytes:
    """Row softmax by row length, share of a copy's speed, as a PNG."""
    from helpers import plots

    rows = [entry for entry in results["kernels"] if entry["kernel"].startswith("row_softmax")]
    names = {"reference": "this course", "liger-kernel": "Liger", "torch.compile": "torch.compile",
             "torch": "torch.softmax"}
    curves = {label: ([e["dims"]["N"] for e in rows if arm in e["arms"]],
                      [100 * e["arms"][arm]["share"] for e in rows if arm in e["arms"]])
              for arm, label in names.items()}
    return plots.lines(
        curves, f"Softmax of float32 rows on an {results['gpu']}", "columns in a row",
        "share of a copy's speed [%]", yours="this course").png()


def pages() -> dict[Path, str]:
    """Every generated page and its text."""
    return {HERE / "README.md": readme(sorted((HERE / "results").glob("*.json")))}


def write() -> None:
    """Write the pages and the figure."""
    for path, text in pages().items():
        path.write_text(text)
    shown = HERE / "results" / f"{SHOWN}.json"
    if shown.exists():
        (HERE / "results" / "row_softmax.png").write_bytes(figure(json.loads(shown.read_text())))


def check() -> list[str]:
    """Names of generated files that differ from what is committed."""
    return [str(path.relative_to(HERE.parent)) for path, text in pages().items()
            if not path.exists() or path.read_text() != text]


if __name__ == "__main__":
    if "--check" in sys.argv[1:]:
        stale = check()
        if stale:
            sys.exit(f"{', '.join(stale)}: not made from benchmarks/results. Run "
                     "python -m benchmarks.page")
    else:
        write()
