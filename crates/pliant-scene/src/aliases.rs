//! Old names of keys, understood for one release with a notice.

use super::node::{Entry, Node, Value};

/// Key of the table that holds it (empty for the scene itself), old name, new name.
///
/// An item of a list stands for its list.
const RENAMED: [(&str, &str, &str); 12] = [
    ("", "bowl", "attractor"),
    ("contact", "push", "max_depenetration_speed"),
    ("contact", "look_ahead", "speculative_distance"),
    ("contact", "printed", "uncorrected"),
    ("contact", "first", "order"),
    ("integrator", "halvings", "max_halvings"),
    ("integrator", "newton", "newton_iterations"),
    ("pattern", "turns", "rotations"),
    ("mesh", "as", "read_as"),
    ("bodies", "take", "extract"),
    ("shape", "major", "ring_radius"),
    ("shape", "minor", "tube_radius"),
];

/// Key of a value, old word, new word.
const REWORDED: [(&str, &str, &str); 10] = [
    ("kind", "relax", "pbd"),
    ("kind", "net", "spring-network"),
    ("kind", "cloud", "particles"),
    ("read_as", "net", "spring-network"),
    ("uncorrected", "S1", "way-out-sign"),
    ("uncorrected", "S2", "halving-steps"),
    ("uncorrected", "S4", "area-weights"),
    ("uncorrected", "S5", "exit-weights"),
    ("uncorrected", "S8", "own-inside"),
    ("uncorrected", "S12", "missing-weight"),
];

/// Old names of keys of the scene itself.
pub fn old_top_keys() -> impl Iterator<Item = &'static str> {
    RENAMED.iter().filter(|(table, ..)| table.is_empty()).map(|(_, old, _)| *old)
}

/// Renames old keys and words to their new names, with one notice for each.
///
/// Where a key is there under both names, one that was set from outside takes the place of
/// the other; otherwise both stay, and the old one is unknown.
pub fn rename(root: &mut Node, notices: &mut Vec<String>) {
    walk(root, "", notices);
}

fn walk(node: &mut Node, table: &str, notices: &mut Vec<String>) {
    match &mut node.value {
        Value::Table(entries) => {
            for (_, old, new) in RENAMED.iter().filter(|(of, ..)| *of == table) {
                rename_key(entries, old, new, notices);
            }
            for entry in entries {
                walk(&mut entry.node, &entry.name, notices);
            }
        }
        Value::List(items) => items.iter_mut().for_each(|item| walk(item, table, notices)),
        Value::Text(text) => {
            let known = REWORDED.iter().find(|(key, old, _)| *key == table && old == text);
            if let Some((key, old, new)) = known {
                note(notices, format!("`{old}` of `{key}` is now called `{new}`"));
                *text = (*new).to_owned();
            }
        }
        Value::Integer(_) | Value::Float(_) | Value::Flag(_) => {}
    }
}

fn rename_key(entries: &mut Vec<Entry>, old: &str, new: &str, notices: &mut Vec<String>) {
    let Some(at) = entries.iter().position(|entry| entry.name == old) else { return };
    match entries.iter().position(|entry| entry.name == new) {
        None => entries[at].name = new.to_owned(),
        Some(other) if entries[at].place.source > 0 => {
            entries[other].node = entries[at].node.clone();
            entries.remove(at);
        }
        Some(_) => return,
    }
    note(notices, format!("the key `{old}` is now called `{new}`"));
}

fn note(notices: &mut Vec<String>, what: String) {
    let notice = what + "; the old name will not be understood by the next release";
    if !notices.contains(&notice) {
        notices.push(notice);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &str, count: usize) {
        let (mut root, mut notices) = (Node::parse(text, 0).unwrap(), Vec::new());
        rename(&mut root, &mut notices);
        let expected = Node::parse(expected, 0).unwrap();
        assert_eq!(root.to_toml(), expected.to_toml());
        assert_eq!(notices.len(), count, "{notices:?}");
    }

    #[test]
    fn old_keys_get_their_new_names_where_they_belong() {
        check(
            "contact.push = 1\nparameters.push = 2",
            "contact.max_depenetration_speed = 1\nparameters.push = 2",
            1,
        );
        check("[bowl]\nrates = [1, 2, 3]", "[attractor]\nrates = [1, 2, 3]", 1);
        let old =
            "[[bodies]]\ntake = \"x\"\npattern.turns = \"random\"\n[[bodies]]\nmesh.as = \"net\"";
        let new = "[[bodies]]\nextract = \"x\"\npattern.rotations = \"random\"\n[[bodies]]\nmesh.read_as = \"spring-network\"";
        check(old, new, 4);
    }

    #[test]
    fn the_torus_of_an_obstacle_has_the_keys_of_the_mesh() {
        let old = "[[obstacles]]\nshape = { kind = \"union\", parts = [{ shape = { kind = \"torus\", \
                   major = 2, minor = 1 } }] }";
        let new = old.replace("major", "ring_radius").replace("minor", "tube_radius");
        check(old, &new, 2);
    }

    #[test]
    fn old_words_get_their_new_ones() {
        let new = "contact.uncorrected = [\"way-out-sign\", \"area-weights\"]";
        check("contact.printed = [\"S1\", \"S4\"]", new, 3);
        check("integrator.kind = \"relax\"", "integrator.kind = \"pbd\"", 1);
        check("mesh.kind = \"net\"", "mesh.kind = \"spring-network\"", 1);
        check("mesh.kind = \"cloud\"", "mesh.kind = \"particles\"", 1);
    }

    #[test]
    fn new_names_pass_without_a_notice_and_both_names_are_left() {
        let new = "contact.order = \"vertices\"\nintegrator.newton_iterations = 3";
        check(new, new, 0);
        let both = "contact.push = 1\ncontact.max_depenetration_speed = 2";
        check(both, both, 0);
    }
}
