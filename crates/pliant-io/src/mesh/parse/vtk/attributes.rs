//! Data attached to points and cells of a legacy file: passed over, but for regions.

use crate::mesh::parse::scalar::Scalar;
use crate::mesh::parse::text::to_i64;
use crate::mesh::parse::{Fault, Parsed};

use super::array::{Array, Reading};
use super::names::region_rank;
use super::{Reader, Storage};

/// Numbers of a colour: red, green, blue, opacity.
const COLOUR: u64 = 4;

/// What data is attached to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Owner {
    /// The file as a whole.
    #[default]
    File,
    Points,
    Cells,
}

/// The attached data that matters.
#[derive(Default)]
pub(super) struct Attributes<'a> {
    /// What the arrays to come are attached to.
    owner: Owner,
    /// Count of the points or cells of the current owner.
    count: u64,
    /// The array of materials, and how well its name suits, 0 best.
    pub(super) region: Option<(usize, Array<'a>)>,
}

/// What an array of attached data holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Content {
    Numbers(Scalar),
    Strings,
}

impl<'a> Reader<'a> {
    /// Reads an attribute whose keyword was read, in capitals; `false` if it is none.
    pub(super) fn read_attribute(&mut self, keyword: &[u8]) -> Parsed<bool> {
        match keyword {
            b"POINT_DATA" => self.set_owner(Owner::Points)?,
            b"CELL_DATA" => self.set_owner(Owner::Cells)?,
            b"SCALARS" => self.read_scalars()?,
            b"COLOR_SCALARS" => {
                self.text.need("the name of the colours")?;
                let each = self.read_count("the number of numbers of a colour")?;
                self.skip_bytes_or_reals((self.attributes.count, each))?;
            }
            b"LOOKUP_TABLE" => {
                self.text.need("the name of the table")?;
                let colours = self.read_count("the number of colours")?;
                self.skip_bytes_or_reals((colours, COLOUR))?;
            }
            b"VECTORS" | b"NORMALS" => self.skip_tuples(3)?,
            b"TENSORS" => self.skip_tuples(9)?,
            b"TENSORS6" => self.skip_tuples(6)?,
            b"GLOBAL_IDS" | b"PEDIGREE_IDS" | b"EDGE_FLAGS" => self.skip_tuples(1)?,
            b"TEXTURE_COORDINATES" => {
                self.text.need("the name of the texture coordinates")?;
                let each = self.read_count("the number of texture coordinates")?;
                let content = self.read_content()?;
                self.skip_data((self.attributes.count, each), content)?;
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// Reads a block of named arrays; the word `FIELD` was read.
    pub(super) fn read_field(&mut self) -> Parsed<()> {
        self.text.need("the name of the field")?;
        let arrays = self.read_count("the number of arrays")?;
        for _ in 0..arrays {
            while self.comes_next(b"METADATA") {
                self.text.word();
                self.skip_metadata();
            }
            let name = self.text.need("the name of an array")?;
            if name == b"NULL_ARRAY" {
                continue;
            }
            let each = self.read_count("the number of numbers of a tuple")?;
            let tuples = self.read_count("the number of tuples")?;
            let content = self.read_content()?;
            self.read_data(name, (tuples, each), content)?;
        }
        Ok(())
    }

    fn set_owner(&mut self, owner: Owner) -> Parsed<()> {
        self.attributes.owner = owner;
        self.attributes.count = self.read_count("the number of points or cells")?;
        Ok(())
    }

    fn read_scalars(&mut self) -> Parsed<()> {
        let name = self.text.need("the name of the scalars")?;
        let word = self.text.need("a number type")?;
        let content = self.content_of(word)?;
        // The count of numbers may be missing, so the line decides.
        let each = match self.text.line() {
            None | Some(b"") => 1,
            Some(rest) => to_i64(rest)
                .and_then(|each| u64::try_from(each).ok())
                .ok_or_else(|| self.text.unexpected("the number of numbers of a scalar", rest))?,
        };
        let size = (self.attributes.count, each);
        if self.comes_next(b"LOOKUP_TABLE") {
            self.text.word();
            self.text.need("the name of a lookup table")?;
            return self.read_data(name, size, content);
        }
        self.read_begun_data(name, size, content)
    }

    /// Passes over tuples of a fixed size, with their name and type before.
    fn skip_tuples(&mut self, each: u64) -> Parsed<()> {
        self.text.need("the name of the data")?;
        let content = self.read_content()?;
        self.skip_data((self.attributes.count, each), content)
    }

    /// Passes over numbers that are bytes in a binary file and reals in a text.
    fn skip_bytes_or_reals(&mut self, size: (u64, u64)) -> Parsed<()> {
        self.skip_data(size, Content::Numbers(Scalar::U8))
    }

    fn skip_data(&mut self, size: (u64, u64), content: Content) -> Parsed<()> {
        self.read_data(b"", size, content)
    }

    /// Moves to the data and reads it.
    fn read_data(&mut self, name: &[u8], size: (u64, u64), content: Content) -> Parsed<()> {
        match content {
            Content::Strings => {
                self.text.line();
            }
            Content::Numbers(_) => self.begin_data(),
        }
        self.read_begun_data(name, size, content)
    }

    /// Keeps the data if it holds materials, passes over it otherwise.
    fn read_begun_data(&mut self, name: &[u8], size: (u64, u64), content: Content) -> Parsed<()> {
        let kind = match content {
            Content::Strings => return self.skip_strings(size),
            Content::Numbers(kind) => kind,
        };
        let known = self.attributes.region.as_ref().map_or(usize::MAX, |&(rank, _)| rank);
        let rank = region_rank(name).filter(|&rank| rank < known);
        if let (Owner::Cells, 1, Some(rank)) = (self.attributes.owner, size.1, rank) {
            let region = self.read_array(size, kind, Reading::Real, "a region")?;
            self.attributes.region = Some((rank, region));
            return Ok(());
        }
        if self.storage == Storage::Bytes {
            return self.read_array(size, kind, Reading::Real, "").map(|_| ());
        }
        for _ in 0..self.check_size(size, kind)? {
            let word = self.text.need("a number")?;
            // Far cheaper than reading it, and enough to notice the next section.
            if !matches!(word[0], b'0'..=b'9' | b'-' | b'+' | b'.' | b'n' | b'N' | b'i' | b'I') {
                return Err(self.text.unexpected("a number", word));
            }
        }
        Ok(())
    }

    fn read_content(&mut self) -> Parsed<Content> {
        let word = self.text.need("a number type")?;
        self.content_of(word)
    }

    fn content_of(&self, word: &[u8]) -> Parsed<Content> {
        if word.eq_ignore_ascii_case(b"string") || word.eq_ignore_ascii_case(b"utf8_string") {
            return Ok(Content::Strings);
        }
        let wanted = "a number type such as `double`";
        Scalar::of_legacy(word)
            .map(Content::Numbers)
            .ok_or_else(|| self.text.unexpected(wanted, word))
    }

    /// Passes over strings: one a line in a text, after their lengths otherwise.
    fn skip_strings(&mut self, (tuples, each): (u64, u64)) -> Parsed<()> {
        for _ in 0..tuples.saturating_mul(each) {
            let ended = match self.storage {
                Storage::Text => self.text.line().is_none(),
                Storage::Bytes => self.skip_packed_string().is_none(),
            };
            if ended {
                let wanted = "a string".to_string();
                return Err(self.text.fault(Fault::Truncated { wanted }));
            }
        }
        Ok(())
    }

    /// Passes over a string whose length comes first, in 6, 14, 30 or 62 bits.
    fn skip_packed_string(&mut self) -> Option<()> {
        let rest = self.text.rest();
        // The two highest bits give the size of the length: 1 byte for 3, 8 for 0.
        let width = 1_usize << (3 - (rest.first()? >> 6));
        let length = rest.get(..width)?.iter().fold(0_u64, |length, &b| length << 8 | u64::from(b));
        let length = length & (u64::MAX >> 2 >> (64 - 8 * width));
        let end = usize::try_from(length).ok()?.checked_add(width)?;
        self.text.seek(self.text.offset() + rest.get(..end)?.len());
        Some(())
    }
}
