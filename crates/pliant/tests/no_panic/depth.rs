//! Depth of penetration.

use pliant::body::Bodies;
use pliant::depth::border::{self, Crossing};
use pliant::depth::fused::Scratch;
use pliant::depth::nearest::Nearest;
use pliant::depth::propagate::{self, Neighbour};
use pliant::depth::{DepthSettings, Penetration, Penetrations, Reason, Scope, Span, penetrations};
use pliant::detect::Overlaps;
use pliant::mesh::normals::Normals;
use proptest::prelude::*;

use crate::detect::overlaps;
use crate::{Scene, body, config, count, disturbed, number, vector};

proptest! {
    #![proptest_config(config(150))]

    #[test]
    fn depth_is_found_or_refused(
        (first, second) in (disturbed(Scene::new().rest), disturbed(Scene::new().rest)),
        (exponent, threads) in (number(), count()),
        given in overlaps(),
    ) {
        let scene = Scene::new();
        let others = Bodies::of_particles([16]).unwrap();
        for scope in Scope::ALL {
            for normals in Normals::ALL {
                let settings = DepthSettings { scope, normals, exponent };
                let found = penetrations(&first, &scene.bodies, settings);
                prop_assert_eq!(found.is_ok(), first.len() == 16);
                let Ok(mut scratch) = Scratch::new(&first, &scene.bodies) else { continue };
                scratch.set_threads(threads);
                scratch.set_watcher(None);
                let mut found = Penetrations::default();
                let _ = scratch.penetrations(&second, &scene.bodies, settings, &mut found);
                prop_assert!(scratch.penetrations(&second, &others, settings, &mut found).is_err());
                let mut inside = Overlaps::default();
                let _ = scratch.overlaps(&second, &scene.bodies, &mut inside);
                let _ = scratch.overlaps(&second, &others, &mut inside);
                let _ = scratch.tets_tested();
            }
        }
        if let Ok(mut nearest) = Nearest::new(&first, &scene.bodies) {
            let mut found = Vec::new();
            let _ = nearest.penetrations(&second, &scene.bodies, &given, &mut found);
            let _ = nearest.penetrations(&second, &others, &given, &mut found);
        }
    }

    #[test]
    fn single_points_take_any_number(
        (point, position, normal) in (vector(), vector(), vector()),
        (depth, exponent) in (number(), number()),
        (start, end, id) in (any::<u32>(), any::<u32>(), body()),
    ) {
        let crossing = Crossing { position, normal };
        let _ = border::penetration(point, &[], exponent);
        let _ = border::penetration(point, &[crossing, crossing], exponent);
        let penetration = Penetration { depth, direction: normal };
        let neighbour = Neighbour { position, penetration };
        let _ = propagate::penetration(point, &[], exponent);
        let _ = propagate::penetration(point, &[neighbour], exponent);
        let mut found = Penetrations::default();
        let span = found.keep(&[id]);
        let _ = (found.bodies(span).len(), found.bodies(Span { start, end }).len());
        found.sort();
        let _ = [Reason::Enclosed, Reason::Cancelled, Reason::Rounding].map(Reason::name);
    }
}
