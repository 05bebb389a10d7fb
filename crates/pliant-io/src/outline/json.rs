//! GeoJSON, and plain arrays: a ring, rings, or polygons of rings.

use pliant::math::Vec2;
use serde_json::{Map, Value};

use super::drawing::{Drawing, Feature, Kind, Path, Piece};

/// Properties that name a feature, in the order of preference.
const NAMES: [&str; 6] = ["name", "NAME", "Name", "ADMIN", "admin", "id"];

/// Without a `crs`, coordinates all below this are taken for plain numbers, degrees.
const LEAST_DEGREES: f64 = 5.0;

/// Reads a geometry, a feature, a collection of them, or nested arrays.
pub fn parse(text: &str) -> Result<Drawing, String> {
    let value: Value = serde_json::from_str(text).map_err(|error| format!("not JSON: {error}"))?;
    let mut drawing = Drawing::default();
    match &value {
        Value::Array(_) => {
            let mut feature = Feature::default();
            arrays(&value, &mut feature)?;
            drawing.features.push(feature);
        }
        _ => {
            object(&value, &mut drawing)?;
            drawing.notices.extend(degrees(&value, &drawing.features));
        }
    }
    Ok(drawing)
}

/// A notice for coordinates that are longitude and latitude.
///
/// GeoJSON is in degrees unless an old-style `crs` says otherwise. Many use it for plain
/// numbers nonetheless: without a `crs`, coordinates near the origin alone draw no notice.
fn degrees(value: &Value, features: &[Feature]) -> Option<String> {
    let named = value.pointer("/crs/properties/name").and_then(Value::as_str);
    let is_declared = named.is_some_and(|name| name.contains("CRS84") || name.contains("4326"));
    if named.is_some() && !is_declared {
        return None;
    }
    let paths = features.iter().flat_map(|feature| &feature.paths);
    let points = paths
        .flat_map(|path| std::iter::once(path.start).chain(path.pieces.iter().map(Piece::end)));
    let far = points.fold(Vec2::ZERO, |far, point| far.max(point.abs()));
    let fits = far.x <= 180.0 && far.y <= 90.0 && far.max_element() > 0.0;
    let is_clear = is_declared || far.max_element() >= LEAST_DEGREES;
    (fits && is_clear).then(|| {
        "the coordinates look like longitude and latitude: all lengths are in degrees, and those \
         from east to west too long; project them to metres first"
            .to_string()
    })
}

/// Whatever a GeoJSON file may begin with.
fn object(value: &Value, drawing: &mut Drawing) -> Result<(), String> {
    match kind(value, "the file")? {
        "FeatureCollection" => {
            let features = list(value.get("features"), "the collection's `features`")?;
            for (number, value) in features.iter().enumerate() {
                feature(value, number, drawing)?;
            }
            Ok(())
        }
        "Feature" => feature(value, 0, drawing),
        "Topology" => Err("TopoJSON is not read; convert it to GeoJSON first".to_string()),
        _ => {
            let mut feature = Feature::default();
            geometry(value, "the geometry", &mut feature, &mut drawing.notices)?;
            drawing.features.push(feature);
            Ok(())
        }
    }
}

fn feature(value: &Value, number: usize, drawing: &mut Drawing) -> Result<(), String> {
    let mut feature = Feature::default();
    let place = format!("feature {number}");
    if kind(value, &place)? != "Feature" {
        return Err(format!("{place} is no Feature but a {}", kind(value, &place)?));
    }
    let text = |value: &Value| match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    };
    let empty = Map::new();
    let properties = value.get("properties").and_then(Value::as_object).unwrap_or(&empty);
    let names = NAMES.iter().filter_map(|&name| properties.get(name));
    feature.names = names.chain(value.get("id")).filter_map(text).collect();
    feature.names.dedup();
    let texts = properties.values().filter(|value| value.is_string());
    feature.others = texts.filter_map(text).collect();
    let place = match feature.names.first() {
        Some(name) => format!("feature {number} ({name})"),
        None => place,
    };
    match value.get("geometry") {
        None | Some(Value::Null) => drawing.notices.push(format!("{place} has no geometry")),
        Some(value) => geometry(value, &place, &mut feature, &mut drawing.notices)?,
    }
    drawing.features.push(feature);
    Ok(())
}

