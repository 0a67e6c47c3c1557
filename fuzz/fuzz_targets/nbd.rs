//! What clients of a live drive send, on arbitrary bytes: the protocol of NBD, the control socket, and streams that are kept.
//! However the bytes are cut in two, the protocol hears the same.

#![no_main]

use libfuzzer_sys::fuzz_target;
use wordline_live::{Export, Session, Step, Stream, parse_wanted};

fn heard(bytes: &[u8], first: usize) -> (Vec<u8>, Vec<String>) {
    let export = Export {
        name: "tiny".to_owned(),
        description: String::new(),
        size: 1 << 20,
        read_only: false,
        preferred: 4096,
    };
    let (mut out, mut log) = (Vec::new(), Vec::new());
    let mut session = Session::greet(export, &mut out);
    let (mut taken, mut known) = (0, first.min(bytes.len()));
    loop {
        match session.next(&bytes[taken..known], &mut out) {
            Ok(Step::More) if known == bytes.len() => break,
            Ok(Step::More) => known = bytes.len(),
            Ok(Step::Done(count)) => taken += count,
            Ok(Step::Request(request, count)) => {
                log.push(format!("{request:?}"));
                taken += count;
            }
            Ok(Step::End) => break,
            Err(error) => {
                log.push(error.to_string());
                break;
            }
        }
    }
    (out, log)
}

fuzz_target!(|bytes: &[u8]| {
    let first = bytes.first().map_or(0, |byte| usize::from(*byte));
    assert_eq!(heard(bytes, first), heard(bytes, bytes.len()));
    _ = parse_wanted(bytes);
    if let Ok(stream) = Stream::read(&mut &*bytes) {
        assert!(stream.entries.len() <= bytes.len());
    }
});
