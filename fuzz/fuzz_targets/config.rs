//! The drive-configuration loader on arbitrary text: it is resolved or refused, and what is resolved
//! resolves to the same again.

#![no_main]

use libfuzzer_sys::fuzz_target;
use wordline_config::{DriveSource, resolve};

fuzz_target!(|text: &str| {
    if let Ok(resolved) = resolve(DriveSource::Text(text), None, &[]) {
        let again = resolve(DriveSource::Text(&resolved.toml), None, &[]).expect("its own text is accepted");
        assert_eq!(again.hash, resolved.hash);
    }
});
