//! Words for choices: one name per value, shared by programs, files and JSON.
//!
//! An enum that people choose from lists its values in `ALL`, names each by `name`, and
//! parses what was written by [`from_name`].

/// A word that names none of the values.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{given:?} is unknown, expected {}", names.join(", "))]
pub struct UnknownName {
    /// As written.
    pub given: String,
    /// The names of all values, in their order.
    pub names: Vec<&'static str>,
}

/// The value with this name, in the same letters.
pub fn from_name<T: Copy>(
    given: &str,
    all: &[T],
    name: impl Fn(T) -> &'static str,
) -> Result<T, UnknownName> {
    all.iter().copied().find(|&value| name(value) == given).ok_or_else(|| UnknownName {
        given: given.to_string(),
        names: all.iter().copied().map(name).collect(),
    })
}

#[cfg(test)]
mod tests {
    use crate::detect::Scope;
    use crate::mesh::normals::Normals;

    #[test]
    fn every_name_leads_back_to_its_value() {
        for scope in Scope::ALL {
            assert_eq!(scope.name().parse(), Ok(scope));
        }
        for normals in Normals::ALL {
            assert_eq!(normals.name().parse(), Ok(normals));
        }
    }

    #[test]
    fn another_word_is_refused_with_the_names() {
        let error = "corner".parse::<Normals>().unwrap_err();
        assert_eq!(error.to_string(), "\"corner\" is unknown, expected area, angle, face");
        // Capitals and the empty word are other words too.
        assert!("Scene".parse::<Scope>().is_err());
        assert!("".parse::<Scope>().is_err());
    }
}
