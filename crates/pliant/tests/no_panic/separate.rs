//! Bodies taken apart.

use std::ops::ControlFlow;

use pliant::body::Mesh;
use pliant::mesh::generate::cuboid::cuboid;
use pliant::mesh::generate::lattice::TetSplit;
use pliant::mesh::tet::TetMesh;
use pliant::prelude::*;
use pliant::separate::{
    Body, Manner, Mobility, Nesting, OverlapKind, SeparateSettings, overlaps, self_intersections,
    separate, separate_with,
};
use proptest::prelude::*;

use crate::{config, disturbed, mild, number};

fn block() -> TetMesh {
    TetMesh::from_raw(cuboid([1; 3], Vec3::ONE, TetSplit::Five).unwrap()).unwrap().0
}

fn settings() -> impl Strategy<Value = SeparateSettings> {
    let gap = prop::option::of(mild());
    (gap, number(), 0..3_usize, number(), any::<bool>()).prop_map(
        |(gap, margin, manner, share, keep)| SeparateSettings {
            gap,
            margin,
            manner: Manner::ALL[manner],
            nesting: if keep { Nesting::Keep } else { Nesting::Separate },
            share,
        },
    )
}

proptest! {
    #![proptest_config(config(1))]

    #[test]
    fn bodies_anywhere_are_separated_or_refused(
        (first, second) in (disturbed(block().positions().to_vec()), disturbed(block().positions().to_vec())),
        (settings, mass) in (settings(), prop::option::of(number())),
        nested in prop::collection::vec([0..4_usize, 0..4_usize], 0..3),
    ) {
        let mesh = block();
        let body = |positions| Body { mass, ..Body::new(Mesh::Tets(&mesh), positions) };
        let fixed = Body { mobility: Mobility::Fixed, ..body(first.as_slice()) };
        let stiff = Body { mobility: Mobility::Rigid, ..body(second.as_slice()) };
        let bodies = [body(mesh.positions()), body(&first), stiff, fixed];
        if let Ok(found) = separate(&bodies, &settings) {
            let _ = (found.is_free(), found.left.first().map(|pair| pair.kind.name()));
            let whys = found.changes.iter().filter_map(|change| change.undeformed);
            whys.for_each(|why| _ = (why.name(), why.why()));
        }
        let _ = separate_with(&bodies, &settings, &mut |_| ControlFlow::Break(()));
        let _ = overlaps(&bodies, settings.gap.unwrap_or(0.0), &nested);
        bodies.iter().for_each(|body| _ = self_intersections(body));
        let _ = separate(&[Body::new(Mesh::Particles(3), &first)], &settings);
        let _ = self_intersections(&Body::new(Mesh::Particles(3), &first));
        let short = first.get(1..).unwrap_or_default();
        let _ = self_intersections(&Body::new(Mesh::Tets(&mesh), short));
        let _ = (settings.manner.name(), OverlapKind::Near.name(), "soft".parse::<Manner>());
    }

    #[test]
    fn worlds_are_separated_or_refuse(settings in settings(), at in crate::vector()) {
        let mut world = World::new();
        let _ = world.add(SoftBody::new(block()).at(at));
        let _ = world.add(RigidBody::cuboid(Vec3::ONE).at(vec3(0.3, 0.1, 0.2)));
        let _ = world.add(KinematicBody::cuboid(Vec3::ONE));
        let _ = world.separate(&settings);
    }
}
