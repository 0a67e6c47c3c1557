//! A job as its section says it.

use std::collections::BTreeMap;
use std::fmt::Display;
use std::sync::Arc;

use wordline_units::Duration;

use super::beside::Beside;
use super::distribution::Law;
use super::error::Fault;
use super::files::Service;
use super::iolog::Iolog;
use super::job::Work;
use super::options::{self, Treatment};
use super::placement::{Directive, Select};
use super::sizes::Sizes;
use super::steady::Criterion;
use super::values::{Amount, KbBase, SECOND, Value};
use super::zoned::options::ZoneOptions;
use super::{Direction, Each};
use crate::HostOp;

/// The options of a job, with fio's defaults for those that are left out.
#[derive(Clone, Debug)]
pub(crate) struct JobSpec {
    pub(crate) kb_base: KbBase,
    pub(crate) name: Option<Arc<str>>,
    pub(crate) numjobs: u64,
    pub(crate) loops: u64,
    pub(crate) runtime: Option<Duration>,
    pub(crate) time_based: bool,
    pub(crate) ramp_time: Duration,
    pub(crate) steadystate: Option<Criterion>,
    pub(crate) steadystate_duration: Duration,
    pub(crate) steadystate_ramp_time: Duration,
    pub(crate) steadystate_check_interval: Duration,
    pub(crate) startdelay: (Duration, Duration),
    pub(crate) stonewall: bool,
    pub(crate) directory: Option<Arc<str>>,
    pub(crate) filename: Option<Arc<str>>,
    pub(crate) filename_format: Option<Arc<str>>,
    pub(crate) nrfiles: u64,
    pub(crate) service: Service,
    pub(crate) random: bool,
    pub(crate) pattern: Pattern,
    /// The number behind `rw=randread:`.
    pub(crate) modifier: Option<i64>,
    pub(crate) identical: bool,
    pub(crate) reads: u64,
    pub(crate) bs: Each<Option<u64>>,
    pub(crate) bsrange: Each<Option<(u64, u64)>>,
    pub(crate) bssplit: Each<Option<Sizes>>,
    pub(crate) blockalign: Each<Option<u64>>,
    pub(crate) size: Option<Amount>,
    pub(crate) io_size: Option<Amount>,
    pub(crate) filesize: Option<u64>,
    pub(crate) offset: Amount,
    pub(crate) offset_increment: Amount,
    pub(crate) offset_align: u64,
    pub(crate) number_ios: u64,
    pub(crate) law: Law,
    pub(crate) percentage_random: Each<Option<u64>>,
    pub(crate) norandommap: bool,
    pub(crate) seed: Option<u64>,
    pub(crate) direct: bool,
    pub(crate) iodepth: u32,
    pub(crate) engine: Engine,
    /// The engine passes commands to the drive itself.
    pub(crate) passthrough: bool,
    pub(crate) rate: Each<Option<u64>>,
    pub(crate) rate_iops: Each<Option<u64>>,
    pub(crate) poisson: bool,
    pub(crate) thinktime: Duration,
    pub(crate) thinktime_blocks: u32,
    pub(crate) fsync: u64,
    pub(crate) fdatasync: u64,
    pub(crate) end_fsync: bool,
    pub(crate) fsync_on_close: bool,
    pub(crate) fua: bool,
    pub(crate) write: HostOp,
    pub(crate) zones: ZoneOptions,
    pub(crate) beside: Beside,
    pub(crate) directive: Directive,
    pub(crate) plids: Vec<u16>,
    pub(crate) plid_select: Select,
    /// File of `dp_scheme`.
    pub(crate) scheme: Option<Arc<str>>,
    /// Placement handle of `write_hint`.
    pub(crate) write_hint: u16,
    pub(crate) verify: bool,
    /// `verify_pattern` is set, which reads back what was written unless `verify` is set.
    pub(crate) verify_pattern: bool,
    pub(crate) do_verify: bool,
    /// Writes after which some are read back; 0: at the end of a pass alone.
    pub(crate) verify_backlog: u64,
    pub(crate) verify_backlog_batch: u64,
    /// Trims that are one for fio.
    pub(crate) num_range: u64,
    pub(crate) writefua: bool,
    pub(crate) fill_device: bool,
    pub(crate) iolog: Iolog,
    /// An engine for other storage.
    pub(crate) elsewhere: Option<Arc<str>>,
    /// Options that were accepted and change nothing here, and why.
    pub(crate) noted: BTreeMap<&'static str, &'static str>,
    /// Line and text of every option that was set.
    written: BTreeMap<&'static str, (usize, Arc<str>)>,
}

