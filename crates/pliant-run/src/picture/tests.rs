//! Whole pictures, small enough to be checked by hand.

use super::*;

const FRONT: Camera = Camera { from: Some([0.0, -1.0, 0.0]), up: [0.0, 0.0, 1.0] };

fn body(name: &str, start: usize, count: usize, triangles: &[[u32; 3]]) -> BodyInfo {
    BodyInfo {
        name: name.to_string(),
        kind: "surface".to_string(),
        vertices: start..start + count,
        tets: 0,
        triangles: triangles.to_vec(),
        rings: vec![],
        edges: vec![],
        held: false,
    }
}

/// A square upright in the plane of y, 2 m wide, turned to the front.
fn square(y: f32) -> [[f32; 3]; 4] {
    [[-1.0, y, -1.0], [1.0, y, -1.0], [1.0, y, 1.0], [-1.0, y, 1.0]]
}

fn halves(start: u32) -> [[u32; 3]; 2] {
    [[0, 1, 2], [0, 2, 3]].map(|t| t.map(|v: u32| v + start))
}

fn floor(size: f32) -> RenderMesh {
    let corner = |x: f32, y: f32| [size * x, size * y, -1.0];
    RenderMesh {
        name: "floor".to_string(),
        positions: vec![corner(-1.0, -1.0), corner(1.0, -1.0), corner(1.0, 1.0), corner(-1.0, 1.0)],
        triangles: halves(0).to_vec(),
        poses: vec![],
    }
}

fn view<'a>(
    bodies: &'a [BodyInfo],
    positions: &'a [[f32; 3]],
    obstacles: &'a [RenderMesh],
) -> View<'a> {
    View { bodies, positions, obstacles, time: 0.0, size: [60, 60], camera: FRONT }
}

fn at(image: &Image, x: u32, y: u32) -> [u8; 3] {
    image.pixels[(y * image.size[0] + x) as usize]
}

/// Whether a pixel shows the first body, which is blue.
fn is_blue(colour: &[u8; 3]) -> bool {
    colour[2].saturating_sub(colour[0]) > 40
}

/// The channel that a body's colour is strongest in: blue for the first, red for the second.
fn strongest(colour: [u8; 3]) -> usize {
    (0..3).max_by_key(|&k| colour[k]).unwrap()
}

#[test]
fn an_empty_scene_is_the_background() {
    let image = render(&view(&[], &[], &[]));
    assert_eq!((image.size, image.pixels.len(), image.notices.len()), ([60, 60], 3600, 0));
    // From (246, 248, 251) at the top to (222, 228, 235) at the bottom, each row of one colour.
    assert_eq!([at(&image, 0, 0), at(&image, 59, 0)], [[246, 248, 251]; 2]);
    assert_eq!(at(&image, 30, 59), [222, 228, 235]);
}

#[test]
fn a_square_fills_the_middle_and_leaves_the_border() {
    let bodies = [body("a", 0, 4, &halves(0))];
    let image = render(&view(&bodies, &square(0.0), &[]));
    let empty = render(&view(&[], &[], &[]));
    // 86 % of 60 pixels are 51.6: from 4.2 to 55.8, in both directions.
    for x in 0..60 {
        for y in 0..60 {
            let inside = (5..55).contains(&x) && (5..55).contains(&y);
            let outside = !((4..56).contains(&x) && (4..56).contains(&y));
            assert!(!inside || strongest(at(&image, x, y)) == 2, "{x} {y}");
            assert!(!outside || at(&image, x, y) == at(&empty, x, y), "{x} {y}");
        }
    }
    // One plane, one light, no perspective in the normal: one colour, but for fill and shine.
    let [a, b] = [at(&image, 10, 10), at(&image, 50, 50)];
    assert!((0..3).all(|k| a[k].abs_diff(b[k]) <= 12), "{a:?} {b:?}");
    // The left border pixel is covered for 0.8 of its width: three of four samples.
    let [edge, full, none] = [at(&image, 4, 30), at(&image, 5, 30), at(&empty, 4, 30)];
    let square = |c: u8| f64::from(c) * f64::from(c);
    let mixed = (0.75 * square(full[0]) + 0.25 * square(none[0])).sqrt();
    assert!((f64::from(edge[0]) - mixed).abs() < 1.0, "{edge:?} {mixed}");
}

