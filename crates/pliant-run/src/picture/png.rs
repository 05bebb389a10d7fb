//! PNG files: eight bits each of red, green and blue, marked as sRGB.
//!
//! Each row takes the filter with the smallest sum of differences. The same image gives the
//! same bytes on every platform: filters and compression are integer arithmetic.

use png::{BitDepth, ColorType, Compression, Encoder, EncodingError, SrgbRenderingIntent};

use super::Image;

/// Bytes of a pixel.
const PIXEL: usize = 3;

/// The picture as the bytes of a PNG file.
///
/// Pixels that a damaged image lacks are black. PNG has no empty images: a side of zero
/// becomes one of one pixel.
pub fn png(image: &Image) -> Vec<u8> {
    let mut file = Vec::new();
    let done = encode(image, &mut file);
    // The encoder fails on empty sides, on data of another size and on a writer that fails;
    // a vector does not.
    debug_assert!(done.is_ok(), "{:?}: {done:?}", image.size);
    file
}

fn encode(image: &Image, file: &mut Vec<u8>) -> Result<(), EncodingError> {
    let [width, height] = image.size.map(|side| side.max(1));
    let mut bytes = image.pixels.concat();
    bytes.resize(PIXEL * width as usize * height as usize, 0);
    let mut encoder = Encoder::new(file, width, height);
    encoder.set_color(ColorType::Rgb);
    encoder.set_depth(BitDepth::Eight);
    encoder.set_compression(Compression::Balanced);
    encoder.set_source_srgb(SrgbRenderingIntent::Perceptual);
    let mut writer = encoder.write_header()?;
    writer.write_image_data(&bytes)?;
    writer.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Kinds and contents of all chunks.
    fn chunks(file: &[u8]) -> Vec<([u8; 4], Vec<u8>)> {
        assert_eq!(file[..8], *b"\x89PNG\r\n\x1a\n");
        let (mut rest, mut found) = (&file[8..], Vec::new());
        while !rest.is_empty() {
            let size = u32::from_be_bytes(rest[..4].try_into().unwrap()) as usize;
            found.push((rest[4..8].try_into().unwrap(), rest[8..8 + size].to_vec()));
            rest = &rest[12 + size..];
        }
        found
    }

    /// The size and the pixels of a file, its check sums verified.
    fn decoded(file: &[u8]) -> ([u32; 2], Vec<[u8; 3]>) {
        let mut decoder = png::Decoder::new(std::io::Cursor::new(file));
        decoder.ignore_checksums(false);
        let mut reader = decoder.read_info().unwrap();
        assert_eq!(reader.output_color_type(), (ColorType::Rgb, BitDepth::Eight));
        let mut bytes = vec![0; reader.output_buffer_size().unwrap()];
        reader.next_frame(&mut bytes).unwrap();
        let pixels = bytes.chunks_exact(PIXEL).map(|p| [p[0], p[1], p[2]]).collect();
        ([reader.info().width, reader.info().height], pixels)
    }

    fn image(size: [u32; 2], colour: impl Fn(u32) -> [u8; 3]) -> Image {
        Image { size, pixels: (0..size[0] * size[1]).map(colour).collect(), notices: vec![] }
    }

    #[track_caller]
    fn check(size: [u32; 2], colour: impl Fn(u32) -> [u8; 3]) {
        let image = image(size, colour);
        assert_eq!(decoded(&png(&image)), (size, image.pixels));
    }

    #[test]
    fn files_hold_the_pixels_whatever_filter_suits_them() {
        check([1, 1], |_| [1, 2, 3]);
        check([7, 5], |k| [k as u8, (3 * k) as u8, 255 - k as u8]);
        check([64, 3], |k| [(k / 64) as u8; 3]);
        check([31, 33], |k| [(k.wrapping_mul(2_654_435_761) >> 13) as u8, (k % 31) as u8, 0]);
    }

    #[test]
    fn a_file_says_what_it_holds_and_that_it_is_srgb() {
        let chunks = chunks(&png(&image([300, 2], |k| [k as u8; 3])));
        let kinds: Vec<_> = chunks.iter().map(|(kind, _)| kind).collect();
        assert_eq!(kinds, [b"IHDR", b"sRGB", b"IDAT", b"IEND"]);
        // Width and height, eight bits, red green blue, no interlacing; 0 is perceptual.
        assert_eq!(chunks[0].1, [0, 0, 1, 44, 0, 0, 0, 2, 8, 2, 0, 0, 0]);
        assert_eq!(chunks[1].1, [0]);
    }

    #[test]
    fn the_same_image_gives_the_same_bytes_and_smooth_ones_few() {
        let smooth = |k: u32| [(k % 256) as u8, (k / 256) as u8, ((k % 256 + k / 256) / 2) as u8];
        let image = image([256, 256], smooth);
        let file = png(&image);
        assert_eq!(file, png(&image.clone()));
        // Rows differ by constants: 196608 bytes without filters and compression.
        assert!(file.len() < 4096, "{}", file.len());
    }

    #[test]
    fn a_damaged_image_is_filled_up() {
        let image = Image { size: [2, 2], pixels: vec![[9; 3]], notices: vec![] };
        let filled = vec![[9; 3], [0; 3], [0; 3], [0; 3]];
        assert_eq!(decoded(&png(&image)), ([2, 2], filled));
        let empty = Image { size: [0, 0], pixels: vec![], notices: vec![] };
        assert_eq!(chunks(&png(&empty)).len(), 4);
        assert_eq!(decoded(&png(&empty)), ([1, 1], vec![[0; 3]]));
    }
}
