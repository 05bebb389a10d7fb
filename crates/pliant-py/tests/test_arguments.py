"""Every argument of every public function, given something that it cannot be.

Whatever is wrong is an exception of the package's tree that names the argument and says what was expected. A
function or argument that is new fails here until it has a row in `ARGUMENTS`.
"""

import inspect
import itertools
import re

import numpy as np
import pytest

import pliant

#: Numbers of new files and folders.
NEW = itertools.count()

NAN, INF, HUGE = float("nan"), float("inf"), 2**70

#: What no argument of numbers can be.
NO_NUMBER = [None, "x", b"x", object(), 1j, [], {}, np.zeros((2, 2))]

#: What no argument but a text or a path can be.
NO_TEXT = [None, 3, 1.5, object(), [], np.zeros(3)]

#: What each kind of argument refuses.
REFUSED = {
    "real": [NAN, *NO_NUMBER],
    "index": [NAN, HUGE, 1.5, *NO_NUMBER],
    "range": [3, (1,), (-1, 1), (0.5, 1), (0, HUGE), *NO_NUMBER],
    "finite": [NAN, INF, *NO_NUMBER],
    "positive": [NAN, INF, -1.0, 0.0, *NO_NUMBER],
    "not negative": [NAN, -1.0, *NO_NUMBER],
    "distance": [NAN, -1.0, *NO_NUMBER],
    "from 0 to 1": [NAN, INF, -0.5, 1.5, *NO_NUMBER],
    "whole": [NAN, -1, HUGE, 1.5, *NO_NUMBER],
    "count": [NAN, 0, -1, HUGE, 1.5, *NO_NUMBER],
    "group": [NAN, -1, 32, 300, HUGE, 1.5, *NO_NUMBER],
    "vector": [3, (0, 0), (0, 0, NAN), (0, 0, "x"), (0, 0, 0, 0), np.zeros((3, 3)), *NO_NUMBER],
    "axis": [(0, 0, 0), (0, 0, INF), 3, (0, 0), (0, 0, NAN), (0, 0, "x"), *NO_NUMBER],
    "lengths": [3, (1,), (1, 1, -1), (1, NAN, 1), (0, 0, 0), (1, 1, 1, 1), *NO_NUMBER],
    "two lengths": [3, (1,), (1, -1), (1, NAN), (0, 0), (1, 1, 1), *NO_NUMBER],
    "counts": [3, (1,), (1, 1, -1), (1, 1, 0), (1, 1.5, 1), (1, HUGE, 1), (1, 1, 2**31), *NO_NUMBER],
    "two counts": [3, (1,), (2, -1), (2, 0), (2, 1.5), (2, HUGE), (2, 2**31), *NO_NUMBER],
    "rotation": [3, (0, 0, 0), (0, 0, 0, NAN), (0, 0, 0, 0), (0, 0, 0, "x"), *NO_NUMBER],
    "positions": [3, "x", object(), np.zeros(3), np.zeros((3, 4)), np.full((4, 3), NAN), np.zeros((4, 3), complex)],
    "any positions": [3, object(), np.zeros(3), np.zeros((3, 4)), np.zeros((4, 3), complex)],
    "corners": [3, "x", object(), np.zeros((1, 5), int), [[0, 1, 2, 99]], [[0, 1, 2, -1]], [[0.5, 1, 2, 3]], [[HUGE] * 4]],
    "triangles": [3, "x", object(), np.zeros((1, 5), int), [[0, 1, 99]], [[0, 1, -1]], [[0.5, 1, 2]]],
    "numbers": [3, "x", object(), [-1], [1.5], [HUGE], [0, 0]],
    "vertices": [None, 3, "x", object(), [-1], [1.5], [NAN], [HUGE], ["x"], [99_999], np.zeros((2, 2))],
    "meshes": [None, 3, "x", object(), [3], [None], [([[0, 0, 0]], [[0, 1]])], pliant.box((1, 1, 1))],
    "mesh": [None, 3, object(), [], ([[0, 0, 0]], [[0, 1]]), np.zeros((2, 2))],
    "outline": [None, 3, object(), np.zeros((3, 3)), [(0, 0), (1, NAN), (1, 1)], [[(0, 0), (1, 0, 2)]]],
    "path": NO_TEXT,
    "text": NO_TEXT,
    "word": ["nonsense", "", *NO_TEXT],
    "bytes": [None, 3, "x", b"", b"nonsense", object(), []],
    "body": [None, 3, "x", object(), [], "of another world"],
    "handle": [None, 3, "x", object(), []],
    "object": [None, 3, "x", object(), []],
    "handles": [3, "x", object(), [3], [None]],
    "settings": [3, 1.5, object(), "x", [3], {3: 1}, {"dt": object()}],
    "values": [3, "x", object(), [], {3: [1]}, {"dt": 3}, {"dt": "0.1"}, {"dt": [object()]}, {"dt": [[], object()]}],
    "progress": [3, "x", object(), []],
    "flag": [None, 3, "x", object(), []],
    "slice": [None, 3, "x", object(), []],
    "output": [3, "x", object(), [], np.zeros((2, 2)), np.zeros((2, 2, 2)), np.zeros(3, np.float32)],
}