/// `rw` without its randomness.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Pattern {
    One(Direction),
    ReadWrite,
    TrimWrite,
}

/// How an engine sends commands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Engine {
    /// One after the other: `iodepth` does not matter.
    Synchronous,
    /// `iodepth` at once.
    Asynchronous,
}

impl Default for JobSpec {
    fn default() -> Self {
        Self {
            kb_base: KbBase::default(),
            name: None,
            numjobs: 1,
            loops: 1,
            runtime: None,
            time_based: false,
            ramp_time: Duration::ZERO,
            steadystate: None,
            steadystate_duration: Duration::ZERO,
            steadystate_ramp_time: Duration::ZERO,
            steadystate_check_interval: Duration(SECOND),
            startdelay: (Duration::ZERO, Duration::ZERO),
            stonewall: false,
            directory: None,
            filename: None,
            filename_format: None,
            nrfiles: 1,
            service: Service::default(),
            random: false,
            pattern: Pattern::One(Direction::Read),
            modifier: None,
            identical: false,
            reads: 50,
            bs: Each::default(),
            bsrange: Each::default(),
            bssplit: Each::default(),
            blockalign: Each::default(),
            size: None,
            io_size: None,
            filesize: None,
            offset: Amount::Bytes(0),
            offset_increment: Amount::Bytes(0),
            offset_align: 0,
            number_ios: 0,
            law: Law::default(),
            percentage_random: Each::default(),
            norandommap: false,
            seed: None,
            direct: false,
            iodepth: 1,
            engine: Engine::Synchronous,
            passthrough: false,
            rate: Each::default(),
            rate_iops: Each::default(),
            poisson: false,
            thinktime: Duration::ZERO,
            thinktime_blocks: 1,
            fsync: 0,
            fdatasync: 0,
            end_fsync: false,
            fsync_on_close: false,
            fua: false,
            write: HostOp::Write,
            zones: ZoneOptions::default(),
            beside: Beside::default(),
            directive: Directive::default(),
            plids: Vec::new(),
            plid_select: Select::default(),
            scheme: None,
            write_hint: 0,
            verify: false,
            verify_pattern: false,
            do_verify: true,
            verify_backlog: 0,
            verify_backlog_batch: 0,
            num_range: 1,
            writefua: false,
            fill_device: false,
            iolog: Iolog::default(),
            elsewhere: None,
            noted: BTreeMap::new(),
            written: BTreeMap::new(),
        }
    }
}

impl JobSpec {
    /// Sets an option as line `line` says it.
    ///
    /// # Errors
    /// An option that does not exist or is not supported, a value that cannot be used.
    pub(crate) fn set(&mut self, line: usize, key: &str, text: Option<&str>) -> Result<(), Fault> {
        let refuse = |accepted: &str| Fault::new(line, format!("{}: {accepted}", written(key, text)));
        let option = options::find(key).ok_or_else(|| refuse(&options::unknown(key)))?;
        let value = Value {
            text,
            kb_base: self.kb_base,
        };
        match option.treatment {
            Treatment::Used(set) => {
                set(self, &value).map_err(|accepted| refuse(&format!("accepted: {accepted}")))?;
            }
            Treatment::Ignored => {}
            Treatment::Noted => {
                self.noted.insert(option.name, option.meaning);
            }
            Treatment::Refused { unless } => {
                if !unless.contains(&text.unwrap_or("1")) {
                    let meaning = option.meaning;
                    return Err(refuse(&match unless {
                        [] => format!("not supported: {meaning}; take the line out"),
                        words => format!("not supported: {meaning}; accepted: {}", words.join(" or ")),
                    }));
                }
            }
        }
        let text = text.map_or_else(String::new, |text| text.escape_debug().to_string());
        self.written.insert(option.name, (line, text.into()));
        Ok(())
    }

