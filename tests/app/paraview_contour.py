"""Opens an index of fields in ParaView, and renders a contour of its last time.

Usage: pvbatch paraview_contour.py INDEX FIELD VALUE PICTURE

Prints what it found as one line of JSON.
"""

import json
import sys

from paraview import simple

index, field, value, picture = sys.argv[1:5]
if index.endswith(".xdmf"):
    reader = simple.XDMFReader(FileNames=[index])
else:
    reader = simple.PVDReader(FileName=index)
reader.UpdatePipelineInformation()
times = list(reader.TimestepValues)
reader.UpdatePipeline(times[-1])
information = reader.GetDataInformation()
points = simple.CellDatatoPointData(Input=reader)
contour = simple.Contour(Input=points, ContourBy=["POINTS", field], Isosurfaces=[float(value)])
contour.UpdatePipeline(times[-1])
view = simple.CreateRenderView(ViewSize=[200, 200])
view.ViewTime = times[-1]
simple.Show(contour, view)
view.ResetCamera()
simple.Render(view)
simple.SaveScreenshot(picture, view)
cells = reader.CellData
print(json.dumps({
    "times": times,
    "bounds": list(information.GetBounds()),
    "cells": information.GetNumberOfCells(),
    "ranges": {name: list(cells[name].GetRange()) for name in cells.keys()},
    "velocity_ranges": [list(cells["velocity"].GetRange(n)) for n in range(3)] if "velocity" in cells.keys() else None,
    "contour_points": contour.GetDataInformation().GetNumberOfPoints(),
    "contour_bounds": list(contour.GetDataInformation().GetBounds()),
}))