fn geometry(
    value: &Value,
    place: &str,
    feature: &mut Feature,
    notices: &mut Vec<String>,
) -> Result<(), String> {
    let kind = kind(value, place)?;
    if kind == "GeometryCollection" {
        let parts = list(value.get("geometries"), &format!("`geometries` of {place}"))?;
        for (number, part) in parts.iter().enumerate() {
            geometry(part, &format!("{place}, geometry {number}"), feature, notices)?;
        }
        return Ok(());
    }
    let coordinates = || list(value.get("coordinates"), &format!("`coordinates` of {place}"));
    match kind {
        "Polygon" => rings(coordinates()?, place, feature)?,
        "MultiPolygon" => {
            for (number, polygon) in coordinates()?.iter().enumerate() {
                let place = format!("{place}, polygon {number}");
                rings(list(Some(polygon), &place)?, &place, feature)?;
            }
        }
        "LineString" => line(coordinates()?, place, feature)?,
        "MultiLineString" => {
            for (number, part) in coordinates()?.iter().enumerate() {
                let place = format!("{place}, line {number}");
                line(list(Some(part), &place)?, &place, feature)?;
            }
        }
        "Point" | "MultiPoint" => notices.push(format!("{place} is a {kind}: left out")),
        other => return Err(format!("{place} is of the unknown type “{other}”")),
    }
    Ok(())
}

fn rings(rings: &[Value], place: &str, feature: &mut Feature) -> Result<(), String> {
    for (number, ring) in rings.iter().enumerate() {
        let place = format!("{place}, ring {number}");
        let points = points(list(Some(ring), &place)?, &place)?;
        feature.paths.extend(Path::straight(place, &points, Kind::Ring));
    }
    Ok(())
}

fn line(line: &[Value], place: &str, feature: &mut Feature) -> Result<(), String> {
    let points = points(line, place)?;
    let kind = Kind::Line { radius: None };
    feature.paths.extend(Path::straight(place.to_string(), &points, kind));
    Ok(())
}

fn points(values: &[Value], place: &str) -> Result<Vec<Vec2>, String> {
    let point = |(number, value): (usize, &Value)| {
        // Heights and whatever else follows the first two are ignored in the plane.
        let pair = value
            .as_array()
            .and_then(|pair| Some(Vec2::new(pair.first()?.as_f64()?, pair.get(1)?.as_f64()?)));
        pair.ok_or_else(|| {
            format!("point {number} of {place} is {}, not two numbers", short(value))
        })
    };
    values.iter().enumerate().map(point).collect()
}

/// Arrays of points, of rings, or of polygons, distinguished by how deep the numbers are.
fn arrays(value: &Value, feature: &mut Feature) -> Result<(), String> {
    let mut depth = 0;
    let mut first = value;
    while let Value::Array(inner) = first {
        depth += 1;
        // An empty array at the beginning says nothing of the depth.
        match inner.iter().find(|value| value.as_array().is_none_or(|inner| !inner.is_empty())) {
            Some(next) => first = next,
            None => return Err("the arrays are empty".to_string()),
        }
    }
    let outer = list(Some(value), "the file")?;
    match depth {
        2 => {
            let place = "ring 0".to_string();
            let points = points(outer, &place)?;
            feature.paths.extend(Path::straight(place, &points, Kind::Ring));
        }
        3 => rings(outer, "the array", feature)?,
        4 => {
            for (number, polygon) in outer.iter().enumerate() {
                let place = format!("polygon {number}");
                rings(list(Some(polygon), &place)?, &place, feature)?;
            }
        }
        _ => {
            let what = "write a ring as [[x, y], …], rings as [[[x, y], …], …]";
            return Err(format!("the numbers are {depth} arrays deep; {what}"));
        }
    }
    Ok(())
}

fn kind<'a>(value: &'a Value, place: &str) -> Result<&'a str, String> {
    let kind = value.get("type").and_then(Value::as_str);
    kind.ok_or_else(|| format!("{place} has no `type`, as GeoJSON demands: {}", short(value)))
}

fn list<'a>(value: Option<&'a Value>, place: &str) -> Result<&'a [Value], String> {
    match value {
        Some(Value::Array(list)) => Ok(list),
        Some(other) => Err(format!("{place} is {}, not an array", short(other))),
        None => Err(format!("{place} is missing")),
    }
}