#: Kind of each argument by its name, or by function and name.
KINDS = {
    "a": "outline", "b": "outline", "after": "not negative", "against": "word", "along": "count", "anchor": "vector",
    "arms": "two lengths", "around": "count", "axis": "axis", "backend": "word", "bend": "not negative",
    "body": "body", "by": "word", "cells": "counts", "cells_across": "count", "cells_along": "two counts",
    "contact_distance": "positive?", "count": "whole", "damping": "not negative", "density": "positive",
    "direction": "axis", "dt": "positive", "engine": "word", "error": "positive?", "existing": "word",
    "exponent": "positive", "file_or_positions": "any positions", "first": "handle", "fixed": "numbers of meshes?",
    "folder": "path", "force": "vector", "frames": "slice", "friction": "not negative", "gap": "not negative?",
    "given": "mesh", "grab": "handle", "gravity": "vector?", "group": "group", "handle": "handle",
    "height": "finite", "hit": "object", "impulse": "vector", "index": "index", "inner_radius": "positive",
    "iterations": "count?", "jobs": "count", "joint": "handle", "layers": "count", "least": "real",
    "length": "positive", "mass": "positive", "material": "object", "max_distance": "distance", "mesh": "mesh",
    "meshes": "meshes", "method": "word", "most": "not negative", "name": "text", "nested": "word", "normal": "axis",
    "normals": "word", "number": "index", "obstacle": "handle", "of": "handle", "only": "handles?",
    "origin": "vector", "other": "handle", "out": "path", "outer_radius": "positive", "path": "path",
    "point": "vector", "poisson": "real", "position": "vector", "positions": "positions", "preset": "word",
    "progress": "progress?", "quiet": "not negative?", "radius": "positive", "recording": "object",
    "regions": "numbers?", "restitution": "from 0 to 1", "resume": "flag", "rigid_sweeps": "count?",
    "ring_radius": "positive", "rings": "count", "rotation": "rotation?", "saved": "bytes", "scale": "finite",
    "scene": "path", "scope": "word", "second": "handle?", "seeds": "count?", "set": "settings?",
    "shear": "not negative", "size": "lengths", "source": "path", "speed": "real", "spin": "vector",
    "stiffness": "positive", "substeps": "count", "surface": "mesh", "sweeps": "count?", "tets": "corners?",
    "text": "text", "thickness": "positive", "thing": "object", "threads": "count", "through": "count",
    "time_step": "positive?", "tips": "count", "tolerance": "positive?", "triangles": "triangles?",
    "tube_radius": "positive", "value": "word", "vary": "values", "velocity": "vector",
    "velocity_tolerance": "positive?", "vertices": "vertices", "width": "positive", "young": "positive",
}

