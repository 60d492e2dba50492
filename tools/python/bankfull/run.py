"""What the folder of a run holds, read when it is asked for and kept; see the package."""

import csv
import dataclasses
import functools
import json
import math
import pathlib

import numpy

# The first words of the case.toml of every run.
_HEADING = "# The case as it ran, every default filled in"


class RunFolderError(Exception):
    """A folder that is none of a run, or a file in it that cannot be read."""


class Table:
    """The columns of a file of comma-separated values, by their names.

    Numbers are arrays of float64, NaN where a cell is empty; columns with words are arrays of str. Rows that are not whole, as the
    last one of a run that is writing it, are left out. `comments` are the lines that begin with #.
    """

    def __init__(self, path):
        self.path = pathlib.Path(path)
        try:
            text = self.path.read_text()
        except (OSError, UnicodeDecodeError) as error:
            raise RunFolderError(f"cannot read {self.path}: {error}") from error
        # What follows the last newline is still being written.
        lines = text[:text.rfind("\n") + 1].splitlines()
        self.comments = [line[1:].strip() for line in lines if line.startswith("#")]
        rows = list(csv.reader(line for line in lines if not line.startswith("#")))
        if not rows or len(set(rows[0])) != len(rows[0]):
            raise RunFolderError(f"{self.path} has no heading that names its columns")
        self.names = rows[0]
        whole = [row for row in rows[1:] if len(row) == len(self.names)]
        self._columns = {name: _column([row[n] for row in whole]) for n, name in enumerate(self.names)}
        self._rows = len(whole)

    def __getitem__(self, name):
        if name not in self._columns:
            raise KeyError(f"{self.path.name} has no column {name!r}; it has {', '.join(self.names)}")
        return self._columns[name]

    def __contains__(self, name):
        return name in self._columns

    def __iter__(self):
        return iter(self.names)

    def __len__(self):
        """The number of rows."""
        return self._rows


class Probe:
    """What a probe has found: at `times` (numbers of `steps`), at `points` (x, y, z each), of the fields in `names`.

    probe["temperature"] is an array of [time, point]. A time whose points are not all written yet is left out.
    """

    def __init__(self, path):
        table = Table(path)
        self.path = table.path
        place = ["x", "y", "z"]
        if table.names[:5] != ["step", "time", *place]:
            raise RunFolderError(f"{self.path} is not a file of a probe")
        steps = table["step"]
        count = int((steps == steps[0]).sum()) if len(table) else 0
        times = len(table) // count if count else 0
        self.names = table.names[5:]
        self.points = numpy.stack([table[axis][:count] for axis in place], axis=1)
        self.steps = steps[:times * count].reshape(times, count)[:, 0].astype(int) if count else steps.astype(int)
        self.times = table["time"][:times * count].reshape(times, count)[:, 0] if count else table["time"]
        self._fields = {name: table[name][:times * count].reshape(times, count) for name in self.names}

    def __getitem__(self, name):
        if name not in self.names:
            raise KeyError(f"{self.path.name} has no field {name!r}; it has {', '.join(self.names)}")
        return self._fields[name]

    def __contains__(self, name):
        return name in self.names

    def __len__(self):
        """The number of times."""
        return len(self.times)


@dataclasses.dataclass(frozen=True)
class Picture:
    """A picture of a slice, as slices.csv lists it."""

    path: pathlib.Path
    time: float
    field: str
    normal: str  # "x", "y" or "z"
    at: float  # along the normal
    least: float  # the value of the first colour
    most: float  # and of the last one

    def data(self):
        """The values of the slice, rows from low to high, and the places of its columns and rows: with `output.data = true` alone."""
        path = self.path.with_suffix(".h5")
        with _opened(path) as file:
            along, up = {"x": "yz", "y": "xz", "z": "xy"}[self.normal]
            return file["values"][()], file[along][()], file[up][()]


