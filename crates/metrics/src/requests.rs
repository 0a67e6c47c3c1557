//! The table of requests.

use wordline_units::Duration;

use crate::probe::{FinishedRequest, Other, RequestClass};

/// The table of requests in order of acknowledgement, one vector per column.
#[derive(Clone, Debug, Default)]
pub struct RequestLog {
    limit: u64,
    offered: u64,
    /// Running number in order of admission.
    pub number: Vec<u64>,
    /// Arrival, ns since the start of the run.
    pub arrival_ns: Vec<u64>,
    /// Admission to the drive, ns since the start of the run.
    pub admitted_ns: Vec<u64>,
    /// Acknowledgement, ns since the start of the run.
    pub completed_ns: Vec<u64>,
    /// Time from arrival until it began to be served, ns.
    pub waiting_ns: Vec<u64>,
    /// Class: an index into [`RequestLog::CLASSES`].
    pub class: Vec<u8>,
    /// How it ended: an index into `Status::NAMES`.
    pub status: Vec<u8>,
    /// First 512-byte sector.
    pub sector: Vec<u64>,
    /// Number of 512-byte sectors.
    pub sectors: Vec<u32>,
    /// Submission queue.
    pub queue: Vec<u16>,
}

/// Rows that room is made for at the start.
const RESERVED_ROWS: u64 = 1 << 20;

/// The class of a request as an index into [`RequestLog::CLASSES`].
fn class_of(request: &FinishedRequest) -> u8 {
    let class = match request.other {
        Some(other) => RequestClass::ALL.len() + other as usize,
        None => request.class.index(),
    };
    class as u8
}

impl RequestLog {
    /// What requests are in the table.
    pub const CLASSES: [&'static str; 7] = {
        let ([read, write, other], [trim, zeroes, flush, zone]) = (RequestClass::NAMES, Other::NAMES);
        [read, write, other, trim, zeroes, flush, zone]
    };

    /// An empty table of at most `limit` rows; 0 turns it off.
    #[must_use]
    pub fn new(limit: u64) -> Self {
        // room at once, where it is modest: growing would copy the table again and again, and pages
        // that are never touched cost nothing
        let rows = limit.min(RESERVED_ROWS) as usize;
        Self {
            limit,
            number: Vec::with_capacity(rows),
            arrival_ns: Vec::with_capacity(rows),
            admitted_ns: Vec::with_capacity(rows),
            completed_ns: Vec::with_capacity(rows),
            waiting_ns: Vec::with_capacity(rows),
            class: Vec::with_capacity(rows),
            status: Vec::with_capacity(rows),
            sector: Vec::with_capacity(rows),
            sectors: Vec::with_capacity(rows),
            queue: Vec::with_capacity(rows),
            ..Self::default()
        }
    }

    /// Forgets all rows.
    pub(crate) fn restart(&mut self) {
        *self = Self::new(self.limit);
    }

    /// Adds rows, those that there is room for: several at a time, since ten columns are to be brought up.
    pub fn extend(&mut self, requests: &[FinishedRequest]) {
        let room = self.limit.saturating_sub(self.offered);
        self.offered += requests.len() as u64;
        let rows = || requests.iter().take(usize::try_from(room).unwrap_or(usize::MAX));
        self.number.extend(rows().map(|row| row.number));
        self.arrival_ns.extend(rows().map(|row| row.arrival.ns()));
        self.admitted_ns.extend(rows().map(|row| row.admitted.ns()));
        self.completed_ns.extend(rows().map(|row| row.completed.ns()));
        self.waiting_ns.extend(rows().map(|row| row.waiting().ns()));
        self.class.extend(rows().map(class_of));
        self.status.extend(rows().map(|row| row.status.index() as u8));
        self.sector.extend(rows().map(|row| row.sector));
        self.sectors.extend(rows().map(|row| row.sectors));
        self.queue.extend(rows().map(|row| row.queue));
    }