    /// A problem with an option, at its line, or at `section` where it was not set.
    pub(crate) fn fault(
        &self,
        section: usize,
        option: &str,
        found: impl ToString,
        accepted: impl Display,
    ) -> Fault {
        let line = self.written.get(option).map_or(section, |(line, _)| *line);
        Fault::new(
            line,
            format!("{option}={}: accepted: {accepted}", found.to_string()),
        )
    }

    /// A problem with an option as it is written.
    pub(crate) fn fault_as_written(&self, section: usize, option: &str, accepted: impl Display) -> Fault {
        let text = self.written.get(option).map_or("unset", |(_, text)| text);
        self.fault(section, option, text, accepted)
    }

    /// Whether an option stands in the file and is not switched off.
    pub(crate) fn is_written(&self, option: &str) -> bool {
        self.written.get(option).is_some_and(|(_, text)| &**text != "0")
    }

    /// The block sizes of a direction: `bssplit`, else `bsrange`, else `bs`, else 4096.
    pub(crate) fn sizes(&self, direction: Direction) -> (&'static str, Sizes) {
        if let Some(split) = self.bssplit.of(direction) {
            ("bssplit", split.clone())
        } else if let Some((least, most)) = *self.bsrange.of(direction) {
            ("bsrange", Sizes::Range(least, most))
        } else {
            ("bs", Sizes::One(self.bs.of(direction).unwrap_or(4096)))
        }
    }

    /// Whether each block is visited once per pass where places are random.
    pub(crate) fn keeps_map(&self) -> bool {
        let placed = self.work().placed();
        let is_aligned = placed.iter().any(|direction| {
            let least = self.sizes(*direction).1.named().into_iter().min();
            self.blockalign
                .of(*direction)
                .is_some_and(|align| Some(align) != least)
        });
        self.law.keeps_map() && !self.norandommap && !is_aligned
    }

    /// What the commands of the job do.
    pub(crate) const fn work(&self) -> Work {
        match (self.pattern, self.reads) {
            (Pattern::One(direction), _) => Work::One(direction),
            (Pattern::TrimWrite, _) => Work::TrimThenWrite,
            (Pattern::ReadWrite, 0) => Work::One(Direction::Write),
            (Pattern::ReadWrite, 100) => Work::One(Direction::Read),
            (Pattern::ReadWrite, reads) => Work::Mixed { reads },
        }
    }

    /// Whether `rw` names writes, whatever `rwmixread` says.
    pub(crate) fn may_write(&self) -> bool {
        !matches!(self.pattern, Pattern::One(Direction::Read | Direction::Trim))
    }

    /// Whether it asks to have read back what was written.
    pub(crate) fn verifies(&self) -> bool {
        let is_asked = self.verify || (self.verify_pattern && !self.written.contains_key("verify"));
        is_asked && self.do_verify && self.may_write()
    }

    /// Whether what was written is read back: a job that goes on until its runtime is up never comes to the end of a pass.
    pub(crate) fn reads_back(&self) -> bool {
        self.verifies() && !(self.is_time_based() && self.verify_backlog == 0)
    }

    /// Whether commands that overlap wait for each other: as in fio, without effect where one is under way alone or none changes data.
    pub(crate) fn serializes(&self) -> bool {
        let is_alone = self.iodepth == 1 || self.engine == Engine::Synchronous;
        let may_collide =
            self.beside.is_offloaded || !(is_alone || matches!(self.pattern, Pattern::One(Direction::Read)));
        self.beside.serialize_overlap && !self.iolog.is_set() && may_collide
    }

    /// Whether it starts over until its runtime is up; fio drops `time_based` where there is none.
    pub(crate) const fn is_time_based(&self) -> bool {
        self.time_based && self.runtime.is_some()
    }

    /// Trims that are sent for one of fio.
    pub(crate) fn ranges(&self) -> u64 {
        match self.pattern {
            Pattern::One(Direction::Trim) => self.num_range,
            _ => 1,
        }
    }

    /// Whether blocks are written.
    pub(crate) fn writes(&self) -> bool {
        self.work().directions().contains(&Direction::Write)
    }
}

/// An option as it stands in the file, on one line.
pub(crate) fn written(key: &str, text: Option<&str>) -> String {
    match text {
        Some(text) => format!("{}={}", key.escape_debug(), text.escape_debug()),
        None => key.escape_debug().to_string(),
    }
}