#: Kinds of arguments whose name means something else in one function.
OWN_KINDS = {
    "World.ignore.a": "group", "World.ignore.b": "group", "World.unignore.a": "group", "World.unignore.b": "group",
    "SoftBody.cloth.size": "two lengths", "SoftBody.cloth.vertices": "two counts", "cloth.size": "two lengths",
    "cloth.vertices": "two counts", "membrane.size": "two lengths", "membrane.cells": "two counts",
    "mesh_surface.size": "positive", "star.cells": "count", "boundary.vertices": "whole", "boundary.tets": "corners",
    "Joint.ball.first": "object", "World.bodies_in.least": "vector", "World.bodies_in.most": "vector",
    "World.positions.out": "output?", "World.velocities.out": "output?", "World.set_gravity.gravity": "vector",
    "World.set_positions.positions": "positions", "World.set_motor.speed": "finite?", "Bodies.penetrations.positions": "positions?",
    "Material.preset.name": "word", "SoftBody.preset.name": "word", "Scene.from_text.text": "text",
    "Mesh.moved.by": "vector", "Run.positions.body": "word?", "Run.triangles.body": "word", "World.pin_beyond.point": "vector",
    "Recording.fields.frame": "whole", "Recording.frame.frame": "whole", "Recording.triangles.body": "whole",
    "Recording.positions.vertices": "range", "Recording.positions.frames": "range", "World.restitution": "from 0 to 1?",
    "Material.springs.stiffness": "not negative", "SoftBody.springs.stiffness": "not negative", "proximity.contact_distance": "not negative?",
    "World.set_surface.friction": "not negative?", "World.set_surface.restitution": "from 0 to 1?", "sweep.address": "text?", "sweep.vary": "values?", "run.out": "path?", "compare.out": "path?", "Sweep.plot.ax": "any",
    "as_mesh.name": "any", "World.new.restitution": "from 0 to 1?", "World.new.friction": "not negative?",
    "World.new.substeps": "count?", "World.new.threads": "count?", "SurfaceHit.new": "any",
}

#: Words of the library's messages for an argument, where they are not its name.
WORDS = {
    "dt": "time step", "stiffness": "spring", "shear": "spring", "bend": "spring", "least": "limited|box", "most": "limited|box", "size": "edge", "height": "position", "arms": "arm",
    "cells": "tets", "cells_along": "tets", "saved": "bytes", "file_or_positions": "positions", "grab": "handle",
}

#: What messages never say: those of PyO3 and of Python for arguments of a wrong type.
FOREIGN = re.compile(
    r"argument '|cannot be (interpreted|converted|cast)|can't be converted|is not an instance of|too (big|large) to convert"
    r"|must be real number|must be str|object is not|has no attribute|not supported between|unhashable"
)