/// A value, cut to what a message can hold.
fn short(value: &Value) -> String {
    const LETTERS: usize = 40;
    match value {
        Value::Array(list) if list.len() > 3 => format!("an array of {}", list.len()),
        Value::Object(_) => "an object".to_string(),
        other => {
            let text = other.to_string();
            let cut: String = text.chars().take(LETTERS).collect();
            if cut.len() < text.len() { cut + "…" } else { cut }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paths(text: &str) -> Vec<Path> {
        parse(text).unwrap().features.into_iter().flat_map(|feature| feature.paths).collect()
    }

    #[track_caller]
    fn refused(text: &str, expected: &str) {
        let reported = parse(text).unwrap_err();
        assert!(reported.contains(expected), "{reported}");
    }

    #[test]
    fn arrays_are_a_ring_rings_or_polygons() {
        for (text, count) in [
            ("[[0,0],[1,0],[0,1]]", 1),
            ("[[[0,0],[1,0],[0,1]],[[5,5]]]", 2),
            ("[[],[[0,0],[1,0],[0,1]]]", 1),
            ("[[[[0,0],[1,0],[0,1]]],[[[5,5],[6,6,9],[5,6]]]]", 2),
        ] {
            assert_eq!(paths(text).len(), count, "{text}");
        }
        refused("[1,2]", "1 arrays deep");
        refused("[]", "empty");
        refused("[[[0,0],[1,\"x\"],[0,1]]]", "point 1 of the array, ring 0 is [1,\"x\"]");
        refused("[[[0,0],7]]", "point 1 of the array, ring 0 is 7");
    }

    #[test]
    fn longitude_and_latitude_draw_a_notice() {
        let file = |crs: &str, x: f64, y: f64| {
            let ring = format!("[[{x},{y}],[{},{y}],[{x},{}]]", x + 1.0, y + 1.0);
            format!(r#"{{"type":"Polygon",{crs}"coordinates":[{ring}]}}"#)
        };
        let crs =
            |name: &str| format!(r#""crs":{{"type":"name","properties":{{"name":"{name}"}}}},"#);
        let declared = crs("urn:ogc:def:crs:OGC:1.3:CRS84");
        for (text, expected) in [
            (file("", 10.7, 59.9), true),
            (file("", -179.5, -60.0), true),
            (file("", 0.0, 0.0), false),
            (file("", 250.0, 60.0), false),
            (file("", 60.0, 89.5), false),
            (file(&declared, 0.0, 0.0), true),
            (file(&crs("urn:ogc:def:crs:EPSG::3857"), 10.0, 59.0), false),
            ("[[10,59],[11,59],[10,60]]".to_string(), false),
        ] {
            let notices = parse(&text).unwrap().notices;
            assert_eq!(notices.iter().any(|n| n.contains("latitude")), expected, "{text}");
        }
    }

    #[test]
    fn every_geometry_gives_its_paths() {
        let ring = "[[0,0],[1,0],[0,1],[0,0]]";
        for (kind, coordinates, count) in [
            ("Polygon", format!("[{ring},{ring}]"), 2),
            ("MultiPolygon", format!("[[{ring}],[{ring}]]"), 2),
            ("LineString", ring.to_string(), 1),
            ("MultiLineString", format!("[{ring},{ring}]"), 2),
            ("Point", "[0,0]".to_string(), 0),
        ] {
            let text = format!(r#"{{"type":"{kind}","coordinates":{coordinates}}}"#);
            let found = paths(&text);
            assert_eq!(found.len(), count, "{kind}");
            let lines = found.iter().all(|path| matches!(path.kind, Kind::Line { .. }));
            assert_eq!(lines, kind.contains("Line") || count == 0);
            let collection = format!(r#"{{"type":"GeometryCollection","geometries":[{text}]}}"#);
            assert_eq!(paths(&collection).len(), count, "{kind}");
        }
    }

    #[test]
    fn faults_are_told_with_their_place() {
        refused(r#"{"type":"Polygon"}"#, "`coordinates` of the geometry is missing");
        refused(
            r#"{"type":"Polygon","coordinates":[[[0,0],[1]]]}"#,
            "point 1 of the geometry, ring 0",
        );
        refused(r#"{"type":"Circle","coordinates":[]}"#, "unknown type “Circle”");
        refused(r#"{"features":[]}"#, "the file has no `type`");
        refused(
            r#"{"type":"FeatureCollection","features":[{"type":"Polygon"}]}"#,
            "feature 0 is no",
        );
        refused("{\"type\":\n\n\"Polygon\",]", "line 3 column");
        refused(&"[".repeat(100_000), "recursion limit");
        let named = r#"{"type":"FeatureCollection","features":[{"type":"Feature",
            "properties":{"NAME":"Fiji"},"geometry":{"type":"MultiPolygon","coordinates":
            [[[[0,0],[1,null]]]]}}]}"#;
        refused(named, "point 1 of feature 0 (Fiji), polygon 0, ring 0 is [1,null]");
    }

    #[test]
    fn features_without_a_geometry_are_noticed() {
        let text = r#"{"type":"Feature","properties":null,"geometry":null}"#;
        let drawing = parse(text).unwrap();
        assert_eq!(drawing.notices, ["feature 0 has no geometry"]);
    }
}
