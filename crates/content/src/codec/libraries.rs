//! Compressors of libraries.

use bzip2::{Action, Compress, Compression, Decompress, Status};
use zstd::bulk;

use super::{Codec, Compressor, Corrupt};

/// Zstandard's fastest ordinary level: what a controller could afford, if any (assumed).
const LEVEL: i32 = 1;

/// LZ4, as a block without a frame.
pub(super) struct Lz4;

impl Compressor for Lz4 {
    fn compress(&mut self, input: &[u8], output: &mut Vec<u8>) {
        output.extend_from_slice(&lz4_flex::block::compress(input));
    }

    fn decompress(&mut self, input: &[u8], length: usize, output: &mut Vec<u8>) -> Result<(), Corrupt> {
        let bytes = lz4_flex::block::decompress(input, length)
            .map_err(|_| Corrupt("LZ4: damaged, or more than a page"))?;
        output.extend_from_slice(&bytes);
        Ok(())
    }
}

/// Snappy, as a block without a frame.
pub(super) struct Snappy;

impl Compressor for Snappy {
    fn compress(&mut self, input: &[u8], output: &mut Vec<u8>) {
        // refused are inputs of 4 GiB and more only; a codec that gives nothing shorter has its page kept whole
        match snap::raw::Encoder::new().compress_vec(input) {
            Ok(bytes) => output.extend_from_slice(&bytes),
            Err(_) => output.extend_from_slice(input),
        }
    }

    fn decompress(&mut self, input: &[u8], length: usize, output: &mut Vec<u8>) -> Result<(), Corrupt> {
        let damaged = |_| Corrupt("Snappy: damaged");
        if snap::raw::decompress_len(input).map_err(damaged)? > length {
            return Err(Corrupt("Snappy: more than a page"));
        }
        let bytes = snap::raw::Decoder::new().decompress_vec(input).map_err(damaged)?;
        output.extend_from_slice(&bytes);
        Ok(())
    }
}

/// Bzip2, a stream of one block.
pub(super) struct Bzip2;

/// Bytes that a stream of Bzip2 is longer than its input at most, beside a hundredth of that.
const BZIP2_MARGIN: usize = 600;

impl Compressor for Bzip2 {
    fn compress(&mut self, input: &[u8], output: &mut Vec<u8>) {
        let mut bytes = vec![0; input.len() + input.len() / 100 + BZIP2_MARGIN];
        let mut stream = Compress::new(Compression::fast(), 0);
        match stream.compress(input, &mut bytes, Action::Finish) {
            Ok(Status::StreamEnd) => output.extend_from_slice(&bytes[..stream.total_out() as usize]),
            // there is always room; a codec that gives nothing shorter has its page kept whole
            _ => output.extend_from_slice(input),
        }
    }

    fn decompress(&mut self, input: &[u8], length: usize, output: &mut Vec<u8>) -> Result<(), Corrupt> {
        // a byte more than a page shows that it is more
        let mut bytes = vec![0; length + 1];
        let mut stream = Decompress::new(false);
        let ended = stream.decompress(input, &mut bytes);
        let found = stream.total_out() as usize;
        if !matches!(ended, Ok(Status::StreamEnd)) || found > length {
            return Err(Corrupt("Bzip2: damaged, or more than a page"));
        }
        output.extend_from_slice(&bytes[..found]);
        Ok(())
    }
}

/// Zstandard, as a frame.
pub(super) struct Zstd;

impl Compressor for Zstd {
    fn compress(&mut self, input: &[u8], output: &mut Vec<u8>) {
        put_frame(bulk::Compressor::new(LEVEL), input, output);
    }

    fn decompress(&mut self, input: &[u8], length: usize, output: &mut Vec<u8>) -> Result<(), Corrupt> {
        take_frame(bulk::Decompressor::new(), input, length, output)
    }
}

/// Zstandard with the old version of the page as dictionary.
pub(super) struct ZstdOfOld;

impl Codec for ZstdOfOld {
    fn encode(&mut self, old: &[u8], new: &[u8], delta: &mut Vec<u8>) {
        put_frame(bulk::Compressor::with_dictionary(LEVEL, old), new, delta);
    }

    fn decode(&mut self, old: &[u8], delta: &[u8], new: &mut Vec<u8>) -> Result<(), Corrupt> {
        take_frame(bulk::Decompressor::with_dictionary(old), delta, old.len(), new)
    }
}

/// A library that has no memory leaves the input as it is; the page is kept whole then.
fn put_frame(library: std::io::Result<bulk::Compressor<'_>>, input: &[u8], output: &mut Vec<u8>) {
    match library.and_then(|mut library| library.compress(input)) {
        Ok(bytes) => output.extend_from_slice(&bytes),
        Err(_) => output.extend_from_slice(input),
    }
}

fn take_frame(
    library: std::io::Result<bulk::Decompressor<'_>>,
    input: &[u8],
    length: usize,
    output: &mut Vec<u8>,
) -> Result<(), Corrupt> {
    let bytes = library
        .and_then(|mut library| library.decompress(input, length))
        .map_err(|_| Corrupt("Zstandard: damaged, or more than a page"))?;
    output.extend_from_slice(&bytes);
    Ok(())
}

/// No compression.
pub(super) struct Raw;

impl Codec for Raw {
    fn encode(&mut self, _old: &[u8], new: &[u8], delta: &mut Vec<u8>) {
        delta.extend_from_slice(new);
    }

    fn decode(&mut self, _old: &[u8], delta: &[u8], new: &mut Vec<u8>) -> Result<(), Corrupt> {
        new.extend_from_slice(delta);
        Ok(())
    }
}
