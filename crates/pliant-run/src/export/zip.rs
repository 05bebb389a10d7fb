//! ZIP files whose entries are stored as they are: what NumPy calls NPZ.
//!
//! After APPNOTE 6.3 of PKWARE: local header and bytes of each entry, then the central directory.
//! Sizes and offsets beyond 32 bits stand in the extra field of ZIP64. The same entries give the
//! same bytes: every entry is dated 1 January 1980, the first day that the format has.

use std::io::{self, Seek, SeekFrom, Write};

/// Version that a reader must know: 4.5 has ZIP64.
const VERSION: u16 = 45;

/// The first day of the format, in its own code.
const DATE: u16 = 1 << 5 | 1;

/// Stands for a number in the extra field.
const ELSEWHERE: u32 = u32::MAX;

/// Where the checksum stands in a local header, bytes.
const CHECKSUM_AT: u64 = 14;

/// One finished entry.
struct Entry {
    name: String,
    checksum: u32,
    size: u64,
    offset: u64,
}

/// A ZIP file that grows.
pub(super) struct Zip<W> {
    out: W,
    entries: Vec<Entry>,
}

/// The bytes of one entry on their way into the file.
pub(super) struct EntryWriter<'a, W> {
    out: &'a mut W,
    hasher: crc32fast::Hasher,
    size: u64,
}

impl<W: Write> Write for EntryWriter<'_, W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.out.write(bytes)?;
        self.hasher.update(&bytes[..written]);
        self.size += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

impl<W: Write + Seek> Zip<W> {
    /// An empty file.
    pub(super) fn new(out: W) -> Zip<W> {
        Zip { out, entries: Vec::new() }
    }

    /// Adds an entry of exactly `size` bytes, which `fill` writes.
    pub(super) fn add<E: From<io::Error>>(
        &mut self,
        name: &str,
        size: u64,
        fill: impl FnOnce(&mut EntryWriter<'_, W>) -> Result<(), E>,
    ) -> Result<(), E> {
        let offset = self.out.stream_position()?;
        let mut head = Vec::new();
        head.extend(0x0403_4b50_u32.to_le_bytes());
        head.extend(common(name, 20));
        head.extend(name.as_bytes());
        // Always there, so that headers have one layout.
        head.extend([1, 0, 16, 0]);
        head.extend([size.to_le_bytes(), size.to_le_bytes()].concat());
        self.out.write_all(&head)?;

        let hasher = crc32fast::Hasher::new();
        let mut entry = EntryWriter { out: &mut self.out, hasher, size: 0 };
        fill(&mut entry)?;
        let (checksum, written) = (entry.hasher.finalize(), entry.size);
        debug_assert_eq!(written, size, "{name}");
        let end = self.out.stream_position()?;
        self.out.seek(SeekFrom::Start(offset + CHECKSUM_AT))?;
        self.out.write_all(&checksum.to_le_bytes())?;
        self.out.seek(SeekFrom::Start(end))?;
        self.entries.push(Entry { name: name.to_string(), checksum, size, offset });
        Ok(())
    }

    /// Writes the directory.
    pub(super) fn finish(mut self) -> io::Result<()> {
        let start = self.out.stream_position()?;
        for entry in &self.entries {
            let mut head = Vec::new();
            head.extend(0x0201_4b50_u32.to_le_bytes());
            head.extend(VERSION.to_le_bytes());
            head.extend(common(&entry.name, 28));
            // No remark, disk 0, no attributes.
            head.extend([0; 10]);
            head.extend(ELSEWHERE.to_le_bytes());
            head[16..20].copy_from_slice(&entry.checksum.to_le_bytes());
            head.extend(entry.name.as_bytes());
            head.extend([1, 0, 24, 0]);
            for number in [entry.size, entry.size, entry.offset] {
                head.extend(number.to_le_bytes());
            }
            self.out.write_all(&head)?;
        }
        let end = self.out.stream_position()?;
        let count = self.entries.len() as u64;
        let mut tail = Vec::new();
        // End of the directory with 64 bits: 44 more bytes, versions, disks, counts, place.
        tail.extend(0x0606_4b50_u32.to_le_bytes());
        tail.extend(44_u64.to_le_bytes());
        tail.extend([VERSION.to_le_bytes(), VERSION.to_le_bytes()].concat());
        tail.extend([0; 8]);
        for number in [count, count, end - start, start] {
            tail.extend(number.to_le_bytes());
        }
        // Where that stands: disk, offset, number of disks.
        tail.extend(0x0706_4b50_u32.to_le_bytes());
        tail.extend([0; 4]);
        tail.extend(end.to_le_bytes());
        tail.extend(1_u32.to_le_bytes());
        // The end that old readers look for: everything is elsewhere, and no remark.
        tail.extend(0x0605_4b50_u32.to_le_bytes());
        tail.extend([0; 4]);
        tail.extend([0xff; 12]);
        tail.extend([0; 2]);
        self.out.write_all(&tail)
    }
}

/// What local headers and the directory have in common, from the version to the extra length.
fn common(name: &str, extra: u16) -> Vec<u8> {
    let mut head = Vec::new();
    head.extend(VERSION.to_le_bytes());
    // No flags, stored, at midnight.
    head.extend([0; 6]);
    head.extend(DATE.to_le_bytes());
    // The checksum is put in later.
    head.extend([0; 4]);
    head.extend([ELSEWHERE.to_le_bytes(), ELSEWHERE.to_le_bytes()].concat());
    head.extend((name.len() as u16).to_le_bytes());
    head.extend(extra.to_le_bytes());
    head
}
