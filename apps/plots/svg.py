"""Line charts as SVG, without any library: panels under each other over one time axis."""
from dataclasses import dataclass, field
from html import escape

COLOURS = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000", "#999999"]
WIDTH, PANEL, LEFT, RIGHT, TOP, GAP = 900, 190, 70, 170, 50, 50


@dataclass
class Line:
    name: str
    points: list  # (x, y); y None: a gap
    dashed: bool = False


@dataclass
class Panel:
    title: str
    lines: list = field(default_factory=list)


def nice_step(span, parts):
    """The step among 1, 2, 5 times a power of ten that cuts `span` into about `parts`."""
    raw = max(span, 1e-12) / parts
    power = 1.0
    while power * 10 <= raw:
        power *= 10
    while power > raw:
        power /= 10
    return next(power * m for m in (1, 2, 5, 10) if power * m >= raw)


def short(value):
    for limit, unit in ((1e6, "M"), (1e3, "k")):
        if abs(value) >= limit:
            return f"{value / limit:g}{unit}"
    return f"{value:g}"


def segments(points):
    """The runs of points between gaps."""
    run = []
    for x, y in points:
        if y is None:
            if run:
                yield run
            run = []
        else:
            run.append((x, y))
    if run:
        yield run


def panel_svg(panel, top, x_max, out):
    values = [y for line in panel.lines for _, y in line.points if y is not None]
    highest = max(values, default=1) or 1
    step = nice_step(highest, 4)
    y_max = step * (int(highest / step) + 1)
    right, bottom = WIDTH - RIGHT, top + PANEL

    def at(x, y):
        return LEFT + (right - LEFT) * x / x_max, bottom - PANEL * y / y_max

    out.append(f'<text x="{LEFT}" y="{top - 8}" font-weight="bold">{escape(panel.title)}</text>')
    tick = 0.0
    while tick <= y_max * 1.0001:
        y = at(0, tick)[1]
        out.append(f'<line x1="{LEFT}" x2="{right}" y1="{y:.1f}" y2="{y:.1f}" stroke="#ddd"/>')
        out.append(f'<text x="{LEFT - 6}" y="{y + 4:.1f}" text-anchor="end">{short(round(tick, 9))}</text>')
        tick += step
    for i, line in enumerate(panel.lines):
        colour = COLOURS[i % len(COLOURS)]
        dash = ' stroke-dasharray="6 4"' if line.dashed else ""
        for run in segments(line.points):
            path = " ".join(f"{x:.1f},{y:.1f}" for x, y in (at(*p) for p in run))
            out.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="1.8"{dash}/>')
        y = top + 12 + 18 * i
        out.append(f'<line x1="{right + 12}" x2="{right + 36}" y1="{y - 4}" y2="{y - 4}" stroke="{colour}" '
                   f'stroke-width="2.5"{dash}/><text x="{right + 42}" y="{y}">{escape(line.name)}</text>')


def chart(title, panels, marks=(), x_title="seconds"):
    """The whole picture. `marks` are (x, text): vertical lines through all panels."""
    x_max = max((x for p in panels for line in p.lines for x, _ in line.points), default=1) or 1
    height = TOP + len(panels) * (PANEL + GAP) + 10
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height}" '
           f'viewBox="0 0 {WIDTH} {height}" font-family="sans-serif" font-size="12">',
           f'<rect width="{WIDTH}" height="{height}" fill="white"/>',
           f'<text x="{LEFT}" y="22" font-size="15" font-weight="bold">{escape(title)}</text>']
    right = WIDTH - RIGHT
    for i, panel in enumerate(panels):
        top = TOP + i * (PANEL + GAP)
        for x, text in marks:
            at = LEFT + (right - LEFT) * x / x_max
            out.append(f'<line x1="{at:.1f}" x2="{at:.1f}" y1="{top}" y2="{top + PANEL}" stroke="#c00" '
                       f'stroke-dasharray="2 3"><title>{escape(text)}</title></line>')
        panel_svg(panel, top, x_max, out)
        step, tick = nice_step(x_max, 8), 0.0
        while tick <= x_max * 1.0001:
            at = LEFT + (right - LEFT) * tick / x_max
            out.append(f'<text x="{at:.1f}" y="{top + PANEL + 16}" text-anchor="middle">{short(tick)}</text>')
            tick += step
    out.append(f'<text x="{right}" y="{height - 12}" text-anchor="end">{escape(x_title)}</text></svg>')
    return "\n".join(out) + "\n"
