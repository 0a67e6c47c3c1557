//! How trace files are compressed: recognised by content when they are read, by name when they are written.

use std::io::{self, BufReader, Read, Write};
use std::path::Path;

use bzip2::bufread::MultiBzDecoder;
use bzip2::write::BzEncoder;
use flate2::bufread::MultiGzDecoder;
use flate2::write::GzEncoder;
use lzma_rust2::{XzOptions, XzReader, XzWriter};

/// Bytes that are read from the file at a time.
const BUFFER: usize = 256 << 10;
/// Memory in KiB that an xz file may ask for; `xz -9` makes files that ask for 64 MiB.
const MOST_XZ_MEMORY: u32 = 512 << 10;
/// How hard xz compresses: the default of `xz`.
const XZ_PRESET: u32 = 6;

/// How a file is compressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Compression {
    Plain,
    Gzip,
    Zstd,
    Bzip2,
    Xz,
}

/// Ends of file names and what they stand for.
const ENDS: [(&str, Compression); 5] = [
    (".gz", Compression::Gzip),
    (".zst", Compression::Zstd),
    (".zstd", Compression::Zstd),
    (".bz2", Compression::Bzip2),
    (".xz", Compression::Xz),
];

impl Compression {
    /// Bytes at the start of a file that `of_content` looks at.
    pub(crate) const MAGIC: u64 = 6;

    /// What the first bytes of a file say.
    pub(crate) fn of_content(magic: &[u8]) -> Self {
        match magic {
            [0x1f, 0x8b, ..] => Self::Gzip,
            [0x28, 0xb5, 0x2f, 0xfd, ..] => Self::Zstd,
            [b'B', b'Z', b'h', b'1'..=b'9', ..] => Self::Bzip2,
            [0xfd, b'7', b'z', b'X', b'Z', 0, ..] => Self::Xz,
            _ => Self::Plain,
        }
    }

    /// What the name of a file says, and the name without that end, in lower case.
    pub(crate) fn of_name(path: &Path) -> (Self, String) {
        let name = path
            .file_name()
            .map(|name| name.to_string_lossy().to_ascii_lowercase())
            .unwrap_or_default();
        let found = ENDS
            .iter()
            .find_map(|(end, compression)| Some((*compression, name.strip_suffix(end)?.to_owned())));
        found.unwrap_or((Self::Plain, name))
    }

    /// Its name in sentences; `None` where nothing is compressed.
    pub(crate) const fn name(self) -> Option<&'static str> {
        match self {
            Self::Plain => None,
            Self::Gzip => Some("gzip"),
            Self::Zstd => Some("zstd"),
            Self::Bzip2 => Some("bzip2"),
            Self::Xz => Some("xz"),
        }
    }

    /// The bytes that `source` holds, decompressed; members or streams that follow one another are read as one.
    ///
    /// # Errors
    /// A decoder that cannot be made.
    pub(crate) fn decoder(self, source: impl Read + Send + 'static) -> io::Result<Box<dyn Read + Send>> {
        let buffered = |source| BufReader::with_capacity(BUFFER, source);
        Ok(match self {
            Self::Plain => Box::new(source),
            Self::Gzip => Box::new(MultiGzDecoder::new(buffered(source))),
            Self::Zstd => Box::new(zstd::stream::read::Decoder::new(source)?),
            Self::Bzip2 => Box::new(MultiBzDecoder::new(buffered(source))),
            Self::Xz => Box::new(XzReader::new_mem_limit(buffered(source), true, MOST_XZ_MEMORY)),
        })
    }

    /// What is wrong with a file that cannot be read on, as a sentence goes on after its name.
    pub(crate) fn failure(self, error: &io::Error) -> String {
        match (self.name(), error.kind()) {
            (None, _) => format!("cannot be read on: {error}"),
            (Some(name), io::ErrorKind::UnexpectedEof) => {
                format!("the {name} data end too early; is the file complete?")
            }
            (Some(name), io::ErrorKind::OutOfMemory) => format!(
                "the {name} data ask for more than {} MiB of memory; compress the file anew with a smaller dictionary",
                MOST_XZ_MEMORY >> 10
            ),
            (Some(name), _) => format!("the {name} data are damaged ({error})"),
        }
    }
}

/// Compresses what is written to a file.
pub(crate) enum Encoder<W: Write> {
    Plain(W),
    Gzip(GzEncoder<W>),
    Zstd(zstd::stream::write::Encoder<'static, W>),
    Bzip2(BzEncoder<W>),
    // its state is large
    Xz(Box<XzWriter<W>>),
}

impl<W: Write> Encoder<W> {
    /// Begins to write to `file`.
    ///
    /// # Errors
    /// An encoder that cannot be made.
    pub(crate) fn new(compression: Compression, file: W) -> io::Result<Self> {
        Ok(match compression {
            Compression::Plain => Self::Plain(file),
            Compression::Gzip => Self::Gzip(GzEncoder::new(file, flate2::Compression::default())),
            Compression::Zstd => Self::Zstd(zstd::stream::write::Encoder::new(
                file,
                zstd::DEFAULT_COMPRESSION_LEVEL,
            )?),
            Compression::Bzip2 => Self::Bzip2(BzEncoder::new(file, bzip2::Compression::default())),
            Compression::Xz => Self::Xz(Box::new(XzWriter::new(file, XzOptions::with_preset(XZ_PRESET))?)),
        })
    }

    /// Writes what is outstanding.
    ///
    /// # Errors
    /// A file that cannot be written.
    pub(crate) fn finish(self) -> io::Result<W> {
        match self {
            Self::Plain(file) => Ok(file),
            Self::Gzip(encoder) => encoder.finish(),
            Self::Zstd(encoder) => encoder.finish(),
            Self::Bzip2(encoder) => encoder.finish(),
            Self::Xz(encoder) => encoder.finish(),
        }
    }

    fn writer(&mut self) -> &mut dyn Write {
        match self {
            Self::Plain(file) => file,
            Self::Gzip(encoder) => encoder,
            Self::Zstd(encoder) => encoder,
            Self::Bzip2(encoder) => encoder,
            Self::Xz(encoder) => encoder.as_mut(),
        }
    }
}

impl<W: Write> Write for Encoder<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.writer().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.writer().flush()
    }
}
