"""Ways as plots, by matplotlib: seen along the axes of the world, as long one way as the other."""

from typing import Any

import numpy as np

from motionc.view.task_charts import View, Ways

WIDTH, HEIGHT = 9.6, 3.4
"""Inches of all views."""
POINTS = 1500
"""Of a way; nobody sees more."""
WAY, TUBE = "#1f5fa8", "#4a9a6b"


def laid_out(figure_of: Any, chart: Ways) -> Any:
    """The figure of all views side by side."""
    figure = figure_of(figsize=(WIDTH, HEIGHT))
    for axes, view in zip(np.ravel(figure.subplots(1, len(chart.views))), chart.views, strict=True):
        _view(axes, view)
    figure.subplots_adjust(left=0.065, right=0.98, bottom=0.16, top=0.93, wspace=0.32)
    return figure


def _view(axes: Any, view: View) -> None:
    for tube in view.tubes:
        axes.plot(*tube.T, color=TUBE, linewidth=1.0, linestyle=(0, (4, 2.5)), zorder=2)
        axes.plot(*tube[-1:].T, marker="o", markersize=2.4, color=TUBE, linewidth=0, zorder=2)
    every = max(1, len(view.way) // POINTS)
    axes.plot(*view.way[::every].T, color=WAY, linewidth=1.3, zorder=3)
    axes.plot(*view.way[:1].T, marker="o", markersize=3.6, color=WAY, linewidth=0, zorder=3)
    axes.set_xlabel(f"{view.axes[0]} (m)", fontsize=7.5, labelpad=2)
    axes.set_ylabel(f"{view.axes[1]} (m)", fontsize=7.5, labelpad=2)
    axes.set_aspect("equal", adjustable="datalim")
    axes.locator_params(nbins=5)