#[test]
fn the_nearer_body_is_seen_in_either_order() {
    for [near, far] in [[0, 1], [1, 0]] {
        let mut positions = [[0.0; 3]; 8];
        positions[4 * near..4 * near + 4].copy_from_slice(&square(-0.5));
        positions[4 * far..4 * far + 4].copy_from_slice(&square(0.5));
        let bodies = [body("a", 0, 4, &halves(0)), body("b", 4, 4, &halves(4))];
        let image = render(&view(&bodies, &positions, &[]));
        assert_eq!(strongest(at(&image, 30, 30)), [2, 0][near]); // blue is first, orange second
    }
}

#[test]
fn back_sides_are_darker_than_front_sides() {
    let bodies = [body("a", 0, 4, &halves(0))];
    let turned = [body("a", 0, 4, &halves(0).map(|[a, b, c]| [a, c, b]))];
    let [front, back] =
        [&bodies, &turned].map(|b| at(&render(&view(b, &square(0.0), &[])), 30, 30));
    // Colours are roots of light: the same light on 0.62 of the colour.
    for (front, back) in front.into_iter().zip(back) {
        let ratio = pliant::math::powi(f64::from(back) / f64::from(front), 2);
        assert!((ratio - 0.62).abs() < 0.03, "{front} {back}"); // half a step of about 60 is 2 %
    }
}

#[test]
fn light_adds_up_to_the_colour_worked_out_by_hand() {
    let bodies = [body("a", 0, 4, &halves(0))];
    let found = at(&render(&view(&bodies, &square(0.0), &[])), 30, 30);
    // Seen from the front, upright: ambient light halfway from 0.30 to 0.52, all of the fill,
    // and of the main light the part along the view, which comes from (−0.75, −0.35, 1).
    let facing = 0.35 / (1.0_f64 + 0.75 * 0.75 + 0.35 * 0.35).sqrt();
    let light = 0.41 + 0.16 + 0.62 * facing;
    for (colour, found) in [74.0, 124.0, 196.0].into_iter().zip(found) {
        let expected: f64 = colour * light.sqrt();
        assert!((expected - f64::from(found)).abs() < 1.0, "{expected} {found}");
    }
}

#[test]
fn vertices_that_are_lost_are_named_and_the_rest_is_shown() {
    let mut positions = square(0.0).to_vec();
    positions.extend(square(-1.0));
    positions[5][2] = f32::NAN;
    positions[6][0] = f32::INFINITY;
    let bodies = [body("a", 0, 4, &halves(0)), body("b", 4, 4, &halves(4))];
    let image = render(&view(&bodies, &positions, &[]));
    let lost = "body `b`: 2 vertices are not finite, the first is 1; what they hold is left out";
    assert_eq!(image.notices, [lost]);
    assert_eq!(strongest(at(&image, 30, 30)), 2);
    let bodies = [body("a", 0, 4, &[[0, 1, 2], [0, 1, 9]])];
    let image = render(&view(&bodies, &square(0.0), &[]));
    assert_eq!(image.notices, ["body `a`: triangles name vertex 9 of 4; they are left out"]);
}

#[test]
fn nothing_but_lost_vertices_is_the_background() {
    let bodies = [body("a", 0, 4, &halves(0)), body("b", 4, 3, &[])];
    let image = render(&view(&bodies, &[[f32::NAN; 3]; 4], &[]));
    assert_eq!(image.pixels, render(&view(&[], &[], &[])).pixels);
    assert_eq!(image.notices.len(), 1);
}

#[test]
fn a_body_without_triangles_is_beads() {
    let bodies = [body("a", 0, 4, &[])];
    let image = render(&view(&bodies, &square(0.0), &[]));
    // Beads of 0.034 m at the corners of a square of 2 m that fills 51.6 pixels.
    let coloured = |x, y| at(&image, x, y)[0] < 200;
    assert!(coloured(4, 4) && coloured(55, 55) && coloured(4, 55));
    assert!(!coloured(30, 30));
    let one = render(&view(&bodies[..1], &[[1.0; 3]; 1], &[]));
    assert_eq!(one.notices, [""; 0]);
}

#[test]
fn a_floor_does_not_change_the_frame_but_takes_shadow() {
    let bodies = [body("a", 0, 4, &halves(0))];
    let positions = square(0.0);
    let camera = Camera::default();
    let [without, with] = [vec![], vec![floor(1e4)]]
        .map(|skins| render(&View { camera, ..view(&bodies, &positions, &skins) }));
    let blue = |image: &Image| image.pixels.iter().filter(|c| is_blue(c)).count();
    // Mixed with other colours behind them, some pixels of the border change sides.
    assert!(blue(&without) > 1000 && blue(&without).abs_diff(blue(&with)) < 30);
    // The square stands on the floor: beside it there is ground in light and in shadow.
    let dark = with.pixels.iter().filter(|c| c[0] < 185 && !is_blue(c)).count();
    assert!(dark > 50, "{dark}");
    assert_ne!(without.pixels, with.pixels);
    // From below, the floor would hide the square and is left out.
    let camera = Camera { from: Some([0.3, -1.0, -1.0]), ..camera };
    let below = render(&View { camera, ..view(&bodies, &positions, &[floor(1e4)]) });
    assert!(blue(&below) > 100);
}

