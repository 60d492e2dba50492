#!/usr/bin/env python3
"""Draws the Nusselt numbers of a run of `bankfull convect` over time and, where it has profiles, these.

    PYTHONPATH=tools/python examples/python/plot_run.py RUN [PICTURE.png]

Needs matplotlib (Debian: python3-matplotlib). Without a PICTURE it is RUN.png.
"""

import sys

import bankfull

NUSSELT = {
    "nusselt_lower": "lower wall",
    "nusselt_upper": "upper wall",
    "nusselt_volume": "volume",
    "nusselt_thermal": "dissipation of temperature",
    "nusselt_kinetic": "dissipation of energy",
}


def draw_history(axes, run):
    time = run.series["time"]
    for column, label in NUSSELT.items():
        axes.plot(time, run.series[column], label=label, linewidth=1)
    averages = run.figures if run.has_ended else {}
    if "nusselt_volume_average" in averages:
        begin = time[-1] / 2
        axes.hlines(averages["nusselt_volume_average"], begin, time[-1], colors="black", linestyles="dashed", label="average in the volume")
    axes.set_xlabel("time")
    axes.set_ylabel("Nusselt number")
    axes.legend(fontsize="small")


def draw_profile(axes, name, profile):
    """Means at centres of cells, fluxes on faces, each with its standard error where there are enough samples for one."""
    place, *columns = profile.names
    for column in columns:
        if column.endswith(("_mean", "_flux")):
            axes.plot(profile[column], profile[place], label=column, linewidth=1)
            error = profile[f"{column}_error"]
            axes.fill_betweenx(profile[place], profile[column] - error, profile[column] + error, alpha=0.3)
    axes.set_title(name)
    axes.set_ylabel(place)
    axes.legend(fontsize="small")


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    import matplotlib
    matplotlib.use("Agg")
    from matplotlib import pyplot

    run = bankfull.Run(sys.argv[1])
    parts = 1 + len(run.profiles)
    figure, axes = pyplot.subplots(1, parts, figsize=(7 * parts, 5), squeeze=False)
    draw_history(axes[0][0], run)
    for one, (name, profile) in zip(axes[0][1:], run.profiles.items()):
        draw_profile(one, name, profile)
    figure.tight_layout()
    picture = sys.argv[2] if len(sys.argv) == 3 else f"{run.path.name}.png"
    figure.savefig(picture, dpi=150)
    print(f"wrote {picture}")


if __name__ == "__main__":
    main()
