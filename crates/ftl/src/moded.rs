//! A mapping whose pages have modes: what it does is left to the mapping inside, and the mode of each page is kept in a
//! byte beside it. A drive without `[[modes]]` goes without this.

use wordline_nand::{BlockId, Mode, PlaneId, Ppn};
use wordline_units::{Duration, SimTime};

use crate::config::PageModesConfig;
use crate::contract::{Mapping, PageModes, Part, PartMut, Subject};
use crate::error::FtlError;
use crate::host_work::{HostLoad, IdleInterval, LoadObserver};
use crate::plan::{Bind, Bound, Plan, Step, Target, Work};
use crate::policy::mode::{DescribedMode, ModePolicy, ModeView, Modes};
use crate::state::archive::{Archive, ArchiveError, Extent};
use crate::wrapped::{Wrapped, Wrapper};

/// The mode of pages that are moved.
#[derive(Clone, Copy, Debug)]
enum Copies {
    /// That of the page that is moved.
    Preserve,
    /// Always this one.
    In(Mode),
}

/// The modes of the pages of a mapping.
///
/// The mode of a page is decided when the page is chosen for a program, and stays until it is chosen again.
struct Moded {
    names: Vec<String>,
    policy: Box<dyn ModePolicy>,
    copies: Copies,
    /// By physical page.
    modes: Vec<Mode>,
    /// What the drive has told for the program that it has bound next.
    load: Option<HostLoad>,
}

fn copies(config: &PageModesConfig, modes: &Modes<'_>) -> Result<Copies, FtlError> {
    if config.copies == "preserve" {
        return Ok(Copies::Preserve);
    }
    let mode = modes
        .find("ftl.modes.copies", &config.copies)
        .map_err(|refused| {
            let accepted = format!("\"preserve\", {}", refused.accepted);
            FtlError::new(refused.key, refused.found, accepted)
        })?;
    Ok(Copies::In(mode))
}

/// Checks that `[ftl.modes]` names modes of the drive only, and what its policy demands of them; `modes` are those of the drive, the
/// normal one first.
///
/// # Errors
/// A name that is none of a mode; a value that the policy refuses.
pub fn check_modes(config: &PageModesConfig, modes: &[DescribedMode]) -> Result<(), FtlError> {
    let modes = Modes::new(modes);
    copies(config, &modes)?;
    (config.policy.row()?.build)(&config.keys, &modes).map(|_| ())
}

/// A mapping whose pages are programmed in modes as `[ftl.modes]` says; the mapping itself where the drive has no modes
/// beside the normal one, which is the first of `modes`. Pages that hold data already are in the normal mode.
///
/// # Errors
/// As [`check_modes`].
pub fn with_modes(
    inner: Box<dyn Mapping>,
    config: &PageModesConfig,
    modes: &[DescribedMode],
) -> Result<Box<dyn Mapping>, FtlError> {
    let [_, others @ ..] = modes else {
        return Ok(inner);
    };
    if others.is_empty() {
        return Ok(inner);
    }
    let known = Modes::new(modes);
    let modes = Moded {
        names: others.iter().map(|mode| mode.name.clone()).collect(),
        policy: (config.policy.row()?.build)(&config.keys, &known)?,
        copies: copies(config, &known)?,
        modes: vec![Mode::NORMAL; inner.geometry().pages() as usize],
        load: None,
    };
    Ok(Box::new(Wrapped::new(inner, modes)))
}

impl Moded {
    /// A page has been chosen for a step, while `load` was the drive's, and `bound_before` programs of the same command had theirs.
    fn choose(
        &mut self,
        inner: &dyn Mapping,
        now: SimTime,
        (step, page): (&Step, Ppn),
        load: Option<&HostLoad>,
        bound_before: u32,
    ) {
        let is_own = step.lpn.0 >= inner.user_pages();
        let mode = match step.work {
            // its codewords stay as they are
            Work::CopyBack { source, .. } => self.modes[source.index()],
            _ if is_own || !(step.cause.is_of_host() || step.cause.is_data()) => Mode::NORMAL,
            _ if step.cause.is_of_host() => {
                let program = step;
                self.policy.mode(&ModeView {
                    now,
                    program,
                    page,
                    load,
                    bound_before,
                })
            }
            _ => match self.copies {
                Copies::In(mode) => mode,
                Copies::Preserve => {
                    let source = inner.lookup(step.lpn);
                    source.map_or(Mode::NORMAL, |source| self.modes[source.index()])
                }
            },
        };
        // one beyond those that the drive has is taken as the last
        self.modes[page.index()] = mode.min(Mode(self.names.len() as u8));
    }
}

impl Wrapper for Moded {
    /// The pages that a plan fixes are chosen.
    fn planned(&mut self, inner: &dyn Mapping, now: SimTime, plan: &Plan) {
        for step in plan {
            if let Work::Program { target, .. } | Work::CopyBack { target, .. } = step.work
                && let Target::Page(page) = target
            {
                self.choose(inner, now, (step, page), None, 0);
            }
        }
    }

    fn bind(&mut self, inner: &mut dyn Mapping, now: SimTime, step: &Step, plane: PlaneId) -> Bind {
        let load = self.load.take();
        let bind = inner.bind(now, step, plane);
        if let Bind::Page(bound) = bind {
            self.choose(inner, now, (step, bound.page), load.as_ref(), 0);
        }
        bind
    }

    fn bind_aligned(
        &mut self,
        inner: &mut dyn Mapping,
        now: SimTime,
        pairs: &[(Step, PlaneId)],
        bound: &mut Vec<Option<Bound>>,
    ) -> bool {
        let load = self.load.take();
        let aligned = inner.bind_aligned(now, pairs, bound);
        if aligned {
            let found = pairs
                .iter()
                .zip(bound)
                .filter_map(|((step, _), bound)| Some((step, (*bound)?)));
            for (before, (step, bound)) in (0..).zip(found) {
                self.choose(inner, now, (step, bound.page), load.as_ref(), before);
            }
        }
        aligned
    }

    fn archive(&mut self, extent: Extent, archive: &mut Archive<'_>) -> Result<(), ArchiveError> {
        archive.table(&mut self.modes)?;
        if extent == Extent::Everything {
            self.policy.archive(archive)?;
        }
        Ok(())
    }

    fn part(&self, subject: Subject) -> Option<Part<'_>> {
        match subject {
            Subject::HostLoad => Some(Part::HostLoad(self)),
            Subject::Modes => Some(Part::Modes(self)),
            _ => None,
        }
    }

    fn part_mut(&mut self, subject: Subject) -> Option<PartMut<'_>> {
        match subject {
            Subject::HostLoad => Some(PartMut::HostLoad(self)),
            Subject::Modes => Some(PartMut::Modes(self)),
            _ => None,
        }
    }
}

impl LoadObserver for Moded {
    fn observe_load(&mut self, load: &HostLoad) {
        self.load = Some(*load);
    }

    fn observe_idle(&mut self, interval: &IdleInterval) {
        self.policy.idle_ended(interval);
    }

    fn take_expected_idle(&mut self) -> Option<Duration> {
        self.policy.take_expected_idle()
    }
}

impl PageModes for Moded {
    fn mode_names(&self) -> &[String] {
        &self.names
    }

    fn page_mode(&self, page: Ppn) -> Mode {
        self.modes[page.index()]
    }

    fn block_mode(&self, _block: BlockId) -> Option<Mode> {
        None
    }
}
