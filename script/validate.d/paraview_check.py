"""Opens a .pvd of `pliant run` in ParaView and compares the number of steps and the ranges of all fields with ours.

    pvpython paraview_check.py FILE EXPECTED
"""

import json
import math
import sys

from paraview import servermanager, simple

TOLERANCE = 1e-5  # of the larger end of a range; the files have float32


def near(ours, theirs):
    size = max(abs(v) for v in ours)
    return all(abs(a - b) <= TOLERANCE * max(size, 1e-6) for a, b in zip(ours, theirs))


def main():
    path, expected_path = sys.argv[1:]
    with open(expected_path) as text:
        expected = json.load(text)
    reader = simple.OpenDataFile(path)
    reader.UpdatePipelineInformation()
    times = list(reader.TimestepValues)
    assert len(times) == expected["frame_count"], (len(times), expected["frame_count"])
    checked = 0
    for frame in expected["frames"]:
        (time,) = [t for t in times if abs(t - frame["time"]) < 1e-9]
        reader.UpdatePipeline(time)
        info = reader.GetDataInformation().DataInformation
        assert info.GetNumberOfPoints() == frame["points"], info.GetNumberOfPoints()
        assert info.GetNumberOfCells() == frame["cells"], info.GetNumberOfCells()
        assert near(frame["bounds"], info.GetBounds()), (frame["bounds"], info.GetBounds())
        for data, names in ((reader.PointData, ["velocity"]), (reader.CellData, ["strain", "von_mises", "energy_density"])):
            for name in names:
                theirs = data.GetArray(name).GetRange(-1 if name == "velocity" else 0)
                assert near(frame[name], theirs), (name, frame[name], theirs)
                checked += 1
        whole = servermanager.Fetch(reader)
        stress = whole.GetCellData().GetArray("stress")
        assert stress.GetNumberOfComponents() == 6
        # Von Mises from the tensor, as ParaView reads it.
        for cell in range(whole.GetNumberOfCells()):
            xx, yy, zz, xy, yz, xz = stress.GetTuple(cell)
            mises = whole.GetCellData().GetArray("von_mises").GetValue(cell)
            if math.isnan(mises):
                continue
            again = math.sqrt(((xx - yy) ** 2 + (yy - zz) ** 2 + (zz - xx) ** 2) / 2 + 3 * (xy**2 + yz**2 + xz**2))
            assert abs(again - mises) <= 1e-4 * max(mises, 1.0), (cell, again, mises)
    print("ParaView {}: {} steps, {} ranges compared".format(simple.GetParaViewVersion(), len(times), checked))


main()
