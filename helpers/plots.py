"""The one figure style of the course.

Accent colour: yours.  Ink: given.  Grey: roofs and references.  No legend and no grid: lines and
bars carry their own names.  Every function returns a `Picture`, which shows itself in a notebook
and stays silent in a script.

    lines      curves over a size           shares     bars as a share of a ceiling
    bars       named numbers                traffic    bytes a kernel moves, tensor by tensor
    timeline   who is busy when             cells      a grid of small squares
    trips      arrows between memory and processors
"""

from __future__ import annotations

import contextlib
import io
import math
from collections.abc import Iterable, Mapping, Sequence

import matplotlib
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter, NullLocator

ACCENT = "#d9480f"      # yours
INK = "#1f2933"         # given
GREY = "#8a949e"        # roofs and references
PALE = "#dfe3e8"        # empty, waiting, unused
SIZE = (6.0, 3.6)       # inches
TINTS = (ACCENT, "#f2a37f", "#2f6f8f", "#8fb8cb", "#5f6b76", "#b8c0c8")

_STYLE = {
    "font.family": ["DejaVu Sans"],
    "font.size": 9,
    "axes.titlesize": 10,
    "axes.titlelocation": "left",
    "axes.titlepad": 10,
    "axes.edgecolor": INK,
    "axes.labelcolor": INK,
    "axes.linewidth": 0.8,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": False,
    "text.color": INK,
    "xtick.color": INK,
    "ytick.color": INK,
    "lines.linewidth": 1.8,
    "figure.facecolor": "white",
    "svg.hashsalt": "course",
}