class Stage:
    """A world with one of each kind of thing, and a run in its folder."""

    def __init__(self, folder):
        self.box = pliant.box((0.2, 0.2, 0.2))
        self.world = pliant.World()
        self.floor = self.world.add(pliant.Obstacle.plane())
        self.soft = self.world.add(pliant.SoftBody(self.box).at((0, 0, 1)))
        self.rigid = self.world.add(pliant.RigidBody.cuboid((0.2, 0.2, 0.2)).at((1, 0, 1)))
        self.piston = self.world.add(pliant.KinematicBody.cuboid((0.2, 0.2, 0.2)).at((2, 0, 1)))
        self.hinge = self.world.add(pliant.Joint.hinge(self.rigid, None, (1, 0, 1), (0, 0, 1)))
        self.hit = self.world.cast_ray((0, 0, 3), (0.01, 0, -1))
        self.grab = self.world.grab(self.hit, 100.0)
        self.stranger = pliant.World().add(pliant.SoftBody(self.box))
        self.folder = folder
        self.run = pliant.Run(folder / "run")
        self.sweep = pliant.Sweep(folder / "sweep")

    #: Instances whose methods are called, by class.
    def instance(self, name, is_springs):
        return {
            "Bodies": lambda: pliant.Bodies([self.box]),
            "Frames": lambda: self.run.frames,
            "Joint": lambda: pliant.Joint.slider(self.rigid, None, (0, 0, 1)),
            "KinematicBody": lambda: pliant.KinematicBody.cuboid((0.1, 0.1, 0.1)),
            "Mesh": lambda: self.box,
            "Obstacle": lambda: pliant.Obstacle.sphere(0.1),
            "Recording": lambda: self.run.recording,
            "RigidBody": lambda: pliant.RigidBody.cuboid((0.1, 0.1, 0.1)),
            "Run": lambda: self.run,
            "Scene": lambda: pliant.Scene("block", set={"duration": 0.1}),
            "SoftBody": lambda: pliant.SoftBody.cloth((1, 1)).mass(1.0) if is_springs else pliant.SoftBody.cuboid((0.1, 0.1, 0.1)),
            "Sweep": lambda: self.sweep,
            "World": lambda: self.world,
        }[name]()

    def finished(self, made):
        """What describes a thing is judged when it is added."""
        things = (pliant.SoftBody, pliant.RigidBody, pliant.KinematicBody, pliant.Obstacle, pliant.Joint)
        if isinstance(made, pliant.Material):
            is_springs = "springs" in repr(made)
            body = pliant.SoftBody.cloth((1, 1)) if is_springs else pliant.SoftBody.cuboid((0.1, 0.1, 0.1))
            made = body.material(made).mass(1.0)
        if isinstance(made, things):
            self.world.add(made)


CORNERS = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]
SQUARE = [(0, 0), (1, 0), (1, 1), (0, 1)]

#: Good arguments by kind, as functions of the stage.
GOOD = {
    "real": lambda s: 0.25, "index": lambda s: 1, "range": lambda s: (0, 1), "finite": lambda s: 1.0, "positive": lambda s: 0.5, "not negative": lambda s: 0.1,
    "distance": lambda s: 5.0, "from 0 to 1": lambda s: 0.5, "whole": lambda s: 0, "count": lambda s: 2,
    "group": lambda s: 1, "vector": lambda s: (0, 0, 0.5), "axis": lambda s: (0, 0, 1), "lengths": lambda s: (1, 1, 1),
    "two lengths": lambda s: (1, 1), "counts": lambda s: (1, 1, 1), "two counts": lambda s: (4, 4),
    "rotation": lambda s: (0, 0, 0, 1), "positions": lambda s: s.box.positions, "any positions": lambda s: CORNERS,
    "corners": lambda s: s.box.tets, "triangles": lambda s: None, "numbers": lambda s: None, "vertices": lambda s: [1],
    "meshes": lambda s: [s.box, s.box.moved((0.15, 0.01, 0.02))], "mesh": lambda s: s.box, "outline": lambda s: SQUARE,
    "path": lambda s: s.folder / f"new-{next(NEW)}", "text": lambda s: "text", "body": lambda s: s.soft, "handle": lambda s: s.floor,
    "handles": lambda s: [s.floor], "settings": lambda s: {"duration": 0.1}, "progress": lambda s: None,
    "flag": lambda s: False, "slice": lambda s: slice(None), "output": lambda s: None, "bytes": lambda s: s.world.save(),
}

