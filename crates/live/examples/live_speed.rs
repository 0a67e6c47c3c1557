//! How fast a live drive is, and how exact: `live_speed DRIVE DEPTH SECONDS [spin] [slow=10] [socket=PATH] [key=value ...]`.
//!
//! A client in a thread of its own keeps DEPTH random reads of 4 KiB under way over a Unix socket. It sleeps until answers come, or asks again and again with
//! `spin`, as clients that poll do. With a depth of 0 other programs are waited for, at `socket`. The pace is virtual, or with `slow` the machine's, so many times slower.
//! Prints requests per second, the time of a core that the server took for each, and the mean and the 99th percentile of the drive and of the client's clock.
#![allow(clippy::print_stdout, reason = "a program that prints its findings")]

use std::io::{ErrorKind, Read, Write};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use rustix::time::{ClockId, clock_gettime};
use wordline_config::{DriveSource, resolve};
use wordline_live::{Address, Content, Device, Export, Pace, ServeOptions, Server, Verdict};
use wordline_metrics::Latency;
use wordline_units::Seed;

type Anything = Box<dyn std::error::Error + Send + Sync>;

const BLOCK: u64 = 4_096;
/// Bytes of a simple reply without its data.
const REPLY: usize = 16;

fn main() -> Result<(), Anything> {
    let mut arguments = std::env::args().skip(1);
    let mut next = |what: &str| arguments.next().ok_or(format!("{what} is missing"));
    let drive = next("DRIVE, the name of one")?;
    let depth: usize = next("DEPTH, requests under way")?.parse()?;
    let seconds: u64 = next("SECONDS, how long")?.parse()?;
    let rest: Vec<String> = arguments.collect();
    let spins = rest.iter().any(|word| word == "spin");
    let mut keys: Vec<(String, String)> = (rest.iter())
        .filter_map(|word| word.split_once('='))
        .map(|(key, value)| (key.to_owned(), value.to_owned()))
        .collect();
    let mut option = |name: &str| {
        let at = keys.iter().position(|(key, _)| key == name)?;
        Some(keys.remove(at).1)
    };
    let slow: Option<f64> = option("slow").map(|slow| slow.parse()).transpose()?;
    let place = option("socket").map(PathBuf::from);
    let config = resolve(DriveSource::Named(&drive), None, &keys)?.config;
    let (page_bytes, size) = Device::sizes(&config)?;
    let device = Device::new(&config, PathBuf::from("."), Content::in_memory(page_bytes), false)?;
    let folder = tempfile::tempdir()?;
    let place = place.unwrap_or_else(|| folder.path().join("drive.sock"));
    let options = ServeOptions {
        address: Address::Unix(place.clone()),
        control: Some(Address::Unix(folder.path().join("control"))),
        export: Export {
            name: drive,
            description: String::new(),
            size,
            read_only: false,
            preferred: 4_096,
        },
        pace: slow.map_or(Pace::Virtual, |slow| Pace::Real { slow }),
        lies_about_flush: false,
        cuts: Vec::new(),
        seed: 1,
    };
    let mut server = Server::new(device, options)?;
    let is_over = Arc::new(AtomicBool::new(false));
    let client = (depth > 0).then(|| {
        let is_over = Arc::clone(&is_over);
        std::thread::spawn(move || ask(&place, size, depth, spins, &is_over))
    });
    let begin = Instant::now();
    server.run(&mut |_, _| {
        if begin.elapsed() < Duration::from_secs(seconds)
            && !client.as_ref().is_some_and(std::thread::JoinHandle::is_finished)
        {
            Verdict::GoOn
        } else {
            Verdict::End
        }
    })?;
    let elapsed = begin.elapsed().as_secs_f64();
    is_over.store(true, Ordering::Relaxed);
    let cpu = clock_gettime(ClockId::ThreadCPUTime);
    let cpu = cpu.tv_sec as f64 + cpu.tv_nsec as f64 / 1e9;
    let status = server.status();
    drop(server);
    let requests = status["requests"].as_f64().unwrap_or_default();
    println!(
        "depth {depth}: {:.0} requests/s, {:.2} us of a core each; drive: {}, late: {}",
        requests / elapsed,
        cpu * 1e6 / requests,
        status["read"],
        status["late"]
    );
    if let Some(client) = client {
        let seen = client.join().map_err(|_| "the client has failed")??;
        let us = |quantile| seen.quantile(quantile).map(|found| found.ns() as f64 / 1e3);
        println!(
            "client: {:?} us in the mean, {:?} at p99",
            seen.mean_us(),
            us(0.99)
        );
    }
    Ok(())
}

fn ask(
    place: &Path,
    size: u64,
    depth: usize,
    spins: bool,
    is_over: &AtomicBool,
) -> Result<Latency, Anything> {
    let mut stream = UnixStream::connect(place)?;
    stream.read_exact(&mut [0; 18])?;
    // fixed newstyle without zeroes; the export by the option that has no answer but its size and flags
    stream.write_all(&[0, 0, 0, 3])?;
    stream.write_all(b"IHAVEOPT\0\0\0\x01\0\0\0\0")?;
    stream.read_exact(&mut [0; 10])?;
    let mut drawn = 0_u64;
    // the cookie of a request is its place among those under way
    let mut request = |out: &mut Vec<u8>, cookie: u64| {
        let block = Seed(7).draw("block", drawn) % (size / BLOCK);
        drawn += 1;
        out.extend(0x2560_9513_u32.to_be_bytes());
        out.extend([0; 4]);
        out.extend(cookie.to_be_bytes());
        out.extend((block * BLOCK).to_be_bytes());
        out.extend((BLOCK as u32).to_be_bytes());
    };
    let mut out = Vec::new();
    (0..depth as u64).for_each(|cookie| request(&mut out, cookie));
    let mut asked = vec![Instant::now(); depth];
    let mut seen = Latency::new();
    stream.write_all(&out)?;
    stream.set_nonblocking(spins)?;
    let reply = REPLY + BLOCK as usize;
    let (mut got, mut input) = (0, vec![0; depth * reply]);
    while !is_over.load(Ordering::Relaxed) {
        match stream.read(&mut input[got..]) {
            Ok(0) => break,
            Ok(bytes) => got += bytes,
            Err(error) if error.kind() == ErrorKind::WouldBlock => {
                std::hint::spin_loop();
                continue;
            }
            // the server has gone
            Err(_) => break,
        }
        out.clear();
        let now = Instant::now();
        for answer in input[..got].chunks_exact(reply) {
            let cookie = answer[8..REPLY]
                .iter()
                .fold(0, |all, byte| all << 8 | u64::from(*byte));
            let asked = &mut asked[cookie as usize];
            seen.record(wordline_units::Duration((now - *asked).as_nanos() as u64));
            request(&mut out, cookie);
            *asked = now;
        }
        let done = got / reply * reply;
        input.copy_within(done..got, 0);
        got -= done;
        if stream.write_all(&out).is_err() {
            break;
        }
    }
    Ok(seen)
}