class Picture(Figure):
    """A figure that belongs to no window: it displays itself where a notebook asks for it."""

    def __init__(self, *arguments, **options):
        super().__init__(*arguments, **options)
        FigureCanvasAgg(self)
        self.claim = "figure"

    def png(self, dpi: int = 144) -> bytes:
        """The figure as PNG bytes, without a time stamp: the same figure, the same bytes."""
        data = io.BytesIO()
        with matplotlib.rc_context(_STYLE):
            self.savefig(data, format="png", dpi=dpi, bbox_inches="tight", pad_inches=0.08,
                         metadata={"Software": None})
        return data.getvalue()

    def _repr_mimebundle_(self, include=None, exclude=None):
        data = self.png()
        width = int.from_bytes(data[16:20], "big")      # PNG header
        return ({"image/png": data, "text/plain": repr(self)},
                {"image/png": {"width": width // 2 * 4 // 3}})

    def __repr__(self):
        return f"<{self.claim}>"


@contextlib.contextmanager
def figure(title: str, size: tuple[float, float] = SIZE, axes: int | None = None, lift: int = 10):
    """Give (picture, axes) in the course's style: for a figure that no function here draws.

    `axes` asks for that many plots side by side.  The title names operation, shape and dtype, and
    sits `lift` points above the plot.
    """
    with matplotlib.rc_context(_STYLE):
        picture = Picture(figsize=size)
        picture.claim = f"figure: {title}".replace("\n", "; ")
        ax = picture.subplots() if axes is None else picture.subplots(1, axes)
        yield picture, ax
        first = ax if axes is None else ax[0]
        first.set_title(title, pad=lift)


def colour(name: str, yours: str | Sequence[str] = (), references: Sequence[str] = ()) -> str:
    """ACCENT for what is the learner's, GREY for references, INK for the rest."""
    if name == yours or (not isinstance(yours, str) and name in yours):
        return ACCENT
    return GREY if name in references else INK


def lines(curves: Mapping[str, tuple[Sequence, Sequence]], title: str, x: str, y: str, *,
          yours: str | Sequence[str] = (), references: Sequence[str] = (),
          roofs: Mapping[str, float] | None = None, marks: Mapping[str, float] | None = None,
          log: str = "x", base: int = 2, unit: str = "", steps: bool = False,
          size=SIZE) -> Picture:
    """Curves over a size, each labelled at its right end.

    curves      name -> (xs, ys)
    roofs       name -> height: a grey dashed line; say "measured" or "data sheet" in the name
    marks       name -> x: a thin grey vertical line
    log         which axes are logarithmic: "", "x", "y" or "xy"; `base` of the x axis
    unit        of the ticks on a logarithmic x axis, "B" gives KiB, MiB, GiB
    steps       draw stairs instead of straight lines between points
    """
    with figure(title, size) as (picture, ax):
        if "x" in log:
            ax.set_xscale("log", base=base)
            ax.xaxis.set_major_formatter(FuncFormatter(lambda v, _: short(v, base, unit)))
            ax.xaxis.set_minor_locator(NullLocator())
        if "y" in log:
            ax.set_yscale("log")
            ax.yaxis.set_major_locator(LogLocator(10))
            ax.yaxis.set_major_formatter(FuncFormatter(lambda v, _: short(v, 10)))
            ax.yaxis.set_minor_formatter(NullFormatter())
        ends = []
        for name, (xs, ys) in curves.items():
            paint = colour(name, yours, references)
            ax.plot(xs, ys, color=paint, clip_on=False, zorder=3 if paint == ACCENT else 2,
                    drawstyle="steps-post" if steps else "default",
                    marker="" if steps else "o", markersize=3.2)
            ends.append((name, xs[-1], ys[-1], paint))
        for name, height in (roofs or {}).items():
            ax.axhline(height, color=GREY, linestyle=(0, (4, 3)), linewidth=1.1, zorder=1)
            ax.annotate(name, (0, height), xycoords=("axes fraction", "data"), xytext=(3, 3),
                        textcoords="offset points", color=GREY, va="bottom", fontsize=8)
        for name, where in (marks or {}).items():
            ax.axvline(where, color=GREY, linewidth=1.0, zorder=0)
            ax.annotate(name, (where, 1.0), xycoords=("data", "axes fraction"), xytext=(4, -2),
                        textcoords="offset points", color=GREY, va="top", fontsize=8)
        if "y" not in log:
            top = max([*(roofs or {}).values(), *(max(ys) for _, ys in curves.values())])
            ax.set_ylim(0, None if top <= 0 else (1.12 if roofs or marks else 1.05) * top)
        ax.set_xlabel(x)
        ax.set_ylabel(y)
        _label_ends(picture, ax, ends)
    return picture


def bars(values: Mapping[str, float], title: str, x: str, *, yours: str | Sequence[str] = (),
         references: Sequence[str] = (), log: bool = False, form: str = "{:,.3g}",
         roof: tuple[str, float] | None = None, size=None) -> Picture:
    """Named numbers as horizontal bars, the first on top, each with its value written out."""
    with figure(title, size or (SIZE[0], 0.9 + 0.36 * len(values)),
                lift=20 if roof else 10) as (picture, ax):
        names = list(values)
        heights = [values[name] for name in names]
        ax.barh(range(len(names)), heights, height=0.62,
                color=[colour(name, yours, references) for name in names])
        if log:
            ax.set_xscale("log")
            ax.set_xlim(left=10 ** math.floor(math.log10(0.9 * min(heights))))
            ax.xaxis.set_major_locator(LogLocator(10))
            ax.xaxis.set_major_formatter(FuncFormatter(lambda v, _: short(v, 10)))
            ax.xaxis.set_minor_locator(NullLocator())
        for row, value in enumerate(heights):
            inside = roof and 0.85 * roof[1] < value < 1.15 * roof[1]    # the roof line is there
            ax.annotate(form.format(value), (value, row), xytext=(-5 if inside else 4, 0),
                        ha="right" if inside else "left", va="center", fontsize=8.5,
                        textcoords="offset points",
                        color="white" if inside else colour(names[row], yours, references))
        if roof:
            ax.axvline(roof[1], color=GREY, linestyle=(0, (4, 3)), linewidth=1.1)
            ax.annotate(roof[0], (roof[1], 1.0), xycoords=("data", "axes fraction"),
                        xytext=(0, 2), textcoords="offset points", ha="center", va="bottom",
                        color=GREY, fontsize=8)
        ax.set_yticks(range(len(names)), names)
        ax.invert_yaxis()
        ax.tick_params(axis="y", length=0)
        ax.spines["left"].set_visible(False)
        ax.set_xlabel(x)
    return picture


def shares(values: Mapping[str, float], title: str, ceiling: str, *,
           yours: str | Sequence[str] = (), references: Sequence[str] = (), size=None) -> Picture:
    """Shares of a ceiling (1.0 = the ceiling), as bars in per cent below a dashed roof."""
    per_cent = {name: 100 * value for name, value in values.items()}
    picture = bars(per_cent, title, f"share of {ceiling} [%]", yours=yours,
                   references=references, form="{:.0f} %", roof=("ceiling", 100.0), size=size)
    picture.axes[0].set_xlim(0, 1.12 * max(100.0, *per_cent.values()))
    return picture


def traffic(rows: Mapping[str, Sequence[tuple[str, str, float]]], title: str, *,
            yours: str | Sequence[str] = (), references: Sequence[str] = (), unit: str = "MB",
            size=None) -> Picture:
    """What each version moves to and from global memory, piece by piece.

    rows    name of a version -> pieces (tensor, "read" or "write", bytes).  Reads are filled,
            writes outlined; the row ends with its sum.
    """
    scale = {"B": 1, "kB": 1e3, "MB": 1e6, "GB": 1e9, "KiB": 2**10, "MiB": 2**20, "passes": 1}[unit]
    with figure(title, size or (SIZE[0], 1.0 + 0.46 * len(rows))) as (picture, ax):
        longest = max(sum(piece[2] for piece in pieces) for pieces in rows.values()) / scale
        for row, (name, pieces) in enumerate(rows.items()):
            paint, left = colour(name, yours, references), 0.0
            for tensor, way, amount in pieces:
                width = amount / scale
                write = way == "write"
                ax.barh(row, width, left=left, height=0.62, color="white" if write else paint,
                        edgecolor="white", linewidth=1.0)
                if write:
                    ax.barh(row, 0.99 * width, left=left + 0.005 * width, height=0.6,
                            color="none", edgecolor=paint, linewidth=1.2)
                if width > 0.022 * longest * (len(tensor) + 1):
                    ax.text(left + width / 2, row, tensor, ha="center", va="center", fontsize=8,
                            color=paint if write else "white")
                left += width
            ax.annotate(f"{left:,.3g} {unit}", (left, row), xytext=(4, 0), fontsize=8.5,
                        va="center", textcoords="offset points", color=paint)
        ax.set_xlim(0, longest * 1.15)
        ax.set_yticks(range(len(rows)), list(rows))
        ax.invert_yaxis()
        ax.tick_params(axis="y", length=0)
        ax.spines["left"].set_visible(False)
        ax.set_xlabel(f"moved [{unit}]: filled = read, outlined = written")
    return picture


def trips(orders: Mapping[str, Sequence[tuple[str, Sequence[str], Sequence[str]]]], title: str, *,
          yours: str | Sequence[str] = (), ends: tuple[str, str] = ("warehouse", "factory"),
          size=None) -> Picture:
    """Trips between memory and processors, one arrow each, version beside version.

    orders  name of a version -> (work, what it loads, what it stores), in order.  Loads point
            right, stores left; a box at the right end says what is done with the load.
    """
    gap, wide, far = 0.7, 0.8, 3.2      # between two boxes; width of an end; where the right one is
    tallest = max(gap + sum(len(loads) + len(stores) + gap for _, loads, stores in rows)
                  for rows in orders.values())
    with figure(title, size or (SIZE[0], 1.1 + 0.19 * tallest)) as (picture, ax):
        for number, (name, rows) in enumerate(orders.items()):
            paint, x, y = colour(name, yours), 5.0 * number, gap
            for end, left, side in zip(ends, (x, x + far), ("left", "right"), strict=True):
                ax.add_patch(Rectangle((left, 0), wide, tallest, facecolor=PALE, linewidth=0))
                ax.text(left + wide * (side == "right"), -0.2, end, ha=side, va="bottom",
                        fontsize=8, color=GREY)
            for work, loads, stores in rows:
                arrows = [(what, x + wide, x + far) for what in loads]
                arrows += [(what, x + far, x + wide) for what in stores]
                ax.add_patch(Rectangle((x + far, y), wide, len(arrows), facecolor=paint,
                                       linewidth=0))
                ax.text(x + far + wide / 2, y + len(arrows) / 2, work, ha="center", va="center",
                        fontsize=8, color="white")
                for at, (what, start, end) in enumerate(arrows):
                    ax.annotate("", (end, y + at + 0.62), (start, y + at + 0.62), arrowprops={
                        "arrowstyle": "-|>", "color": paint, "shrinkA": 0, "shrinkB": 0})
                    ax.text(x + (wide + far) / 2, y + at + 0.56, what, ha="center", va="bottom",
                            fontsize=8, color=paint)
                y += len(arrows) + gap
            count = sum(len(loads) + len(stores) for _, loads, stores in rows)
            ax.text(x, -1.5, f"{name}: {count} trips", color=paint, va="bottom")
        ax.set_xlim(0, 5.0 * len(orders) - 1.0)
        ax.set_ylim(tallest, -2.2)
        ax.axis("off")
    return picture


def timeline(rows: Mapping[str, Sequence[tuple[float, float, str]]], title: str, x: str, *,
             paints: Mapping[str, str] | None = None, note: str = "", size=None) -> Picture:
    """Who is busy when: one row a name, pieces (start, end, kind).

    paints  kind -> colour; the kinds are named above the first row where they first occur.
            "work" is ink, "yours" accent, "wait" pale and "ready" grey unless said otherwise.
    """
    colours = {"work": INK, "wait": PALE, "ready": GREY, "yours": ACCENT} | dict(paints or {})
    height = 0.28 if len(rows) > 12 else 0.36
    with figure(title, size or (SIZE[0], 1.15 + height * len(rows)), lift=24) as (picture, ax):
        for row, pieces in enumerate(rows.values()):
            for start, end, kind in pieces:
                ax.add_patch(Rectangle((start, row - 0.38), end - start, 0.76, linewidth=0.6,
                                       facecolor=colours.get(kind, GREY), edgecolor="white"))
        ax.set_xlim(0, max(end for pieces in rows.values() for _, end, _ in pieces))
        ax.set_ylim(len(rows) - 0.4, -0.6)
        ax.set_yticks(range(len(rows)), list(rows))
        ax.tick_params(axis="y", length=0)
        ax.spines["left"].set_visible(False)
        ax.set_xlabel(x)
        kinds = dict.fromkeys(kind for pieces in rows.values() for _, _, kind in pieces)
        _key(ax, {kind: colours.get(kind, GREY) for kind in kinds}, note)
    return picture


def cells(kinds: Sequence[str], columns: int, title: str, *, paints: Mapping[str, str],
          texts: Sequence[str] = (), rows: Sequence[str] = (), gap: float = 0.12, note: str = "",
          size=None) -> Picture:
    """A grid of squares, read like text: square i has the colour of its kind and may say a word."""
    lines_needed = math.ceil(len(kinds) / columns)
    edge = (SIZE[0] - (0.9 if rows else 0.1)) / columns
    with figure(title, size or (SIZE[0], 0.75 + edge * lines_needed), lift=24) as (picture, ax):
        for i, kind in enumerate(kinds):
            left, top = i % columns, i // columns
            ax.add_patch(Rectangle((left + gap / 2, top + gap / 2), 1 - gap, 1 - gap,
                                   facecolor=paints[kind], linewidth=0))
            if i < len(texts):
                # Three characters at 8 points need a third of an inch.
                room = 72 * edge * (1 - gap) / (0.85 * max(map(len, texts)))
                ax.text(left + 0.5, top + 0.52, texts[i], ha="center", va="center",
                        fontsize=min(8.0, room), color=_readable(paints[kind]))
        ax.set_xlim(0, columns)
        ax.set_ylim(lines_needed, 0)
        ax.set_aspect("equal")
        ax.set_xticks([])
        ax.set_yticks([row + 0.5 for row in range(len(rows))], rows)
        ax.tick_params(length=0)
        for spine in ax.spines.values():
            spine.set_visible(False)
        _key(ax, {kind: paints[kind] for kind in dict.fromkeys(kinds)}, note)
    return picture


def guesses(guessed: Mapping[str, float | None], measured: Mapping[str, float], title: str, x: str,
            size=None) -> Picture:
    """Predictions beside measurements on a logarithmic axis; the grey band is a factor of two."""
    with figure(title, size or (SIZE[0], 1.2 + 0.36 * len(measured)), lift=24) as (picture, ax):
        ax.set_xscale("log")
        for row, (name, value) in enumerate(measured.items()):
            ax.barh(row, 1.5 * value, left=value / 2, height=0.62, color=PALE)
            guess = guessed.get(name)
            if guess:
                ax.plot([guess, value], [row, row], color=ACCENT, linewidth=1.0)
                ax.plot(guess, row, "o", color=ACCENT, markersize=7)
            ax.plot(value, row, "o", color=INK, markersize=5)
            ax.annotate(f"{value:.3g}", (2 * value, row), xytext=(4, 0), va="center",
                        textcoords="offset points", fontsize=8.5)
        ax.xaxis.set_major_locator(LogLocator(10))
        ax.xaxis.set_major_formatter(FuncFormatter(lambda v, _: short(v, 10)))
        ax.xaxis.set_minor_locator(NullLocator())
        ax.set_yticks(range(len(measured)), list(measured))
        ax.invert_yaxis()
        ax.tick_params(axis="y", length=0)
        ax.spines["left"].set_visible(False)
        ax.set_xlabel(x)
        _key(ax, {"measured": INK, "your guess": ACCENT, "within a factor of 2": PALE}, "")
    return picture


def short(value: float, base: int = 10, unit: str = "") -> str:
    """A tick in few characters: 65,536 is 64 Ki in base 2 and 65.5 k in base 10."""
    step, names = (1024, ["", "Ki", "Mi", "Gi"]) if base == 2 else (1000, ["", "k", "M", "G"])
    if 0 < value < 1:
        return f"{value:.3g}{' ' + unit if unit else ''}"
    power = 0
    while value >= step and power < 3:
        value, power = value / step, power + 1
    gap = " " if names[power] or unit else ""
    return f"{value:.3g}{gap}{names[power]}{unit}"


def _label_ends(picture: Picture, ax, ends: Iterable[tuple[str, float, float, str]]) -> None:
    """Write each curve's name right of its last point, moved apart where names would touch."""
    picture.canvas.draw()
    placed: list[float] = []
    for name, x, y, paint in sorted(ends, key=lambda end: end[2]):
        _, height = ax.transData.transform((x, y))
        shift = max([0.0, *(at + 15 - height for at in placed)])
        placed.append(height + shift)
        ax.annotate(name, (x, y), xytext=(7, shift * 72 / picture.dpi), va="center",
                    textcoords="offset points", color=paint, annotation_clip=False)


def _key(ax, paints: Mapping[str, str], note: str) -> None:
    """Name the colours in a row above the plot, each beside a square of its colour."""
    at = 0.0
    for kind, paint in paints.items():
        ax.annotate("■ ", (0, 1), xycoords="axes fraction", xytext=(at, 6), fontsize=9,
                    textcoords="offset points", color=paint, va="bottom")
        ax.annotate(kind, (0, 1), xycoords="axes fraction", xytext=(at + 11, 6), fontsize=8,
                    textcoords="offset points", color=INK, va="bottom")
        at += 24 + 5.0 * len(kind)
    if note:
        ax.annotate(note, (1, 1), xycoords="axes fraction", xytext=(0, 6), fontsize=8, ha="right",
                    textcoords="offset points", color=GREY, va="bottom")


def _readable(paint: str) -> str:
    red, green, blue = (int(paint[i:i + 2], 16) for i in (1, 3, 5))
    return INK if 0.3 * red + 0.6 * green + 0.1 * blue > 140 else "white"
