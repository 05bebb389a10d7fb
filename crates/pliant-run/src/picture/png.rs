//! PNG files: signature, header, one packed stream of filtered rows, end.
//!
//! Written by hand on the packer that the readers of meshes bring along: three kinds of
//! chunk, one kind of pixel. Each row takes the filter with the smallest sum of
//! differences, as the format's authors advise.

use miniz_oxide::deflate::compress_to_vec_zlib;

use super::Image;

/// What a PNG file begins with.
const SIGNATURE: [u8; 8] = [0x89, b'P', b'N', b'G', 0x0d, 0x0a, 0x1a, 0x0a];

/// Eight bits, red green blue, the only packing, the only filters, rows in order.
const KIND: [u8; 5] = [8, 2, 0, 0, 0];

/// How hard the packer works, of 10.
const LEVEL: u8 = 6;

/// Bytes of a pixel.
const PIXEL: usize = 3;

/// The picture as the bytes of a PNG file.
///
/// Pixels that a damaged image lacks are black.
pub fn png(image: &Image) -> Vec<u8> {
    let [width, height] = image.size;
    let mut header = Vec::new();
    header.extend(width.to_be_bytes());
    header.extend(height.to_be_bytes());
    header.extend(KIND);
    let mut file = SIGNATURE.to_vec();
    chunk(&mut file, *b"IHDR", &header);
    chunk(&mut file, *b"sRGB", &[0]);
    chunk(&mut file, *b"IDAT", &compress_to_vec_zlib(&rows(image), LEVEL));
    chunk(&mut file, *b"IEND", &[]);
    file
}

fn chunk(file: &mut Vec<u8>, kind: [u8; 4], data: &[u8]) {
    file.extend((data.len() as u32).to_be_bytes());
    let start = file.len();
    file.extend(kind);
    file.extend(data);
    let check = crc32(&file[start..]);
    file.extend(check.to_be_bytes());
}

/// All rows, each behind the number of its filter.
fn rows(image: &Image) -> Vec<u8> {
    let [width, height] = image.size.map(|side| side as usize);
    let mut bytes = image.pixels.concat();
    bytes.resize(PIXEL * width * height, 0);
    let mut packed = Vec::with_capacity(bytes.len() + height);
    let mut above = vec![0; PIXEL * width];
    let mut best = Vec::new();
    let mut trial = Vec::new();
    for row in bytes.chunks_exact((PIXEL * width).max(1)) {
        let mut least = u64::MAX;
        for filter in 0..5 {
            filtered(filter, row, &above, &mut trial);
            let size = trial[1..].iter().map(|&byte| u64::from((byte as i8).unsigned_abs())).sum();
            if size < least {
                least = size;
                std::mem::swap(&mut best, &mut trial);
            }
        }
        packed.extend(&best);
        above.copy_from_slice(row);
    }
    packed
}

/// A row as differences to what `predicted` says of each byte.
fn filtered(filter: u8, row: &[u8], above: &[u8], into: &mut Vec<u8>) {
    into.clear();
    into.push(filter);
    into.extend((0..row.len()).map(|k| {
        let (left, corner) = if k < PIXEL { (0, 0) } else { (row[k - PIXEL], above[k - PIXEL]) };
        row[k].wrapping_sub(predicted(filter, left, above[k], corner))
    }));
}

/// What a filter expects of a byte from those to its left, above it and between.
fn predicted(filter: u8, left: u8, above: u8, corner: u8) -> u8 {
    match filter {
        1 => left,
        2 => above,
        3 => u8::midpoint(left, above),
        4 => {
            let [a, b, c] = [left, above, corner].map(i16::from);
            let away = [(b - c).abs(), (a - c).abs(), (a + b - 2 * c).abs()];
            match away {
                [to_left, to_above, to_corner] if to_left <= to_above && to_left <= to_corner => {
                    left
                }
                [_, to_above, to_corner] if to_above <= to_corner => above,
                _ => corner,
            }
        }
        _ => 0,
    }
}

/// The check sum of chunks: CRC-32 with the reflected polynomial 0x04c11db7.
fn crc32(bytes: &[u8]) -> u32 {
    const TABLE: [u32; 256] = table();
    let step = |sum: u32, byte: &u8| TABLE[((sum ^ u32::from(*byte)) & 255) as usize] ^ (sum >> 8);
    !bytes.iter().fold(!0, step)
}

