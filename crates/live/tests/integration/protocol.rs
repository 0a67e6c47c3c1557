//! What a server says, byte by byte, held against the specification of NBD, and against any way in which bytes may come.

use proptest::prelude::*;
use wordline_live::{Command, Export, ProtocolError, Request, Session, Step};

const OPTION: &[u8] = b"IHAVEOPT";

fn export() -> Export {
    Export {
        name: "tiny".to_owned(),
        description: "a drive".to_owned(),
        size: 1 << 20,
        read_only: false,
        preferred: 4096,
    }
}

fn greeted() -> (Session, Vec<u8>) {
    let mut out = Vec::new();
    let session = Session::greet(export(), &mut out);
    (session, out)
}

fn option(kind: u32, data: &[u8]) -> Vec<u8> {
    [
        OPTION,
        &kind.to_be_bytes(),
        &(data.len() as u32).to_be_bytes(),
        data,
    ]
    .concat()
}

/// `NBD_OPT_GO` for an export, with these items of information.
fn go(name: &[u8], items: &[u16]) -> Vec<u8> {
    let items_bytes: Vec<u8> = items.iter().flat_map(|item| item.to_be_bytes()).collect();
    let count = (items.len() as u16).to_be_bytes();
    let data = [&(name.len() as u32).to_be_bytes()[..], name, &count, &items_bytes].concat();
    option(7, &data)
}

fn request(flags: u16, kind: u16, cookie: u64, offset: u64, length: u32) -> Vec<u8> {
    let mut bytes = 0x2560_9513_u32.to_be_bytes().to_vec();
    bytes.extend(flags.to_be_bytes());
    bytes.extend(kind.to_be_bytes());
    bytes.extend(cookie.to_be_bytes());
    bytes.extend(offset.to_be_bytes());
    bytes.extend(length.to_be_bytes());
    bytes
}

/// Feeds bytes in pieces of these lengths; what was said, the requests with their data, and how it ended.
type Heard = (Vec<u8>, Vec<(Request, Vec<u8>)>, Result<bool, ProtocolError>);

fn heard(bytes: &[u8], pieces: &[usize]) -> Heard {
    let (mut session, mut out) = greeted();
    let (mut requests, mut input) = (Vec::new(), Vec::new());
    let mut pieces = pieces.iter().copied().cycle();
    let mut left = bytes;
    loop {
        match session.next(&input, &mut out) {
            Ok(Step::More) if left.is_empty() => return (out, requests, Ok(false)),
            Ok(Step::More) => {
                let (now, later) = left.split_at(pieces.next().unwrap().clamp(1, left.len()));
                input.extend(now);
                left = later;
            }
            Ok(Step::Done(bytes)) => drop(input.drain(..bytes)),
            Ok(Step::Request(request, bytes)) => {
                let data: Vec<u8> = input.drain(..bytes).skip(28).collect();
                requests.push((request, data));
            }
            Ok(Step::End) => return (out, requests, Ok(true)),
            Err(error) => return (out, requests, Err(error)),
        }
    }
}

/// The greeting is `NBDMAGIC`, `IHAVEOPT` and the flags "fixed newstyle" and "no zeroes".
#[test]
fn the_greeting_is_that_of_fixed_newstyle() {
    let (_, out) = greeted();
    assert_eq!(out, [&b"NBDMAGICIHAVEOPT"[..], &[0, 3]].concat());
}