#[test]
fn pictures_that_hold_the_same_points_show_the_floor_alike() {
    let (bodies, obstacles) = ([body("a", 0, 4, &halves(0))], [floor(3.0)]);
    let grounds = |scale: f32, framing: &[Vec3]| {
        let positions = square(0.0).map(|p| p.map(|x| scale * x));
        let model = model::Model::new(&view(&bodies, &positions, &obstacles), framing);
        (model.grounds.len(), model::diagonal(&model.framed))
    };
    // The floor is 8.5 m across, the square 2.8 and 8.5 m: alone the first stands on a ground.
    assert_eq!([grounds(1.0, &[]).0, grounds(3.0, &[]).0], [1, 0]);
    let framing = [Vec3::splat(-4.0), Vec3::splat(4.0)];
    assert_eq!(grounds(1.0, &framing), grounds(3.0, &framing));
}

#[test]
fn moving_obstacles_are_where_their_poses_put_them() {
    let mut wall = floor(1.0);
    wall.positions = square(-1.0).to_vec();
    let still = [0.0, 0.0, 0.0, 1.0];
    wall.poses = vec![(0.0, [5.0, 0.0, 0.0], still), (2.0, [25.0, 0.0, 0.0], still)];
    let bodies = [body("a", 0, 4, &halves(0))];
    let positions = square(0.0);
    let skins = [wall];
    let columns = |time| -> Vec<usize> {
        let image = render(&View { time, ..view(&bodies, &positions, &skins) });
        (0..image.pixels.len()).filter(|&k| is_blue(&image.pixels[k])).map(|k| k % 60).collect()
    };
    // At first the wall hides the square; a second later it is 10 m to the right.
    assert_eq!(columns(0.0), [0; 0]);
    assert!(columns(1.0).len() > 20 && columns(1.0).iter().all(|x| *x < 20));
}

#[test]
fn sizes_out_of_range_are_brought_into_it_with_a_notice() {
    let image = render(&View { size: [0, 3], ..view(&[], &[], &[]) });
    assert_eq!((image.size, image.pixels.len()), ([1, 3], 3));
    assert_eq!(image.notices, ["the size is out of range: 0×3 pixels became 1×3"]);
}

#[test]
fn the_same_view_gives_the_same_bits() {
    let bodies = [body("a", 0, 4, &halves(0))];
    let (positions, skins) = (square(0.0), [floor(1e4)]);
    let view = View { camera: Camera::default(), ..view(&bodies, &positions, &skins) };
    assert_eq!(render(&view), render(&view));
}

#[test]
fn huge_tiny_and_flat_scenes_do_not_panic() {
    let bodies = [body("a", 0, 4, &halves(0))];
    for scale in [0.0, 1e-38, 1e-20, 1e20, f32::MAX] {
        let positions = square(0.0).map(|p| p.map(|c| c * scale));
        let image = render(&View { size: [8, 8], ..view(&bodies, &positions, &[floor(10.0)]) });
        assert_eq!(image.pixels.len(), 64);
    }
}

#[test]
fn of_very_many_bodies_without_triangles_the_first_are_shown() {
    let bodies: Vec<BodyInfo> = (0..9).map(|k| body("cloud", 9000 * k, 9000, &[])).collect();
    let point = |k: u32| [(k % 300) as f32, (k / 300) as f32, 0.0];
    let positions: Vec<[f32; 3]> = (0..81_000).map(point).collect();
    let image = render(&View { size: [8, 8], ..view(&bodies, &positions, &[]) });
    let expected = "from body `cloud` on, not all bodies without triangles are shown";
    assert!(image.notices.iter().any(|notice| notice.starts_with(expected)), "{:?}", image.notices);
}

