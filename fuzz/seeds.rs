//! Writes the first inputs of every target: `seeds FOLDER` makes a folder of inputs per target in it.
//!
//! It is built with the targets, so that libFuzzer must be in it, whose program ends when this one's
//! work is done.

#![no_main]

use std::error::Error;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use libfuzzer_sys::fuzz_target;
use wordline_config::{DriveSource, presets, resolve};
use wordline_drive::{RunOptions, run};
use wordline_workload::{Format, fio_options, formats};

/// First bytes of inputs: strict and lenient reading.
const OPTIONS: [u8; 2] = [2, 3];

fuzz_target!(init: write_and_end(), |_input: &[u8]| {});

fn write_and_end() {
    let written = write_seeds();
    if let Err(error) = &written {
        eprintln!("seeds: {error}");
    }
    std::process::exit(i32::from(written.is_err()));
}

fn write_seeds() -> Result<(), Box<dyn Error>> {
    let folder = PathBuf::from(std::env::args_os().nth(1).ok_or("a folder is expected")?);
    let seed = |target: &str, name: &str, content: &[u8]| -> Result<(), Box<dyn Error>> {
        let folder = folder.join(target);
        fs::create_dir_all(&folder)?;
        Ok(fs::write(folder.join(name), content)?)
    };
    for format in formats() {
        let example = example(format);
        for options in OPTIONS {
            let input = [&[options], example.as_slice()].concat();
            seed(
                &format!("trace-{}", format.name),
                &format!("example-{options}"),
                &input,
            )?;
            seed("trace-recognised", &format!("{}-{options}", format.name), &input)?;
        }
        for (name, compressed) in compressed(&example)? {
            let input = [&OPTIONS[..1], &compressed].concat();
            seed("trace-recognised", &format!("{}-{name}", format.name), &input)?;
        }
    }
    for preset in presets() {
        let resolved = resolve(DriveSource::Named(preset.name), None, &[])?;
        seed("config", preset.name, resolved.toml.as_bytes())?;
    }
    seed("fio", "jobs", include_bytes!("jobs.fio"))?;
    for option in fio_options() {
        let job = format!("[job]\nfilename=/dev/x\n{}=1\n", option.name);
        seed("fio", option.name, job.as_bytes())?;
    }
    let go = b"\0\0\0\x03IHAVEOPT\0\0\0\x07\0\0\0\x0a\0\0\0\x04tiny\0\0";
    let read = b"\x25\x60\x95\x13\0\0\0\0\0\0\0\0\0\0\0\x01\0\0\0\0\0\0\0\0\0\0\x02\0";
    seed("nbd", "handshake", &[&go[..], read].concat())?;
    seed("nbd", "control", br#"{"do": "report", "to": "somewhere"}"#)?;
    let mark = [
        &b"WLASKED2"[..],
        &[0, 0, 16, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0],
        &[0; 8],
        &[255, 0],
        &[0; 16],
        &[2, 0, 0, 0, 0, 0, 0, 0],
        b"17",
    ];
    seed("nbd", "stream", &mark.concat())?;
    seed("snapshot", "state", &[&[0], state()?.as_slice()].concat())
}

/// `bytes` in every compression that traces are read from, by its name.
fn compressed(bytes: &[u8]) -> Result<[(&'static str, Vec<u8>); 4], Box<dyn Error>> {
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    gzip.write_all(bytes)?;
    let mut bzip2 = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::fast());
    bzip2.write_all(bytes)?;
    let mut xz = lzma_rust2::XzWriter::new(Vec::new(), lzma_rust2::XzOptions::with_preset(0))?;
    xz.write_all(bytes)?;
    Ok([
        ("gzip", gzip.finish()?),
        ("zstd", zstd::encode_all(bytes, 1)?),
        ("bzip2", bzip2.finish()?),
        ("xz", xz.finish()?),
    ])
}

/// The bytes of a format's example.
fn example(format: &Format) -> Vec<u8> {
    if !format.binary {
        return format!("{}\n", format.example).into_bytes();
    }
    let digits: Vec<u8> = format.example.bytes().filter(u8::is_ascii_hexdigit).collect();
    digits
        .chunks(2)
        .filter_map(|pair| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok())
        .collect()
}

/// The front of a snapshot of the drive in `drive.toml`, and what it holds.
fn state() -> Result<Vec<u8>, Box<dyn Error>> {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("state");
    let options = RunOptions {
        save_state: Some(path.clone()),
        ..RunOptions::default()
    };
    let drive = resolve(DriveSource::Text(include_str!("drive.toml")), None, &[])?;
    run(&drive.config, Path::new("."), options, &mut |_| true)?;
    let file = fs::read(path)?;
    let (front, rest) = file.split_at_checked(12).ok_or("a snapshot")?;
    let packed = rest.get(..rest.len().saturating_sub(4)).ok_or("a snapshot")?;
    Ok([front, &zstd::decode_all(packed)?].concat())
}
