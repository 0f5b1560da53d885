"""Pages made from benchmarks/results: README.md here, and what notebooks show without a GPU.

    python -m benchmarks.page            writes them
    python -m benchmarks.page --check    fails if what is committed differs
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

HERE = Path(__file__).parent
MEASURED = HERE.parent / "helpers" / "measured"
SHOWN = "h200"      # the GPU whose numbers stand in where there is none
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


def roads(results: dict) -> str:
    """Copies, launches and the crossover, as Markdown."""
    copies, launch, crossover = (results[k] for k in ("host_copy", "launch", "crossover"))
    lines = ["| | |", "|---|---|"]
    for name, text in (("to_device_ms", "pinned host memory to GPU"),
                       ("to_host_ms", "GPU to pinned host memory"),
                       ("pageable_to_device_ms", "pageable host memory to GPU"),
                       ("pageable_to_host_ms", "GPU to pageable host memory")):
        rate = copies["bytes"] / copies[name] / 1e6
        lines.append(f"| {text}, 256 MiB | {copies[name]:.2f} ms, {rate:.1f} GB/s |")
    rate = 2 * copies["bytes"] / copies["on_device_ms"] / 1e9
    lines.append(f"| GPU to GPU, 256 MiB | {copies['on_device_ms']:.3f} ms, {rate:.2f} TB/s read "
                 "and written |")
    for name, text in (("triton_us", "an empty Triton kernel, launched in a loop"),
                       ("torch_us", "a PyTorch operation on one number, in a loop"),
                       ("cuda_graph_us", "an empty kernel in a CUDA graph"),
                       ("launch_and_wait_us", "launch an empty kernel and wait for it")):
        lines.append(f"| {text} | {launch[name]:.1f} µs |")
    if crossover["n"]:
        lines.append(f"| vector_add: the GPU is faster than {crossover['cpu_threads']} CPU threads "
                     f"from | {crossover['n']:,.0f} elements on |")
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

Roads and launches:

{roads(results)}
""")
    return "\n".join(parts)


def short(results: dict) -> dict:
    """What notebooks need without a GPU: medians only, units in the names."""
    summary = {key: results[key] for key in ("gpu", "date", "versions")}
    for entry in results["kernels"]:
        dims = entry["dims"]
        numbers = dims | {"dtype": entry["dtype"], "bytes": entry["bytes"],
                          "copy_ms": entry["copy_ms"][1]}
        for name, arm in entry["arms"].items():
            numbers |= {f"{name}_ms": arm["ms"][1], f"{name}_TB_per_s": arm["TB_per_s"],
                        f"{name}_share": arm["share"]}
        if "N" in dims:
            summary.setdefault(entry["kernel"], {})[str(dims["N"])] = numbers
        else:
            summary[entry["kernel"]] = numbers
    for key in ("thresholds", "copy_by_size", "launch", "host_copy", "crossover"):
        summary[key] = results[key]
    return summary


def pages() -> dict[Path, str]:
    """Every generated file and its text."""
    files = sorted((HERE / "results").glob("*.json"))
    found = {HERE / "README.md": readme(files)}
    shown = HERE / "results" / f"{SHOWN}.json"
    if shown.exists():
        summary = short(json.loads(shown.read_text()))
        found[MEASURED / f"{SHOWN}.json"] = json.dumps(summary, indent=1) + "\n"
    return found


def write() -> None:
    """Write the pages."""
    for path, text in pages().items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


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
