//! The volumes of an MSH 4 file and the physical groups that they belong to.

use crate::mesh::parse::Parsed;
use crate::mesh::parse::msh::Version;
use crate::mesh::parse::msh::numbers::Source;

/// Region of each volume.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Volumes {
    /// Tag and region of the volumes of `$Entities`, tags rising.
    whole: Option<Vec<(i64, i64)>>,
    /// Tag and region of the volumes of `$PartitionedEntities`, tags rising.
    parts: Option<Vec<(i64, i64)>>,
    /// Volumes in more than one physical group.
    shared: usize,
}

/// Which of the two sections is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Division {
    /// `$Entities`: the model as it was drawn.
    Whole,
    /// `$PartitionedEntities`: its pieces, each with the entity it was cut from.
    Parts,
}

impl Volumes {
    /// Region of the tets in a volume; the tag of a volume that is not described.
    pub fn region(&self, tag: i64) -> i64 {
        // Where there are parts, elements belong to those.
        for volumes in [&self.parts, &self.whole].into_iter().flatten() {
            if let Ok(at) = volumes.binary_search_by_key(&tag, |&(tag, _)| tag) {
                return volumes[at].1;
            }
        }
        tag
    }

    /// What had to be chosen, in a sentence.
    pub fn notice(&self) -> Option<String> {
        match self.shared {
            0 => None,
            1 => Some("1 volume is in several physical groups, its region is the first".into()),
            count => Some(format!(
                "{count} volumes are in several physical groups, their region is the first"
            )),
        }
    }

    /// Reads `$Entities` or `$PartitionedEntities`.
    pub fn read<'a, S: Source<'a>>(
        &mut self,
        source: &mut S,
        version: Version,
        division: Division,
    ) -> Parsed<()> {
        if division == Division::Parts {
            source.size("the number of partitions")?;
            let ghosts = source.size("the number of ghost entities")?;
            ints(source, ghosts.saturating_mul(2), "ghost entities")?;
        }
        let mut counts = [0; 4];
        for (count, what) in counts.iter_mut().zip(["points", "curves", "surfaces", "volumes"]) {
            *count = source.size(what)?;
        }
        let mut volumes = Vec::new();
        for (dimension, count) in counts.into_iter().enumerate() {
            for _ in 0..count {
                let volume = self.entity(source, (version, division), dimension)?;
                if dimension == 3 {
                    volumes.push(volume);
                }
            }
        }
        volumes.sort_unstable();
        if let Some(pair) = volumes.windows(2).find(|pair| pair[0].0 == pair[1].0) {
            return Err(source.invalid(format!("volume {} is described twice", pair[0].0)));
        }
        let place = match division {
            Division::Whole => &mut self.whole,
            Division::Parts => &mut self.parts,
        };
        match place.replace(volumes) {
            None => Ok(()),
            Some(_) => Err(source.invalid("the entities are described a second time here")),
        }
    }

    /// Reads one entity: its tag and region.
    fn entity<'a, S: Source<'a>>(
        &mut self,
        source: &mut S,
        (version, division): (Version, Division),
        dimension: usize,
    ) -> Parsed<(i64, i64)> {
        source.begin_record();
        let tag = source.int("the tag of an entity")?;
        let mut region = tag;
        if division == Division::Parts {
            let parent = source.int("the dimension of the entity cut")?;
            let whole = source.int("the tag of the entity cut")?;
            if parent == dimension as i64 {
                region = whole;
            }
            let partitions = source.size("the number of partitions")?;
            ints(source, partitions, "partitions")?;
        }
        // Points have coordinates, all others a box; in 4.0 points have a box too.
        let point = dimension == 0 && version != Version::FourZero;
        for _ in 0..(if point { 3 } else { 6 }) {
            source.real("a coordinate of an entity")?;
        }
        let groups = source.size("the number of physical groups")?;
        if let Some(group) = ints(source, groups, "physical groups")? {
            region = group;
            self.shared += usize::from(dimension == 3 && groups > 1);
        }
        if dimension > 0 {
            let bounds = source.size("the number of bounding entities")?;
            ints(source, bounds, "bounding entities")?;
        }
        source.end_record();
        Ok((tag, region))
    }
}

/// Reads a list of integers and returns the first.
fn ints<'a, S: Source<'a>>(source: &mut S, count: u64, what: &str) -> Parsed<Option<i64>> {
    let mut first = None;
    for _ in 0..source.fits(count, what, 1)? {
        let number = source.int(what)?;
        first.get_or_insert(number);
    }
    Ok(first)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::parse::msh::numbers::Ascii;
    use crate::mesh::parse::text::Text;

    const BOX: &str = "0 0 0 1 1 1";

    fn read(text: &str, version: Version, division: Division) -> Parsed<Volumes> {
        let mut volumes = Volumes::default();
        let mut source = Ascii::new(Text::new(text.as_bytes(), None));
        volumes.read(&mut source, version, division)?;
        assert_eq!(source.line(), None, "all is read");
        Ok(volumes)
    }

    #[test]
    fn a_group_names_the_region_and_else_the_volume_does() {
        // Volume 3 is in no group, 4 in two; points and curves have groups of their own.
        let text = format!(
            "1 1 0 3\n1 0 0 0 1 77\n1 {BOX} 1 78 2 1 -2\n\
             4 {BOX} 2 9 8 0\n3 {BOX} 0 1 5\n7 {BOX} 1 -2 0"
        );
        let volumes = read(&text, Version::FourOne, Division::Whole).unwrap();
        assert_eq!([3, 4, 7, 50].map(|tag| volumes.region(tag)), [3, 9, -2, 50]);
        let notice = "1 volume is in several physical groups, its region is the first";
        assert_eq!(volumes.notice().unwrap(), notice);
    }

    #[test]
    fn points_have_boxes_in_the_older_version() {
        let text = format!("1 0 0 1\n1 {BOX} 1 77\n2 {BOX} 1 5 0");
        let volumes = read(&text, Version::FourZero, Division::Whole).unwrap();
        assert_eq!(volumes.region(2), 5);
    }

    #[test]
    fn parts_have_the_region_of_the_volume_they_are_cut_from() {
        // Two partitions, one ghost entity, parts 4 and 5 of the volumes 1 and 2, and a
        // volume 6 that was made from a surface.
        let text = format!(
            "2\n1\n11 1\n0 0 0 3\n4 3 1 2 1 2 {BOX} 1 7 0\n5 3 2 1 2 {BOX} 0 0\n\
             6 2 1 1 1 {BOX} 0 0"
        );
        let volumes = read(&text, Version::FourOne, Division::Parts).unwrap();
        assert_eq!([4, 5, 6].map(|tag| volumes.region(tag)), [7, 2, 6]);
    }

    #[test]
    fn a_volume_described_twice_is_refused() {
        let text = format!("0 0 0 2\n4 {BOX} 0 0\n4 {BOX} 1 8 0");
        let error = read(&text, Version::FourOne, Division::Whole).unwrap_err();
        assert_eq!(error.to_string(), "line 3: volume 4 is described twice");
    }
}
