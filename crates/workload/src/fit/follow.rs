//! Where a request goes on.

use crate::stats::Request;

/// Ends that are remembered per device, as in a surrogate.
const STREAMS: usize = 32;

/// Where a request starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Start {
    /// Where the request before on its device ended.
    Last,
    /// Where one of the last 32 on its device ended, but not the last.
    Earlier,
    /// Elsewhere: at a place.
    Place,
}

/// Follows the requests of each device.
pub(crate) struct Follow {
    devices: Vec<([u64; STREAMS], usize)>,
}

impl Follow {
    pub(crate) fn new(devices: usize) -> Self {
        Self {
            devices: vec![([u64::MAX; STREAMS], 0); devices],
        }
    }

    /// Where `request` starts; every request is to be told, in order. A request whose place is
    /// known already goes to that place, unless it goes on where the last ended: popular
    /// neighbours are no streams.
    pub(crate) fn next(&mut self, request: &Request, known: bool) -> Start {
        let Some((ends, count)) = self.devices.get_mut(request.device as usize) else {
            return Start::Place;
        };
        let last = ends[(*count + STREAMS - 1) % STREAMS];
        let start = if last == request.start {
            Start::Last
        } else if !known && ends.contains(&request.start) {
            Start::Earlier
        } else {
            Start::Place
        };
        ends[*count % STREAMS] = request.start + request.bytes;
        *count += 1;
        start
    }
}