class FieldFile:
    """The fields of one time in a file of HDF5. Arrays are in the order z, y, x.

    Velocities are at the lower faces of cells across their own axis, scalars at the centres; `centred` velocities too, where the
    case asks for these.
    """

    def __init__(self, path):
        self.path = pathlib.Path(path)
        with _opened(self.path) as file:
            if "time" not in file.attrs or "grid" not in file:
                raise RunFolderError(f"{self.path} is not a file of fields")
            self.time = float(file.attrs["time"])
            self.step = int(file.attrs["step"])
            self.names = list(file["fields"]) if "fields" in file else []
            self.centred_names = list(file["centred"]) if "centred" in file else []

    def __getitem__(self, name):
        if name not in self.names:
            raise KeyError(f"{self.path.name} has no field {name!r}; it has {', '.join(self.names)}")
        with _opened(self.path) as file:
            return file["fields"][name][()]

    def centred(self, name):
        """A velocity at the centres of the cells."""
        if name not in self.centred_names:
            raise KeyError(f"{self.path.name} has no centred {name!r}; it has {', '.join(self.centred_names) or 'none'}")
        with _opened(self.path) as file:
            return file["centred"][name][()]

    def coordinates(self, name):
        """Arrays of x, y and z of the values of a field."""
        own_axis = {"u": "x", "v": "y", "w": "z"}.get(name)
        with _opened(self.path) as file:
            grid = file["grid"]
            return tuple(grid[f"{axis}_faces"][:-1] if axis == own_axis else grid[f"{axis}_centres"][()] for axis in "xyz")

    def centres(self):
        """Arrays of x, y and z of the cells' centres."""
        with _opened(self.path) as file:
            return tuple(file["grid"][f"{axis}_centres"][()] for axis in "xyz")

    def faces(self):
        """Arrays of x, y and z of the cells' faces, one more than there are cells."""
        with _opened(self.path) as file:
            return tuple(file["grid"][f"{axis}_faces"][()] for axis in "xyz")


class Run:
    """The folder of a run. `refresh` forgets what was read, for a run in progress."""

    def __init__(self, path):
        self.path = pathlib.Path(path)
        try:
            with (self.path / "case.toml").open() as case:
                heading = case.readline()
        except (OSError, UnicodeDecodeError) as error:
            raise RunFolderError(f"{self.path} is not the folder of a run: {error}") from error
        if not heading.startswith(_HEADING):
            raise RunFolderError(f"{self.path} is not the folder of a run: its case.toml is not one that bankfull has written")

    def __repr__(self):
        return f"Run({str(self.path)!r})"

    def refresh(self):
        """What is asked for next is read again."""
        for name in ("case_text", "series", "result", "pictures", "profiles", "spectra", "probes", "fields"):
            self.__dict__.pop(name, None)

    @functools.cached_property
    def case_text(self):
        """The case as it ran, in TOML."""
        return (self.path / "case.toml").read_text()

    @functools.cached_property
    def series(self):
        """The time series, a Table."""
        return Table(self.path / "series.csv")

    @property
    def has_ended(self):
        """Whether there is a result: not while the run continues, and not after it failed."""
        return (self.path / "run.json").exists()

    @functools.cached_property
    def result(self):
        """run.json, as dictionaries and lists."""
        path = self.path / "run.json"
        try:
            return json.loads(path.read_text())
        except OSError as error:
            raise RunFolderError(f"{path} is not there: the run is still in progress, or has failed") from error
        except ValueError as error:
            raise RunFolderError(f"cannot read {path}: {error}") from error

    @property
    def figures(self):
        """The figures of the run by their names, without units: Nusselt numbers, their averages, budgets."""
        measurements = self.result.get("measurements", [])
        return {name: figure["value"] for name, figure in measurements[0]["figures"].items()} if measurements else {}

    @functools.cached_property
    def pictures(self):
        """All pictures, in the order of their times."""
        path = self.path / "slices.csv"
        if not path.exists():
            return []
        table = Table(path)
        return [Picture(self.path / file, float(time), str(field), str(normal), float(at), float(least), float(most))
                for file, time, field, normal, at, least, most in zip(*(table[name] for name in ("file", "time", "field", "normal", "at", "least",
                                                                                            "most")))]

    @functools.cached_property
    def profiles(self):
        """Tables by the names of the files of profiles/, without .csv."""
        return {path.stem: Table(path) for path in sorted((self.path / "profiles").glob("*.csv"))}

    @functools.cached_property
    def spectra(self):
        """Tables by the names of the files of spectra/, without .csv."""
        return {path.stem: Table(path) for path in sorted((self.path / "spectra").glob("*.csv"))}

    @functools.cached_property
    def probes(self):
        """What the points and lines of the case have found, a Probe each, by their names."""
        return {path.stem: Probe(path) for path in sorted((self.path / "probes").glob("*.csv"))}

    @functools.cached_property
    def fields(self):
        """The files of fields, in the order of their numbers."""
        return [FieldFile(path) for path in sorted((self.path / "fields").glob("flow-*.h5"), key=lambda path: (len(path.name), path.name))]


def _number(text):
    return math.nan if text == "" else float(text)


def _column(cells):
    try:
        return numpy.array([_number(cell) for cell in cells], dtype=float)
    except ValueError:
        return numpy.array(cells, dtype=str)


def _opened(path):
    try:
        import h5py
    except ImportError as error:
        raise RunFolderError(f"{path} needs h5py: install python3-h5py") from error
    try:
        return h5py.File(path, "r")
    except OSError as error:
        raise RunFolderError(f"cannot read {path}: {error}") from error
