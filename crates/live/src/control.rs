//! The control socket: one line of JSON asks for something, one line of JSON answers.

use std::io::Write;
use std::os::fd::{AsFd, BorrowedFd};

use serde_json::{Value, json};

use crate::connection::Connection;
use crate::error::LiveError;
use crate::listen::{Address, Listener};

/// Bytes of the longest line.
const MOST_LINE_BYTES: usize = 64 << 10;
/// Who may ask at a time.
const MOST_ASKERS: usize = 16;

/// What may be asked.
#[derive(Clone, Debug, PartialEq)]
pub enum Request {
    /// Figures as they are now.
    Status,
    /// The results so far, into a directory.
    Report(String),
    /// The state of the drive, and its data, into files.
    Save(String),
    /// The power fails.
    Cut,
    /// A host says what it knows, for crash images.
    Mark(String),
    /// The air has this temperature from now on, degrees Celsius.
    Heat(f64),
    /// The server ends.
    Stop,
}

/// What was asked, and by whom.
#[derive(Clone, Debug, PartialEq)]
pub struct Asked {
    /// What.
    pub request: Request,
    asker: usize,
}

impl Eq for Asked {}

/// A request, from its line.
///
/// # Errors
/// What is accepted.
pub fn parse(line: &[u8]) -> Result<Request, String> {
    const ACCEPTED: &str = r#"accepted are {"do": "status"}, {"do": "report", "to": DIRECTORY}, {"do": "save", "to": FILE}, {"do": "cut"}, {"do": "mark", "text": TEXT}, {"do": "heat", "celsius": NUMBER} and {"do": "stop"}"#;
    let value: Value = serde_json::from_slice(line).map_err(|error| format!("{error}; {ACCEPTED}"))?;
    let to = || {
        value
            .get("to")
            .and_then(Value::as_str)
            .filter(|to| !to.is_empty())
            .map(str::to_owned)
    };
    let celsius = || value.get("celsius").and_then(Value::as_f64);
    match value.get("do").and_then(Value::as_str) {
        Some("status") => Some(Request::Status),
        Some("report") => to().map(Request::Report),
        Some("save") => to().map(Request::Save),
        Some("cut") => Some(Request::Cut),
        Some("heat") => celsius()
            .filter(|celsius| (-60.0..=125.0).contains(celsius))
            .map(Request::Heat),
        Some("mark") => value
            .get("text")
            .and_then(Value::as_str)
            .map(|text| Request::Mark(text.to_owned())),
        Some("stop") => Some(Request::Stop),
        _ => None,
    }
    .ok_or_else(|| ACCEPTED.to_owned())
}

/// The control socket and who is at it.
#[derive(Debug)]
pub(crate) struct Control {
    listener: Listener,
    askers: Vec<Option<Connection>>,
    scratch: Vec<u8>,
}

impl Control {
    pub(crate) fn bind(address: &Address) -> Result<Self, LiveError> {
        Ok(Self {
            listener: Listener::bind(address)?,
            askers: Vec::new(),
            scratch: vec![0; 4_096],
        })
    }

    /// Tells of every descriptor that something may come from.
    pub(crate) fn each_fd<'a>(&'a self, tell: &mut dyn FnMut(BorrowedFd<'a>)) {
        tell(self.listener.as_fd());
        for asker in self.askers.iter().flatten() {
            tell(asker.as_fd());
        }
    }

    /// What was asked since the last call; what makes no sense is answered here.
    pub(crate) fn hear(&mut self) -> Vec<Asked> {
        if let Ok(Some(stream)) = self.listener.accept() {
            let free = self.askers.iter().position(Option::is_none);
            match free {
                Some(place) => self.askers[place] = Some(Connection::new(stream)),
                None if self.askers.len() < MOST_ASKERS => self.askers.push(Some(Connection::new(stream))),
                None => {}
            }
        }
        let mut asked = Vec::new();
        for (asker, place) in self.askers.iter_mut().enumerate() {
            let Some(connection) = place else { continue };
            connection.receive(&mut self.scratch);
            loop {
                let (input, output) = connection.parts();
                let Some(end) = input.iter().position(|byte| *byte == b'\n') else {
                    if input.len() > MOST_LINE_BYTES {
                        connection.close();
                    }
                    break;
                };
                match parse(&input[..end]) {
                    Ok(request) => asked.push(Asked { request, asker }),
                    Err(text) => line(output, &json!({"error": text})),
                }
                connection.take(end + 1);
            }
            connection.send();
            if connection.is_over() {
                *place = None;
            }
        }
        asked
    }

    /// The descriptor of whoever asked.
    pub(crate) fn asker(&self, asked: &Asked) -> Option<BorrowedFd<'_>> {
        let asker = self.askers.get(asked.asker)?.as_ref();
        asker.map(AsFd::as_fd)
    }

    pub(crate) fn answer(&mut self, asked: &Asked, answer: &Value) {
        if let Some(Some(connection)) = self.askers.get_mut(asked.asker) {
            line(&mut connection.output, answer);
            connection.send();
        }
    }
}

fn line(out: &mut Vec<u8>, answer: &Value) {
    // a vector takes everything
    _ = writeln!(out, "{answer}");
}