/// An export that is asked for with `NBD_OPT_GO` is described: the information that every client gets, what it asked for, and the acknowledgement.
#[test]
fn an_export_is_described_and_then_used() {
    let bytes = [
        &3_u32.to_be_bytes()[..],
        &go(b"tiny", &[3]),
        &request(1, 1, 77, 4096, 3),
        b"abc",
        &request(0, 2, 0, 0, 0),
    ]
    .concat();
    let (out, requests, end) = heard(&bytes, &[1000]);
    let answer = |answer: u32, data: &[u8]| {
        let length = (data.len() as u32).to_be_bytes();
        [
            &0x0003_e889_0455_65a9_u64.to_be_bytes()[..],
            &[0, 0, 0, 7],
            &answer.to_be_bytes(),
            &length,
            data,
        ]
        .concat()
    };
    // flags: has flags, flush, FUA, TRIM, zeroes, "do not fragment", several connections
    let flags: u16 = 0b1_1110_1101;
    let export = [&[0, 0][..], &(1_u64 << 20).to_be_bytes(), &flags.to_be_bytes()].concat();
    let sizes = [
        &[0, 3][..],
        &1_u32.to_be_bytes(),
        &4096_u32.to_be_bytes(),
        &(32_u32 << 20).to_be_bytes(),
    ]
    .concat();
    let expected = [answer(3, &export), answer(3, &sizes), answer(1, &[])].concat();
    assert_eq!(out[18..], expected);
    let write = Request {
        command: Command::Write,
        fua: true,
        no_hole: false,
        has_strange_flags: false,
        cookie: 77,
        offset: 4096,
        length: 3,
    };
    assert_eq!(requests, [(write, b"abc".to_vec())]);
    assert_eq!(end, Ok(true));
}

/// An unknown export is refused, so that the client can ask for another; so is an option that nobody knows, and one with a length that does not fit.
#[test]
fn what_is_refused_leaves_the_client_there() {
    let kind_of = |option: &[u8]| {
        let bytes = [&3_u32.to_be_bytes()[..], option, &go(b"", &[])].concat();
        let (out, _, end) = heard(&bytes, &[7]);
        assert_eq!(end, Ok(false));
        // the last answer acknowledges the second option
        assert_eq!(out[out.len() - 12..][..8], [0, 0, 0, 7, 0, 0, 0, 1], "{out:?}");
        u32::from_be_bytes(out[30..34].try_into().unwrap())
    };
    assert_eq!(kind_of(&go(b"other", &[])), (1 << 31) + 6);
    assert_eq!(kind_of(&option(5, b"")), (1 << 31) + 1);
    assert_eq!(kind_of(&option(3, b"x")), (1 << 31) + 3);
    assert_eq!(kind_of(&option(7, &[0, 0, 0, 9, b'x', 0, 0])), (1 << 31) + 3);
    assert_eq!(kind_of(&option(6, &[0xff; 40])), (1 << 31) + 3);
}

/// Where nobody could say any more where the next message begins, the connection ends with the reason.
#[test]
fn what_cannot_be_understood_ends_the_connection() {
    let end_of = |bytes: &[u8]| heard(bytes, &[100]).2;
    let flags = 3_u32.to_be_bytes();
    assert_eq!(end_of(&[0, 0, 0, 4]), Err(ProtocolError::Flags(4)));
    assert_eq!(
        end_of(&[&flags[..], b"GET / HTTP/1.1\r\n\r\n"].concat()),
        Err(ProtocolError::Option(u64::from_be_bytes(*b"GET / HT")))
    );
    let long = [&flags[..], OPTION, &[0, 0, 0, 7], &u32::MAX.to_be_bytes()].concat();
    assert_eq!(end_of(&long), Err(ProtocolError::LongOption(u32::MAX)));
    let begun = [&flags[..], &go(b"", &[])].concat();
    let with = |more: &[u8]| [begun.as_slice(), more].concat();
    assert_eq!(end_of(&with(&[0; 28])), Err(ProtocolError::Request(0)));
    let long = request(0, 1, 0, 0, (32 << 20) + 1);
    assert_eq!(
        end_of(&with(&long)),
        Err(ProtocolError::LongWrite((32 << 20) + 1))
    );
    let unknown = [&flags[..], &option(1, b"other")].concat();
    assert!(matches!(end_of(&unknown), Err(ProtocolError::Export(name, _)) if name == "other"));
}

