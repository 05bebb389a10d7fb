//! Arrays of a VTU file: text, base64 or raw bytes, packed or not.
//!
//! Bytes begin with words that hold their length. Unpacked, it is one word. Packed, the
//! words are the count of blocks, the size of a block, the size of the last block if it
//! is smaller (otherwise 0), and the packed size of each block.

use std::borrow::Cow;

use miniz_oxide::inflate::decompress_slice_iter_to_slice;
use roxmltree::Node;

use crate::mesh::parse::binary::Endian;
use crate::mesh::parse::scalar::Scalar;
use crate::mesh::parse::text::quote;
use crate::mesh::parse::vtk::array::{Array, Reading};
use crate::mesh::parse::{Fault, ParseError, Parsed, Place, check_room};

use super::base64::Base64;
use super::document::{attribute, children, content, line};

/// The most numbers per byte of the file, in all arrays together.
///
/// Packed lattices, the best to pack of all meshes, have one; a file of zeros, or of
/// arrays that all lie over each other, could have a thousand.
const MOST_GROWTH: u64 = 8;
/// This many numbers are always granted, so that no small file is refused.
const FREE_GROWTH: u64 = 1 << 17;

/// How blocks are packed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Packing {
    Plain,
    Zlib,
    Lz4,
    /// Known, but not unpacked here.
    Lzma,
}

/// How the arrays of a file are stored.
pub(super) struct Storage<'a> {
    /// Of numbers and of the words that hold lengths.
    endian: Endian,
    /// Size of the words that hold lengths, bytes: 4 or 8.
    word: usize,
    /// How every array that is not text is packed.
    packing: Packing,
    /// The appended data, behind its underscore.
    appended: Option<(&'a [u8], Encoding)>,
    /// Count of numbers that arrays may still hold.
    room: u64,
}

/// How appended data is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Encoding {
    Base64,
    Raw,
}

