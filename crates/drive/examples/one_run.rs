//! One run and nothing else, for those who count its instructions (`make speed`): `one_run DRIVE key=value ...`. Prints requests and page operations.
#![allow(clippy::print_stdout, reason = "a program that prints its findings")]

use std::path::Path;

use wordline_config::{DriveSource, resolve};
use wordline_drive::{RunOptions, run};

type Anything = Box<dyn std::error::Error>;

fn main() -> Result<(), Anything> {
    let mut arguments = std::env::args().skip(1);
    let drive = arguments
        .next()
        .ok_or("accepted is the name of a drive, then keys")?;
    let keys: Vec<(String, String)> = arguments
        .map(|key| {
            let pair = key.split_once('=');
            pair.map(|(key, value)| (key.to_owned(), value.to_owned()))
                .ok_or(format!("{key}: accepted are keys with values, key=value"))
        })
        .collect::<Result<_, _>>()?;
    let config = resolve(DriveSource::Named(&drive), None, &keys)?.config;
    let output = run(&config, Path::new("."), RunOptions::default(), &mut |_| true)?;
    println!("{:?}", output.summary.get("host.all.count"));
    Ok(())
}