/// The old way in: size and flags without an acknowledgement, and 124 zeroes unless the client does without.
#[test]
fn export_name_is_answered_as_it_always_was() {
    let bytes = |flags: u32| [&flags.to_be_bytes()[..], &option(1, b"tiny")].concat();
    let (with, without) = (heard(&bytes(1), &[9]).0, heard(&bytes(3), &[9]).0);
    assert_eq!((with.len(), without.len()), (18 + 10 + 124, 18 + 10));
    assert_eq!(with[18..26], (1_u64 << 20).to_be_bytes());
    assert!(with[28..].iter().all(|byte| *byte == 0));
}

fn message() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        prop::collection::vec(any::<u8>(), 0..40),
        (0..12_u32, prop::collection::vec(any::<u8>(), 0..20)).prop_map(|(kind, data)| option(kind, &data)),
        (
            prop_oneof![Just(""), Just("tiny"), Just("x")],
            prop::collection::vec(0..5_u16, 0..4)
        )
            .prop_map(|(name, items)| go(name.as_bytes(), &items)),
        (0..4_u16, 0..9_u16, any::<u64>(), any::<u64>(), 0..40_u32).prop_map(
            |(flags, kind, cookie, offset, length)| {
                let data = if kind == 1 { length as usize } else { 0 };
                [request(flags, kind, cookie, offset, length), vec![7; data]].concat()
            }
        ),
    ]
}

proptest! {
    /// However bytes are cut into pieces, the same is said and understood.
    #[test]
    fn it_does_not_matter_how_bytes_come(
        messages in prop::collection::vec(message(), 0..8),
        pieces in prop::collection::vec(1..50_usize, 1..10),
    ) {
        let bytes = [3_u32.to_be_bytes().to_vec(), messages.concat()].concat();
        prop_assert_eq!(heard(&bytes, &pieces), heard(&bytes, &[bytes.len()]));
    }
}

/// A stream that is kept is read as it was written, and one that is cut short or changed is refused with its place.
#[test]
fn a_stream_is_read_as_it_was_written() {
    use wordline_live::{Ask, Entry, Stream};
    use wordline_units::SimTime;
    use wordline_workload::HostOp;

    let ask = |op, offset, length, data: &[u8]| {
        let ask = Ask {
            op,
            fua: op == HostOp::Write,
            offset,
            length,
        };
        Entry::Ask(ask, data.into())
    };
    let stream = Stream {
        size: 4096,
        entries: vec![
            (SimTime(5), ask(HostOp::Write, 512, 3, b"abc")),
            (SimTime(5), Entry::Mark("17 is there".into())),
            (SimTime(7), Entry::Answer(0)),
            (SimTime(9), ask(HostOp::Trim, 0, 4096, b"")),
            (SimTime(9), ask(HostOp::Flush, 0, 0, b"")),
        ],
    };
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("stream");
    stream.save(&path).unwrap();
    assert_eq!(Stream::load(&path).unwrap(), stream);
    let bytes = std::fs::read(&path).unwrap();
    let said = |bytes: &[u8]| Stream::read(&mut &*bytes).unwrap_err();
    for end in 0..bytes.len() {
        assert!(said(&bytes[..end]).contains("too early"), "{end}");
    }
    let changed = |at: usize, byte: u8| {
        let mut bytes = bytes.clone();
        bytes[at] = byte;
        said(&bytes)
    };
    // magic; kind and length of the first entry; the moment of the second one
    assert!(changed(0, b'X').contains("no stream"));
    assert!(changed(32, 7).contains("entry 0: of the kind 7"));
    assert!(changed(48, 255).contains("the device has 4096"));
    assert!(changed(42, 4).contains("3 bytes of data for 4"));
    assert!(changed(61, 1).contains("entry 1: at"));
    assert!(changed(7, b'1').contains("a former version"));
    // the request that the third one answers; the last one as a further answer to it
    assert!(changed(116, 1).contains("entry 2: an answer to request 1; accepted is one of the 1 before it"));
    assert!(
        changed(182, 254).contains("entry 4: an answer to request 0; accepted is one of the 2 before it")
    );
}