#: Good arguments that are others in one function, and of words, which are their own.
OWN_GOOD = {
    "by": lambda s: "auto", "method": lambda s: "consistent", "scope": lambda s: "scene", "normals": lambda s: "area",
    "nested": lambda s: "separate", "backend": lambda s: "exact", "existing": lambda s: "refuse", "engine": lambda s: "processes",
    "preset": lambda s: "rubber", "hit": lambda s: s.hit, "grab": lambda s: s.grab, "joint": lambda s: s.hinge,
    "first": lambda s: s.rigid, "second": lambda s: None, "obstacle": lambda s: s.floor, "material": lambda s: pliant.Material.corotational(1e5),
    "recording": lambda s: s.run.recording, "thing": lambda s: pliant.Obstacle.sphere(0.1), "young": lambda s: 1e5,
    "inner_radius": lambda s: 0.2, "tube_radius": lambda s: 0.1, "other": lambda s: s.floor, "name": lambda s: "rubber",
    "Mesh.new.positions": lambda s: s.box.positions, "Mesh.new.name": lambda s: "box", "scene": lambda s: "block",
    "Scene.new.source": lambda s: "block", "Scene.from_text.text": lambda s: pliant.Scene("block").resolved,
    "Scene.from_text.folder": lambda s: s.folder, "folder": lambda s: s.folder / "run", "open_sweep.folder": lambda s: s.folder / "sweep",
    "Sweep.new.folder": lambda s: s.folder / "sweep", "address": lambda s: None, "body": lambda s: s.soft,
    "Run.positions.body": lambda s: None, "Run.triangles.body": lambda s: "block", "vary": lambda s: {"dt": [0.01, 0.02]},
    "seeds": lambda s: None, "value": lambda s: "steps", "against": lambda s: "dt", "read_mesh.path": lambda s: s.folder / "box.vtu",
    "Mesh.write.path": lambda s: s.folder / f"new-{next(NEW)}.vtu", "Recording.new.path": lambda s: s.folder / "run/recording.pliant",
    "check.tets": lambda s: None, "arms": lambda s: (1, 1), "width": lambda s: 0.3, "World.remove.handle": lambda s: s.soft,
    "World.move_to.handle": lambda s: s.piston, "World.set_pose.body": lambda s: s.rigid, "World.set_spin.body": lambda s: s.rigid,
    "World.spin.body": lambda s: s.rigid, "World.pose.body": lambda s: s.rigid, "Recording.positions.vertices": lambda s: (0, 1),
    "Recording.positions.frames": lambda s: (0, 1, 1), "World.set_positions.positions": lambda s: s.box.positions,
    "World.unpin_vertices.vertices": lambda s: [], "World.bodies_in.least": lambda s: (-1, -1, -1), "World.bodies_in.most": lambda s: (1, 1, 1),
    "boundary.vertices": lambda s: 8, "mesh_surface.size": lambda s: 0.05, "World.contains.handle": lambda s: s.floor,
    "Bodies.penetrations.positions": lambda s: None, "tips": lambda s: 5, "around": lambda s: 6, "gravity": lambda s: (0, 0, -9.81),
    "as_mesh.name": lambda s: "given", "Sweep.plot.ax": lambda s: None, "check.file_or_positions": lambda s: s.box,
    "World.grab_at.point": lambda s: (0, 0, 1), "World.apply_impulse.point": lambda s: (0, 0, 1), "Mesh.moved.by": lambda s: (0, 0, 1),
    "Recording.triangles.body": lambda s: 0, "cloth.vertices": lambda s: (4, 4), "SoftBody.cloth.vertices": lambda s: (4, 4),
    "Frames.__getitem__.index": lambda s: 0, "fixed": lambda s: None, "poisson": lambda s: 0.3, "most": lambda s: 1.0,
}

#: Public callables that are made by the package alone.
NOT_CALLED = {
    "BodyHandle", "ObstacleHandle", "JointHandle", "GrabHandle", "ContactEvent", "Contacts", "Penetration", "Penetrations",
    "Separation", "StepReport", "SurfaceHit", "Material", "Joint", "Obstacle",
}

#: Packages that functions need beside the package's own; the long tests install them.
OTHERS = {
    "Sweep.plot": "matplotlib", "to_meshio": "meshio", "to_pyvista": "pyvista", "to_trimesh": "trimesh",
}


def functions():
    """Every public function and method, with the names of its arguments."""
    found = {}
    for name in pliant.__all__:
        thing = getattr(pliant, name)
        if inspect.isclass(thing) and issubclass(thing, Exception) or not callable(thing):
            continue
        if not inspect.isclass(thing):
            found[name] = list(inspect.signature(thing).parameters)
            continue
        if name not in NOT_CALLED:
            found[f"{name}.new"] = list(inspect.signature(thing).parameters)
        for part in vars(thing):
            member = getattr(thing, part)
            if part.startswith("_") or not callable(member):
                continue
            found[f"{name}.{part}"] = [own for own in inspect.signature(member).parameters if own != "self"]
    return found