/// Bytes that are taken from front to back.
enum Stream<'a> {
    Base64(Base64<'a>),
    Raw(&'a [u8]),
}

impl<'a> Storage<'a> {
    /// Reads what the root element says of all arrays of a file of so many bytes.
    pub(super) fn new(
        root: &Node<'a, 'a>,
        appended: Option<&'a [u8]>,
        bytes: usize,
    ) -> Parsed<Storage<'a>> {
        let endian = match root.attribute("byte_order") {
            None | Some("LittleEndian") => Endian::Little,
            Some("BigEndian") => Endian::Big,
            Some(other) => return Err(unexpected(root, "LittleEndian or BigEndian", other)),
        };
        let word = match root.attribute("header_type") {
            None | Some("UInt32") => 4,
            Some("UInt64") => 8,
            Some(other) => return Err(unexpected(root, "UInt32 or UInt64", other)),
        };
        let packing = match root.attribute("compressor") {
            None | Some("") => Packing::Plain,
            Some("vtkZLibDataCompressor") => Packing::Zlib,
            Some("vtkLZ4DataCompressor") => Packing::Lz4,
            Some("vtkLZMADataCompressor") => Packing::Lzma,
            Some(other) => return Err(unexpected(root, "a known compressor", other)),
        };
        let element = children(*root, "AppendedData").next();
        let appended = match (appended, element) {
            (Some(bytes), Some(element)) => match element.attribute("encoding") {
                Some("raw") => Some((bytes, Encoding::Raw)),
                None | Some("base64") => Some((bytes, Encoding::Base64)),
                Some(other) => return Err(unexpected(&element, "raw or base64", other)),
            },
            _ => None,
        };
        let room = (bytes as u64).saturating_mul(MOST_GROWTH).saturating_add(FREE_GROWTH);
        Ok(Storage { endian, word, packing, appended, room })
    }

    /// The numbers of a `DataArray`, which errors call `part`.
    pub(super) fn array(
        &mut self,
        node: &Node<'a, 'a>,
        part: &str,
        reading: Reading,
    ) -> Parsed<Array<'a>> {
        let name = node.attribute("type").unwrap_or_default();
        let Some(kind) = Scalar::of_xml(name) else {
            return Err(unexpected(node, "a number type such as Float64", name));
        };
        let place = |fault| ParseError::new(Place::Part(part.to_string()), fault);
        let offset = node.attribute("offset").map(|_| "appended");
        let stream = match node.attribute("format").or(offset).unwrap_or("ascii") {
            "ascii" => {
                let (text, before) = content(node)?;
                let wanted = match reading {
                    Reading::Whole => "an integer",
                    Reading::Real => "a number",
                };
                return Array::from_all_words(before, text, reading, wanted);
            }
            "binary" => Stream::Base64(Base64::new(content(node)?.0)),
            "appended" => self.appended_at(attribute(node, "offset")?).map_err(place)?,
            other => return Err(unexpected(node, "ascii, binary or appended", other)),
        };
        let bytes = self.read(stream, kind).map_err(place)?;
        if kind.bytes_for(kind.count_in(bytes.len())) != Some(bytes.len()) {
            let why = format!("{} bytes are no whole count of {name}", bytes.len());
            return Err(place(Fault::Invalid(why)));
        }
        Ok(Array::from_part(bytes, kind, self.endian, part))
    }

    fn appended_at(&self, offset: u64) -> Result<Stream<'a>, Fault> {
        let Some((bytes, encoding)) = self.appended else {
            return Err(Fault::Invalid("the file has no appended data".to_string()));
        };
        let rest = usize::try_from(offset).ok().and_then(|offset| bytes.get(offset..));
        match (rest, encoding) {
            (Some(rest), Encoding::Raw) => Ok(Stream::Raw(rest)),
            (Some(rest), Encoding::Base64) => Ok(Stream::Base64(Base64::new(rest))),
            (None, _) => {
                let held = bytes.len();
                let why = format!("offset {offset}, but the appended data ends at {held}");
                Err(Fault::Invalid(why))
            }
        }
    }

    /// The bytes of one array, unpacked.
    fn read(&mut self, mut stream: Stream<'a>, kind: Scalar) -> Result<Cow<'a, [u8]>, Fault> {
        let first = self.read_word(&mut stream, "the length of the array")?;
        if self.packing != Packing::Plain {
            return self.unpack(stream, first, kind).map(Cow::Owned);
        }
        let length = check_room(first, "bytes", stream.room() as u64)?;
        self.grant(length, kind)?;
        stream.take(length, "the rest of the array")
    }

    fn unpack(
        &mut self,
        mut stream: Stream<'a>,
        blocks: u64,
        kind: Scalar,
    ) -> Result<Vec<u8>, Fault> {
        if self.packing == Packing::Lzma {
            let why = "packed with LZMA: write the file again with ZLib, LZ4 or no compressor";
            return Err(Fault::Unsupported(why.to_string()));
        }
        if blocks == 0 {
            return Ok(Vec::new());
        }
        let blocks = check_room(blocks, "blocks", (stream.room() / self.word) as u64)?;
        let full = self.read_word(&mut stream, "the size of a block")?;
        let partial = self.read_word(&mut stream, "the size of the last block")?;
        let mut packed = Vec::with_capacity(blocks);
        for _ in 0..blocks {
            let size = self.read_word(&mut stream, "the packed size of a block")?;
            packed.push(check_room(size, "bytes of a block", stream.room() as u64)?);
        }
        let last = if partial == 0 { full } else { partial };
        let total = full.checked_mul(blocks as u64 - 1).and_then(|all| all.checked_add(last));
        let total = usize::try_from(total.unwrap_or(u64::MAX)).unwrap_or(usize::MAX);
        self.grant(total, kind)?;
        let mut bytes = vec![0; total];
        let mut rest = bytes.as_mut_slice();
        for (block, size) in packed.into_iter().enumerate() {
            let length = if block + 1 == blocks { last } else { full };
            // In range, as the total is.
            let (target, behind) = rest.split_at_mut((length as usize).min(rest.len()));
            let source = stream.take(size, "the rest of a block")?;
            if !self.unpack_block(&source, target) {
                let why = format!("block {block} does not unpack to {length} bytes");
                return Err(Fault::Invalid(why));
            }
            rest = behind;
        }
        Ok(bytes)
    }

    /// Whether a block unpacks to exactly the target.
    fn unpack_block(&self, source: &[u8], target: &mut [u8]) -> bool {
        let length = target.len();
        match self.packing {
            Packing::Zlib => {
                let ignore_checksum = false;
                let source = std::iter::once(source);
                decompress_slice_iter_to_slice(target, source, true, ignore_checksum) == Ok(length)
            }
            Packing::Lz4 => {
                lz4_flex::block::decompress_into(source, target).is_ok_and(|size| size == length)
            }
            Packing::Plain | Packing::Lzma => false,
        }
    }

    /// Grants memory for one array, as long as all of them stay in proportion to the file.
    fn grant(&mut self, bytes: usize, kind: Scalar) -> Result<(), Fault> {
        match self.room.checked_sub(kind.count_in(bytes)) {
            Some(room) => self.room = room,
            None => {
                let why = format!("more than {MOST_GROWTH} numbers for each byte of the file");
                return Err(Fault::Unsupported(why));
            }
        }
        Ok(())
    }

    fn read_word(&self, stream: &mut Stream<'a>, wanted: &str) -> Result<u64, Fault> {
        let mut word = [0; 8];
        let bytes = stream.take(self.word, wanted)?;
        word[..self.word].copy_from_slice(&bytes);
        if self.endian == Endian::Big {
            word[..self.word].reverse();
        }
        Ok(u64::from_le_bytes(word))
    }
}

impl<'a> Stream<'a> {
    /// The most bytes that are left.
    fn room(&self) -> usize {
        match self {
            Stream::Base64(base64) => base64.room(),
            Stream::Raw(bytes) => bytes.len(),
        }
    }

    fn take(&mut self, count: usize, wanted: &str) -> Result<Cow<'a, [u8]>, Fault> {
        match self {
            Stream::Base64(base64) => base64.take(count, wanted).map(Cow::Owned),
            Stream::Raw(bytes) => match bytes.split_at_checked(count) {
                Some((taken, rest)) => {
                    *bytes = rest;
                    Ok(Cow::Borrowed(taken))
                }
                None => Err(Fault::Truncated { wanted: wanted.to_string() }),
            },
        }
    }
}

fn unexpected(node: &Node, wanted: &str, found: &str) -> ParseError {
    let (wanted, found) = (wanted.to_string(), quote(found.as_bytes()));
    ParseError::new(line(node), Fault::Unexpected { wanted, found })
}