#[test]
fn obstacles_of_any_numbers_do_not_panic() {
    let (bodies, positions) = ([body("a", 0, 4, &halves(0))], square(0.0));
    let turned = [0.0, 0.0, 0.0, 1.0];
    for poses in [
        vec![(0.0, [1e308; 3], turned), (1.0, [-1e308; 3], turned)],
        vec![(5.0, [0.0; 3], turned), (-5.0, [1.0; 3], turned)],
        vec![(0.0, [0.0; 3], [0.0; 4]), (0.0, [0.0; 3], [1e300; 4])],
    ] {
        for scale in [0.0, 1e-38, 1e30, f32::MAX] {
            let skin = RenderMesh { poses: poses.clone(), ..floor(scale) };
            let image = render(&View { size: [8, 8], ..view(&bodies, &positions, &[skin]) });
            assert_eq!(image.pixels.len(), 64);
        }
    }
}

fn outline(name: &str, start: usize, rings: &[&[u32]]) -> BodyInfo {
    let rings: Vec<Vec<u32>> = rings.iter().map(|ring| ring.to_vec()).collect();
    let count = rings.iter().map(Vec::len).sum();
    BodyInfo { kind: "outline".to_string(), rings, ..body(name, start, count, &[]) }
}

/// A square in the plane z = 0, 2 m wide.
fn flat_square(x: f32) -> [[f32; 3]; 4] {
    [[x - 1.0, -1.0, 0.0], [x + 1.0, -1.0, 0.0], [x + 1.0, 1.0, 0.0], [x - 1.0, 1.0, 0.0]]
}

#[test]
fn outlines_are_filled_in_their_colours_with_dark_lines() {
    let positions = [flat_square(-1.0), flat_square(1.0)].concat();
    let bodies = [outline("a", 0, &[&[0, 1, 2, 3]]), outline("b", 4, &[&[4, 5, 6, 7]])];
    let camera = Camera::of(&bodies, [0.0; 3], None);
    assert_eq!(camera, Camera { from: Some([0.0, 0.0, 1.0]), up: [0.0, 1.0, 0.0] });
    let image = render(&View { camera, ..view(&bodies, &positions, &[]) });
    // 4 m fill 0.86 of 60 pixels: the first from 4.2 to 30, the second from there to 55.8.
    assert_eq!(at(&image, 15, 30), [74, 124, 196]);
    assert_eq!(at(&image, 45, 30), [226, 128, 62]);
    // The lines between them begin at 29.2: three samples of four have 0.2 of the light, one all.
    let mixed = ((3.0 * 0.2 + 1.0) / 4.0_f64).sqrt();
    for (colour, found) in [74.0, 124.0, 196.0].into_iter().zip(at(&image, 29, 30)) {
        assert!((mixed * colour - f64::from(found)).abs() < 1.0, "{colour} {found}");
    }
    assert!(at(&image, 15, 10)[0] > 220 && image.notices.is_empty());
}

#[test]
fn an_outline_that_lost_a_vertex_is_named_and_left_out() {
    let mut positions = [flat_square(-1.0), flat_square(1.0)].concat();
    positions[5][0] = f32::NAN;
    let bodies = [outline("a", 0, &[&[0, 1, 2, 3]]), outline("b", 4, &[&[4, 5, 6, 7]])];
    let camera = Camera::of(&bodies, [0.0; 3], None);
    let image = render(&View { camera, ..view(&bodies, &positions, &[]) });
    assert_eq!(image.notices.len(), 1);
    assert_eq!(at(&image, 30, 30), [74, 124, 196]); // alone in the middle now
    let bodies = [outline("a", 0, &[&[0, 1, 2, 9]])];
    let image = render(&View { camera, ..view(&bodies, &positions[..4], &[]) });
    assert_eq!(image.notices, ["body `a`: rings name vertex 9 of 4; they are left out"]);
}

#[test]
fn solids_in_the_plane_stand_on_a_ground_and_are_seen_from_the_front_too() {
    let positions = flat_square(0.0).map(|[x, y, _]| [x, y, 1.0]);
    let standing = BodyInfo { triangles: halves(0).to_vec(), ..outline("a", 0, &[&[0, 1, 2, 3]]) };
    let bodies = [standing];
    let camera = Camera::of(&bodies, [0.0; 3], None);
    assert_eq!(camera.up, [0.0, 0.0, 1.0]);
    let image = render(&View { camera, ..view(&bodies, &positions, &[]) });
    assert!(is_blue(&at(&image, 30, 30)));
    // The ground is darker in the square's shadow than beside it.
    let dark = image.pixels.iter().filter(|c| c[0] < 185 && !is_blue(c)).count();
    assert!(dark > 50, "{dark}");
    // Upright bodies among outlines are seen as usual.
    let mixed = [body("a", 0, 4, &halves(0)), outline("b", 4, &[])];
    assert_eq!(Camera::of(&mixed, [0.0, 0.0, -9.81], None), Camera::upright([0.0, 0.0, -9.81]));
}
