"""What may be said of contacts and surfaces, and what is refused in a sentence."""

import copy
import pickle
from typing import Any

import numpy as np
import pytest

import motionc as mc
from motionc.model.shapes import Box, Capsule, Sphere
from motionc.solvers.contact import Compliant, Contact, HeightField, Plane, Solid, height_fields, resolve_contacts

HILLS = HeightField([[0.0, 0.1, 0.2], [0.3, 0.1, 0.0]], 0.5, name="hills")


@pytest.mark.parametrize(
    "said",
    [
        Contact("foot"),
        Contact("foot", Plane((1, 0, 3), (0, 0, 0.1)), friction=0.3, restitution=0.5, name="toe"),
        Contact("foot", Solid(Sphere(0.2), "hand", (0, 0, 0.1)), shape=Capsule(0.05, 0.3), point=(0, 0, 0.15)),
        Contact("foot", HILLS, shape=Sphere(0.02), law=Compliant(1e4, 0.3, exponent=1.5)),
    ],
)
def test_contacts_are_data(said: Contact) -> None:
    assert pickle.loads(pickle.dumps(said)) == said == copy.deepcopy(said)
    assert hash(pickle.loads(pickle.dumps(said))) == hash(said)
    names = {kind.__name__: kind for kind in (Contact, Plane, Solid, HeightField, Compliant, Sphere, Capsule)}
    assert eval(repr(said), names) == said
    assert said != Contact("other")


def test_normals_have_length_one_whatever_was_given() -> None:
    assert np.linalg.norm(Plane((0, 3e200, -4e200)).normal) == pytest.approx(1.0)
    assert Plane((0, 0, 5)) == Plane()


def test_a_capsule_touches_flat_things_with_both_ends() -> None:
    rod = Capsule(0.05, 0.3)
    assert Contact("leg", shape=rod).places() == Contact("leg", HILLS, shape=rod).places() == 2
    assert Contact("leg", shape=rod).place_names() == ("leg:lower", "leg:upper")
    assert Contact("leg", Solid(rod), shape=rod, name="shin").place_names() == ("shin",)
    assert Contact("leg", shape=Sphere(0.1)).places() == 1


def test_heights_cannot_be_written_to_and_are_the_default_of_their_input() -> None:
    with pytest.raises(ValueError, match="read-only"):
        HILLS.heights[0, 0] = 1.0
    assert HILLS.port.shape == (2, 3)
    assert HILLS.port.unit == "m"
    assert HILLS.default is HILLS.heights
    assert HILLS.spacing == (0.5, 0.5)
    assert height_fields("step", [Contact("a", HILLS), Contact("b", HILLS), Contact("c")]) == (HILLS,)


def refused(kind: Any, *args: Any, says: str, **options: Any) -> None:
    with pytest.raises(mc.Error, match=says) as caught:
        kind(*args, **options)
    assert "\n" not in str(caught.value)


def test_nonsense_gets_a_sentence() -> None:
    refused(Contact, "", says="Contact: frame=''; give the name of a frame")
    refused(Contact, "foot", says="friction=-0.1; give a finite number ≥ 0", friction=-0.1)
    refused(Contact, "foot", says="restitution=1.5; give a number from 0 to 1", restitution=1.5)
    refused(Contact, "foot", Sphere(0.1), says="surface=.*; give a Plane, a Solid or a HeightField")
    refused(Contact, "foot", says=r"shape=Box.*; give Sphere\(radius\) or Capsule", shape=Box((1, 1, 1)))
    refused(Contact, "foot", says="radius=0.0; give Sphere", shape=Sphere(0.0))
    refused(Contact, "foot", says="length=nan; give Sphere", shape=Capsule(0.1, float("nan")))
    refused(Contact, "foot", says=r"law=1000.0; give Compliant\(…\), or None", law=1000.0)
    refused(Contact, "foot", says="rebounds by its own law", law=Compliant(1e3), restitution=0.5)
    refused(Contact, "foot", says="point=.*; give three finite coordinates in metres", point=(0, np.nan, 0))
    refused(Plane, (0, 0, 0), says="normal=.*; give three finite numbers, not all of them zero")
    refused(Solid, Sphere(-1), says="Solid on world: shape: radius=-1; give Sphere")
    refused(Solid, Sphere(1), "", says="Solid: frame=''; give the name of a frame")
    refused(HeightField, [[0, np.nan], [0, 0]], 1, says="heights=.*; give an r×c array of finite heights")
    refused(HeightField, [[0, 1, 2]], 1, says="at least 2×2")
    refused(HeightField, np.zeros((2, 2)), 0, says="spacing=0; give a finite number > 0 in metres, or two")
    refused(HeightField, np.zeros((2, 2)), (1, 2, 3), says="or two, along x and along y")
    refused(HeightField, np.zeros((2, 2)), 1, name="", says="HeightField: name=''")
    refused(Compliant, 0, says="Compliant: stiffness=0; give a finite number > 0")
    refused(Compliant, 1, -1, says="Compliant: damping=-1; give a finite number ≥ 0")
    refused(Compliant, 1, exponent=2, says="exponent=2; say 1 for a spring, or 1.5 for spheres")


def test_contacts_are_found_on_a_robot_or_refused() -> None:
    mechanism = mc.load("planar2").mechanism
    both = [Contact("tip", shape=Capsule(0.1, 0.2)), Contact("tip", Solid(Sphere(0.1), "upper_arm"))]
    touching = resolve_contacts(mechanism, both)
    assert [one.places for one in touching] == [slice(0, 2), slice(2, 3)]
    assert [(one.at.body, one.on.body) for one in touching] == [(1, -1), (1, 0)]

    def resolve(*contacts: Any) -> None:
        resolve_contacts(mechanism, contacts)

    refused(resolve, Contact("tipp"), says="Contact on 'tipp': there is no frame 'tipp'; did you mean tip")
    refused(resolve, Contact("base"), says="belongs to the fixed base and never moves")
    refused(resolve, Contact("tip", Solid(Sphere(1), "hand")), says="Solid: there is no frame 'hand'")
    refused(resolve, Contact("tip", Solid(Sphere(1), "forearm")), says="belongs to the same body forearm")
    refused(resolve, "tip", says=r"contact 0='tip'; give Contact\('FRAME', …\)")
    others = [Contact("tip", HILLS), Contact("tip", HeightField(np.zeros((2, 2)), 1, name="hills"))]
    refused(height_fields, "step", others, says="step: two height fields are called 'hills', and differ")
