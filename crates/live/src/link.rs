//! How long the machine takes, of which the drive knows nothing: a client's clock runs from before its request leaves until its answer has woken it.

use std::io::{self, ErrorKind, Read, Write};
use std::num::NonZeroU64;
use std::os::unix::net::UnixStream;
use std::time::{Duration, Instant};

use rustix::thread::set_current_timer_slack;

/// Exchanges that are measured; the first ones find everything cold.
const EXCHANGES: usize = 64;
/// Between two of them, so that whoever waits sleeps as a client of a slow drive does.
const PAUSE: Duration = Duration::from_millis(1);
/// No more is taken for the way through a socket, however busy the machine is.
const MOST: Duration = Duration::from_micros(200);
/// Bytes of an answer: those of a small read.
const ANSWER: usize = 4_096;
/// Sleepers are later than they were while this was measured, when the machine is busier.
const RESERVE: Duration = Duration::from_micros(20);

/// How long the machine takes for what a live drive does at a real pace.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Machine {
    /// From an answer to a client that sleeps until its next request is there: three of four exchanges are as fast.
    pub(crate) link: Duration,
    /// Before the end of a sleep nobody sleeps any more for so long: nineteen of twenty sleepers wake up late by less.
    pub(crate) awake: Duration,
}

impl Machine {
    /// For a drive whose time does not go with that of the machine.
    pub(crate) const UNPACED: Self = Self {
        link: Duration::ZERO,
        awake: Duration::ZERO,
    };

    /// Measures it, with some exchanges between two threads: a tenth of a second.
    ///
    /// # Errors
    /// The machine has no sockets to spare.
    pub(crate) fn measured() -> io::Result<Self> {
        let _prompt = Prompt::begin();
        let (mut here, mut there) = UnixStream::pair()?;
        let echo = std::thread::spawn(move || {
            let mut answer = [0; ANSWER];
            // ends when the other side is dropped
            while there.read_exact(&mut answer).is_ok() && there.write_all(&[0]).is_ok() {}
        });
        here.set_nonblocking(true)?;
        let measured = exchanges(&mut here);
        drop(here);
        _ = echo.join();
        measured
    }
}

fn exchanges(here: &mut UnixStream) -> io::Result<Machine> {
    let (mut took, mut late) = (Vec::with_capacity(EXCHANGES), Vec::with_capacity(EXCHANGES));
    for _ in 0..EXCHANGES {
        let begin = Instant::now();
        std::thread::sleep(PAUSE);
        late.push(begin.elapsed().saturating_sub(PAUSE));
        let begin = Instant::now();
        here.write_all(&[0; ANSWER])?;
        while let Err(error) = here.read(&mut [0]) {
            if error.kind() != ErrorKind::WouldBlock {
                return Err(error);
            }
        }
        took.push(begin.elapsed());
    }
    took.sort_unstable();
    late.sort_unstable();
    Ok(Machine {
        link: took[EXCHANGES * 3 / 4].min(MOST),
        awake: (late[EXCHANGES * 19 / 20] + RESERVE).min(MOST),
    })
}

/// While it lives, sleeps of this thread end when they should: by default Linux lets them last up to 50 us longer, to wake up several sleepers at once.
#[derive(Debug)]
pub(crate) struct Prompt(());

impl Prompt {
    pub(crate) fn begin() -> Self {
        // a machine that refuses it has later sleepers, which are measured
        _ = set_current_timer_slack(NonZeroU64::new(1));
        Self(())
    }
}

impl Drop for Prompt {
    fn drop(&mut self) {
        _ = set_current_timer_slack(None);
    }
}

/// A mean over the newest observations, each of which counts a sixty-fourth, between nothing and a bound.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Usual {
    most_ns: f64,
    ns: f64,
}

impl Usual {
    /// Begins with the bound.
    pub(crate) const fn at_most(most: Duration) -> Self {
        let most_ns = most.as_nanos() as f64;
        Self { most_ns, ns: most_ns }
    }

    pub(crate) const fn get(self) -> Duration {
        Duration::from_nanos(self.ns as u64)
    }

    /// It was so long, ns. One that is far off, as after a pause of a client, counts as twice the bound.
    pub(crate) const fn observe(&mut self, ns: f64) {
        let ns = ns.clamp(-self.most_ns, 2.0 * self.most_ns);
        self.ns = (self.ns + (ns - self.ns) / 64.0).clamp(0.0, self.most_ns);
    }

    /// It is off by so much, ns.
    pub(crate) const fn correct(&mut self, by_ns: f64) {
        self.observe(self.ns + by_ns);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn us(us: u64) -> Duration {
        Duration::from_micros(us)
    }

    #[test]
    fn a_socket_takes_some_time() {
        let machine = Machine::measured().unwrap();
        assert!(
            machine.link > Duration::ZERO && machine.link <= MOST,
            "{machine:?}"
        );
        assert!(machine.awake >= RESERVE && machine.awake <= MOST, "{machine:?}");
    }

    #[test]
    fn a_client_that_is_awake_is_near_and_one_that_thinks_is_no_further_than_a_sleeper() {
        let mut link = Usual::at_most(us(50));
        assert_eq!(link.get(), us(50));
        (0..1_000).for_each(|_| link.observe(8e3));
        assert_eq!(link.get(), us(8));
        // a pause of the client says little, however long: (2 x 50 - 8) / 64
        link.observe(1e12);
        assert_eq!(link.get(), Duration::from_nanos(9_437));
        (0..1_000).for_each(|_| link.observe(70e3));
        assert_eq!(link.get(), us(50));
    }

    #[test]
    fn what_is_corrected_settles_where_nothing_is_off() {
        let mut usual = Usual::at_most(us(20));
        // answers leave 7 us late, less what is known of that
        (0..1_000).for_each(|_| usual.correct(7e3 - usual.get().as_nanos() as f64));
        assert!((6_990..=7_010).contains(&usual.get().as_nanos()), "{usual:?}");
        (0..1_000).for_each(|_| usual.correct(-5e3));
        assert_eq!(usual.get(), Duration::ZERO);
    }
}
