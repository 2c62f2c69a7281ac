"""Opens a file of `pliant run` in Blender and compares the vertices that it shows with ours.

    blender --background --factory-startup --python blender_check.py -- FILE EXPECTED

FILE is a .usda, .glb or .pc2. EXPECTED is JSON: for some frames the positions of every body, in metres, y up. Prints
the largest difference as "largest difference: 1.2e-07" and ends with exit code 0 when it is at most 1e-5.
"""

import json
import os
import sys

import bpy

TOLERANCE = 1e-5  # [m]


def to_y_up(v):
    """Blender has z up; its importers turn what comes in with y up."""
    return (v[0], v[2], -v[1])


def evaluated_points(thing, turn):
    """Vertices of an object with its modifiers and shape keys at the present frame."""
    shown = thing.evaluated_get(bpy.context.evaluated_depsgraph_get())
    if thing.type == "CURVE":
        matrix = thing.matrix_world
        points = [p.co.to_3d() for spline in shown.data.splines for p in spline.points]
    else:
        matrix = shown.matrix_world
        points = [v.co.copy() for v in shown.to_mesh().vertices]
    return [to_y_up(matrix @ p) if turn else tuple(p) for p in points]


def open_usda(path, expected):
    if not bpy.app.build_options.usd:
        print("Blender {} was built without USD".format(bpy.app.version_string))
        sys.stdout.flush()
        os._exit(77)
    bpy.ops.wm.usd_import(filepath=path)
    scene = bpy.context.scene
    assert scene.frame_start == expected["first_code"], scene.frame_start
    assert scene.frame_end == expected["last_code"], scene.frame_end
    return {o.name: o for o in bpy.data.objects if o.type in ("MESH", "CURVE")}


def open_glb(path, expected):
    import numpy

    numpy.bool = bool  # Debian's NumPy is newer than what Blender 3.4's importer was written for
    bpy.context.scene.render.fps = round(1 / expected["step"])
    bpy.ops.import_scene.gltf(filepath=path)
    return {o.name: o for o in bpy.data.objects if o.type == "MESH"}


def open_pc2(path, expected):
    bpy.ops.wm.obj_import(filepath=os.path.splitext(path)[0] + ".rest.obj")
    (thing,) = [o for o in bpy.data.objects if o.type == "MESH"]
    cache = thing.modifiers.new("cache", "MESH_CACHE")
    cache.cache_format = "PC2"
    cache.filepath = path
    cache.frame_start = expected["first_code"]
    return {"bodies": thing}


def main():
    path, expected_path = sys.argv[sys.argv.index("--") + 1 :]
    with open(expected_path) as text:
        expected = json.load(text)
    kind = os.path.splitext(path)[1]
    bpy.ops.wm.read_factory_settings(use_empty=True)
    things = {".usda": open_usda, ".glb": open_glb, ".pc2": open_pc2}[kind](path, expected)
    worst, compared = 0.0, 0
    for frame in expected["frames"]:
        # A .glb starts at time 0.
        bpy.context.scene.frame_set(frame["code"] - (expected["first_code"] if kind == ".glb" else 0))
        bodies = frame["bodies"]
        if kind == ".pc2":
            bodies = [{"name": "bodies", "positions": [p for b in bodies for p in b["positions"]]}]
        for body in bodies:
            if kind == ".usda" and body.get("curve") and frame["code"] != expected["first_code"]:
                continue  # Blender 3.4 does not move the points of curves
            shown = evaluated_points(things[body["name"]], kind != ".pc2")
            assert len(shown) == len(body["positions"]), (body["name"], len(shown), len(body["positions"]))
            for ours, theirs in zip(body["positions"], shown):
                worst = max(worst, max(abs(a - b) for a, b in zip(ours, theirs)))
                compared += 1
    print("Blender {}: {} vertices compared, largest difference: {:.2g} m".format(bpy.app.version_string, compared, worst))
    # sys.exit inside of Blender is an exception that it may swallow.
    sys.stdout.flush()
    os._exit(0 if compared > 0 and worst <= TOLERANCE else 1)


try:
    main()
except BaseException as error:
    import traceback

    traceback.print_exc()
    os._exit(1)
