//! Names of materials, as scenes write them: those that the engine knows.

use std::borrow::Cow;

use pliant::world::MaterialPreset;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Value, json};

/// A material by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PresetName(pub MaterialPreset);

impl Serialize for PresetName {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.0.name())
    }
}

impl<'de> Deserialize<'de> for PresetName {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<PresetName, D::Error> {
        let name = String::deserialize(deserializer)?;
        let known = MaterialPreset::ALL.into_iter().find(|preset| preset.name() == name);
        known.map(PresetName).ok_or_else(|| D::Error::custom(format!("no material `{name}`")))
    }
}

impl JsonSchema for PresetName {
    fn schema_name() -> Cow<'static, str> {
        "PresetName".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let word = |preset: MaterialPreset| {
            let (young, density) = (preset.elastic().young, preset.density());
            let about = preset.about();
            let description = format!("{about}: {}, {density} kg/m³.", modulus(young));
            json!({ "const": preset.name(), "type": "string", "description": description })
        };
        let words: Vec<Value> = MaterialPreset::ALL.into_iter().map(word).collect();
        let description =
            "A material by name; nearly incompressible ones have a Poisson's ratio of 0.45.";
        let mut schema = Schema::default();
        schema.insert("description".to_owned(), description.into());
        schema.insert("oneOf".to_owned(), Value::Array(words));
        schema
    }
}

/// A modulus in the prefix that suits it.
fn modulus(pascals: f64) -> String {
    let (factor, unit) = match pascals {
        large if large >= 1e9 => (1e9, "GPa"),
        large if large >= 1e6 => (1e6, "MPa"),
        _ => (1e3, "kPa"),
    };
    format!("{} {unit}", (pascals / factor * 100.0).round() / 100.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_material_has_a_word_in_the_schema() {
        let schema = schemars::schema_for!(PresetName).to_value();
        let words = schema["oneOf"].as_array().unwrap();
        assert_eq!(words.len(), MaterialPreset::ALL.len());
        for (word, preset) in words.iter().zip(MaterialPreset::ALL) {
            let read: PresetName = serde_json::from_value(word["const"].clone()).unwrap();
            assert_eq!(read, PresetName(preset));
        }
        assert_eq!(words[2]["description"], "Healthy liver: 5.4 kPa, 1060 kg/m³.");
        assert_eq!(words[5]["description"], "Low-carbon steel: 207 GPa, 7850 kg/m³.");
        assert!(serde_json::from_str::<PresetName>("\"liwer\"").is_err());
    }
}