const fn table() -> [u32; 256] {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        let mut sum = byte as u32;
        let mut bit = 0;
        while bit < 8 {
            sum = if sum & 1 == 1 { 0xedb8_8320 ^ (sum >> 1) } else { sum >> 1 };
            bit += 1;
        }
        table[byte] = sum;
        byte += 1;
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;
    use miniz_oxide::inflate::decompress_to_vec_zlib;

    /// Kinds and contents of all chunks, check sums verified.
    fn chunks(file: &[u8]) -> Vec<([u8; 4], Vec<u8>)> {
        assert_eq!(file[..8], SIGNATURE);
        let (mut rest, mut found) = (&file[8..], Vec::new());
        while !rest.is_empty() {
            let size = u32::from_be_bytes(rest[..4].try_into().unwrap()) as usize;
            let sum = u32::from_be_bytes(rest[8 + size..12 + size].try_into().unwrap());
            assert_eq!(sum, crc32(&rest[4..8 + size]));
            found.push((rest[4..8].try_into().unwrap(), rest[8..8 + size].to_vec()));
            rest = &rest[12 + size..];
        }
        found
    }

    /// The pixels of a file, by the inverse of every filter.
    fn decoded(file: &[u8]) -> ([u32; 2], Vec<[u8; 3]>) {
        let chunks = chunks(file);
        let kinds: Vec<_> = chunks.iter().map(|(kind, _)| kind).collect();
        assert_eq!(kinds, [b"IHDR", b"sRGB", b"IDAT", b"IEND"]);
        let header = &chunks[0].1;
        let side = |k: usize| u32::from_be_bytes(header[4 * k..4 * k + 4].try_into().unwrap());
        let width = PIXEL * side(0) as usize;
        let packed = decompress_to_vec_zlib(&chunks[2].1).unwrap();
        let mut bytes: Vec<u8> = Vec::new();
        for row in packed.chunks_exact(width + 1) {
            let start = bytes.len();
            for k in 0..width {
                let at =
                    |back: usize, inside: bool| if inside { bytes[start + k - back] } else { 0 };
                let left = at(PIXEL, k >= PIXEL);
                let above = at(width, start > 0);
                let corner = at(width + PIXEL, k >= PIXEL && start > 0);
                bytes.push(row[k + 1].wrapping_add(predicted(row[0], left, above, corner)));
            }
        }
        let pixels = bytes.chunks_exact(3).map(|p| [p[0], p[1], p[2]]).collect();
        ([side(0), side(1)], pixels)
    }

    #[track_caller]
    fn check(size: [u32; 2], colour: impl Fn(u32) -> [u8; 3]) {
        let pixels: Vec<[u8; 3]> = (0..size[0] * size[1]).map(colour).collect();
        let image = Image { size, pixels: pixels.clone(), notices: vec![] };
        assert_eq!(decoded(&png(&image)), (size, pixels));
    }

    #[test]
    fn the_check_sum_is_the_known_one() {
        assert_eq!(crc32(b"123456789"), 0xcbf4_3926);
        assert_eq!(crc32(b"IEND"), 0xae42_6082); // as every PNG file ends
    }

    #[test]
    fn files_hold_the_pixels_whatever_filter_suits_them() {
        check([1, 1], |_| [1, 2, 3]);
        check([7, 5], |k| [k as u8, (3 * k) as u8, 255 - k as u8]);
        check([64, 3], |k| [(k / 64) as u8; 3]);
        check([31, 33], |k| [(k.wrapping_mul(2_654_435_761) >> 13) as u8, (k % 31) as u8, 0]);
    }

    #[test]
    fn paeth_takes_the_nearest_of_three_and_left_in_doubt() {
        assert_eq!(predicted(4, 10, 20, 20), 10); // 10 + 20 − 20
        assert_eq!(predicted(4, 10, 20, 10), 20);
        assert_eq!(predicted(4, 10, 30, 20), 20); // 20 is the corner itself
        assert_eq!(predicted(4, 5, 5, 5), 5);
        assert_eq!(predicted(3, 255, 254, 0), 254);
    }

    #[test]
    fn a_damaged_image_is_filled_up() {
        let image = Image { size: [2, 2], pixels: vec![[9; 3]], notices: vec![] };
        let filled = vec![[9; 3], [0; 3], [0; 3], [0; 3]];
        assert_eq!(decoded(&png(&image)), ([2, 2], filled));
        let empty = Image { size: [0, 0], pixels: vec![], notices: vec![] };
        assert_eq!(chunks(&png(&empty)).len(), 4);
    }
}
