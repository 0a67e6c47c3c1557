//! What the process itself uses: CPU time and memory. Figures exist where the system tells them
//! (Linux) and are `None` elsewhere.

use std::time::Instant;

use crate::summary::RunCost;

/// CPU seconds that the process has used, all threads, user and system.
#[cfg(target_os = "linux")]
#[must_use]
pub fn cpu_time() -> Option<f64> {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    Some(time.tv_sec as f64 + time.tv_nsec as f64 / 1e9)
}

/// CPU seconds that the process has used, all threads, user and system.
#[cfg(not(target_os = "linux"))]
#[must_use]
pub fn cpu_time() -> Option<f64> {
    None
}

/// Highest resident memory of the process so far in bytes (`VmHWM` of `/proc/self/status`).
#[must_use]
pub fn peak_rss_bytes() -> Option<u64> {
    high_water_mark(&std::fs::read_to_string("/proc/self/status").ok()?)
}

/// Memory that the system could give the process without swapping, in bytes: `MemAvailable` of `/proc/meminfo`, or less where the process
/// (`ulimit -v`) or its control group, such as a container, has a limit.
#[must_use]
pub fn available_memory_bytes() -> Option<u64> {
    let read = |file: &str| std::fs::read_to_string(file).ok();
    let of_system = read("/proc/meminfo").and_then(|text| kib_of(&text, "MemAvailable:"));
    let of_process = read("/proc/self/limits")
        .and_then(|limits| address_space(&limits))
        .zip(read("/proc/self/status").and_then(|status| kib_of(&status, "VmSize:")));
    let number = |file: &str| read(file)?.trim().parse::<u64>().ok();
    let of_group = number("/sys/fs/cgroup/memory.max").zip(number("/sys/fs/cgroup/memory.current"));
    let left = |(most, used): (u64, u64)| most.saturating_sub(used);
    [of_system, of_process.map(left), of_group.map(left)]
        .into_iter()
        .flatten()
        .min()
}

/// Reads the line `Max address space  <soft limit>  <hard limit>  bytes` of `/proc/self/limits`; none where it is `unlimited`.
fn address_space(limits: &str) -> Option<u64> {
    let line = limits
        .lines()
        .find_map(|line| line.strip_prefix("Max address space"))?;
    line.split_whitespace().next()?.parse().ok()
}

/// Reads the line `VmHWM:  12345 kB`; the kernel's kB are 1024 bytes.
fn high_water_mark(status: &str) -> Option<u64> {
    kib_of(status, "VmHWM:")
}

fn kib_of(text: &str, name: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    let kib: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    kib.checked_mul(1024)
}

/// Measures what a stretch of a run costs.
#[derive(Clone, Copy, Debug)]
pub struct Stopwatch {
    wall: Instant,
    cpu: Option<f64>,
}

impl Stopwatch {
    /// Starts now.
    #[must_use]
    pub fn start() -> Self {
        Self {
            wall: Instant::now(),
            cpu: cpu_time(),
        }
    }

    /// Wall-clock and CPU time since the start; peak memory since the process began.
    #[must_use]
    pub fn cost(&self) -> RunCost {
        RunCost {
            wall_s: self.wall.elapsed().as_secs_f64(),
            cpu_s: cpu_time().zip(self.cpu).map(|(now, then)| now - then),
            peak_rss_bytes: peak_rss_bytes(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_the_status_of_the_kernel() {
        assert_eq!(
            high_water_mark("Name:\tx\nVmHWM:\t   2048 kB\nVmRSS:\t 1 kB\n"),
            Some(2 << 20)
        );
        for text in ["", "VmHWM:\t12", "VmHWM: many kB", "VmRSS: 1 kB"] {
            assert_eq!(high_water_mark(text), None, "{text}");
        }
    }

    #[test]
    fn reads_the_limits_of_the_process() {
        let limits = |soft: &str| {
            format!(
                "Limit  Soft Limit  Hard Limit  Units\nMax address space         {soft}            unlimited            bytes\n"
            )
        };
        assert_eq!(address_space(&limits("3072000000")), Some(3_072_000_000));
        assert_eq!(address_space(&limits("unlimited")), None);
        assert_eq!(address_space(""), None);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn work_takes_time_and_memory() {
        // time goes on, in small steps too
        let (wall, before) = (Instant::now(), cpu_time().unwrap());
        while wall.elapsed().as_millis() < 2 {}
        assert!(cpu_time().unwrap() >= before);

        let watch = Stopwatch::start();
        let mut value = 1_u64;
        while watch.cost().cpu_s.unwrap() < 1e-3 {
            value = std::hint::black_box(value.wrapping_mul(3));
        }
        let cost = watch.cost();
        assert!(cost.wall_s > 0.0);
        // a later stretch does not cost what came before it
        let later = Stopwatch::start().cost().cpu_s.unwrap();
        assert!(later < cpu_time().unwrap());
        assert!(cost.peak_rss_bytes.unwrap() > 100_000);
        // any machine has a megabyte left, and none an exabyte
        assert!((1 << 20..1 << 60).contains(&available_memory_bytes().unwrap()));
    }
}