    /// Time from when each began to be served to its acknowledgement, ns; with [`Self::waiting_ns`] it makes up the time from arrival to acknowledgement.
    #[must_use]
    pub fn processing_ns(&self) -> Vec<u64> {
        let served = self.arrival_ns.iter().zip(&self.waiting_ns);
        let times = self.completed_ns.iter().zip(served);
        times
            .map(|(completed, (arrival, waiting))| completed - arrival - waiting)
            .collect()
    }

    /// Rows held.
    #[must_use]
    pub fn rows(&self) -> u64 {
        self.number.len() as u64
    }

    /// Requests that were not listed because the table was full (or off).
    #[must_use]
    pub fn left_out(&self) -> u64 {
        self.offered - self.rows()
    }

    /// Whether the table is on and misses requests.
    #[must_use]
    pub fn truncated(&self) -> bool {
        self.limit > 0 && self.left_out() > 0
    }
}

impl FinishedRequest {
    /// Time from arrival to acknowledgement.
    #[must_use]
    #[inline]
    pub fn latency(&self) -> Duration {
        self.completed.since(self.arrival)
    }

    /// Time from arrival to admission to the drive.
    #[must_use]
    #[inline]
    pub fn waited(&self) -> Duration {
        self.admitted.since(self.arrival)
    }

    /// Time from arrival until it began to be served.
    #[must_use]
    #[inline]
    pub fn waiting(&self) -> Duration {
        self.served.since(self.arrival)
    }
}

impl RequestClass {
    /// Every class, in the order of their indices.
    pub const ALL: [Self; 3] = [Self::Read, Self::Write, Self::Other];
    /// Their names in summaries and tables.
    pub const NAMES: [&'static str; 3] = ["read", "write", "other"];

    /// Index into [`Self::ALL`] and [`Self::NAMES`].
    #[must_use]
    #[inline]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// The name used in summaries (`host.<class>`).
    #[must_use]
    pub const fn name(self) -> &'static str {
        Self::NAMES[self as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::probe::Status;
    use wordline_units::SimTime;

    fn request(number: u64, latency: u64) -> FinishedRequest {
        FinishedRequest {
            other: None,
            number,
            class: RequestClass::Write,
            status: Status::Good,
            arrival: SimTime(10),
            admitted: SimTime(10 + latency / 2),
            served: SimTime(10 + latency / 2 + latency / 4),
            completed: SimTime(10 + latency),
            sector: 8 * number,
            sectors: 8,
            queue: 3,
        }
    }

    #[test]
    fn a_full_table_says_so() {
        let mut log = RequestLog::new(2);
        log.extend(&[request(0, 100)]);
        assert!(!log.truncated());
        log.extend(&[request(1, 100), request(2, 100)]);
        assert!(log.truncated());
        assert_eq!((log.rows(), log.left_out()), (2, 1));
        log.extend(&[request(3, 100)]);
        assert_eq!((log.rows(), log.left_out()), (2, 2));
        assert_eq!((&log.number[..], &log.sector[..]), (&[0, 1][..], &[0, 8][..]));
        assert_eq!(
            (log.arrival_ns[1], log.admitted_ns[1], log.completed_ns[1]),
            (10, 60, 110)
        );
        assert_eq!((log.waiting_ns[1], log.processing_ns()[1]), (75, 25));
        assert_eq!((log.class[0], log.sectors[0], log.queue[0]), (1, 8, 3));
        let mut off = RequestLog::new(0);
        off.extend(&[request(0, 1)]);
        assert!(!off.truncated() && off.rows() == 0);
    }

    #[test]
    fn times_of_a_request() {
        // from 10 to 110, admitted halfway, served from three quarters on
        let request = request(1, 100);
        assert_eq!(
            (request.latency(), request.waited()),
            (Duration(100), Duration(50))
        );
        assert_eq!(request.waiting(), Duration(75));
    }
}