def kind_of(function, argument):
    """Kind, and whether `None` is taken."""
    short = argument if f"{function}.{argument}" not in OWN_KINDS else None
    kind = KINDS.get(short) if short else OWN_KINDS[f"{function}.{argument}"]
    return (kind.removesuffix("?"), kind.endswith("?")) if kind else (None, False)


ARGUMENTS = [(function, argument) for function, names in functions().items() for argument in names]


def good(stage, function, argument):
    """A good argument."""
    for key in (f"{function}.{argument}", argument, kind_of(function, argument)[0]):
        if key in OWN_GOOD:
            return OWN_GOOD[key](stage)
        if key in GOOD:
            return GOOD[key](stage)
    raise KeyError(f"{function}.{argument}")


def call(stage, function, argument, value):
    """Calls a function with good arguments but one."""
    owner, _, part = function.rpartition(".")
    given = {own: good(stage, function, own) for own in functions()[function]}
    if argument is not None:
        given[argument] = value
    if not owner:
        made = getattr(pliant, part)
    elif part == "new":
        made = getattr(pliant, owner)
    else:
        is_static = isinstance(vars(getattr(pliant, owner))[part], staticmethod)
        made = getattr(getattr(pliant, owner) if is_static else stage.instance(owner, part == "springs"), part)
    signature = inspect.signature(getattr(getattr(pliant, owner), part) if owner and part != "new" else made)
    positional = [n for n, p in signature.parameters.items() if p.kind == p.POSITIONAL_ONLY and n != "self"]
    made = made(*(given.pop(name) for name in positional), **given)
    stage.finished(made.mass(1.0) if function == "SoftBody.cloth" else made)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    own = tmp_path_factory.mktemp("stage")
    pliant.run("block", out=own / "run", set={"duration": 0.1})
    pliant.sweep("block", {"dt": [0.01, 0.02]}, out=own / "sweep", set={"duration": 0.1})
    pliant.box((1, 1, 1)).write(own / "box.vtu")
    return own


def test_every_argument_has_a_kind():
    unknown = {f"{function}.{argument}" for function, argument in ARGUMENTS if kind_of(function, argument)[0] is None}
    assert not unknown


@pytest.mark.parametrize("function", [name for name in functions() if name not in ("sweep", "compare")])
def test_good_arguments_are_taken(function, folder):
    if function in OTHERS:
        pytest.importorskip(OTHERS[function])
    if function == "Run.view" and pliant._pliant.player_page([folder / "run"]) is None:
        pytest.skip("the player was not built into this wheel")
    call(Stage(folder), function, None, None)


@pytest.mark.parametrize(("function", "argument"), ARGUMENTS, ids=[".".join(pair) for pair in ARGUMENTS])
def test_a_wrong_argument_is_named_and_of_the_tree(function, argument, folder):
    kind, is_optional = kind_of(function, argument)
    named = re.compile("|".join({argument, argument.replace("_", " "), WORDS.get(argument, argument)}), re.I)
    failures, stage = [], Stage(folder)
    for value in REFUSED.get(kind, []):
        if value is None and is_optional:
            continue
        wrong = stage.stranger if isinstance(value, str) and value == "of another world" else value
        try:
            call(stage, function, argument, wrong)
            failures.append(f"{value!r} was taken")
            stage = Stage(folder)
        except pliant.PliantError as error:
            message = str(error)
            if not named.search(message) or FOREIGN.search(message):
                failures.append(f"{value!r}: {type(error).__name__}: {message}")
        except BaseException as error:
            failures.append(f"{value!r}: outside of the tree: {type(error).__name__}: {error}")
    assert not failures, "\n" + "\n".join(failures)
