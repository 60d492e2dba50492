"""Opens the folder of a run of `bankfull convect`, while it runs too.

    import bankfull
    run = bankfull.Run("rayleigh-benard-2d-run")
    run.series["time"], run.series["nusselt_volume"]     # columns of series.csv, as arrays
    run.figures["nusselt_volume_average"]                # figures of run.json
    run.pictures[-1].path, run.pictures[-1].time         # slices/
    run.profiles["temperature-z"]["z"]                   # columns of profiles/*.csv, where there are any
    run.spectra["middle"]["wavenumber"]                  # columns of spectra/*.csv
    run.probes["wake"].times, run.probes["wake"]["u"]    # probes/*.csv; values by time and point
    moment = run.fields[-1]                              # fields/*.h5, where there are any (needs h5py)
    x, y, z = moment.coordinates("temperature")
    moment["temperature"][k, j, i]                       # z, y, x

Needs Python 3.9 and NumPy; fields need h5py. docs/convection.md says what the files hold.
"""

from bankfull.run import FieldFile, Picture, Probe, Run, RunFolderError, Table

__all__ = ["FieldFile", "Picture", "Probe", "Run", "RunFolderError", "Table"]
