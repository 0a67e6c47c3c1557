//! The statistical back end: memory for dies, none for pages.

use std::ops::Range;

use crate::drive::Drive;
use crate::mapping::places::Places;
use crate::mapping::{Draw, Job, Mapping, Target, Written};

/// Collection is set by rates, whose fractions are carried, so that they are exact over a long run. Where addresses are uniform the die of a page is
/// drawn; else it is computed from its number, and a page that was written is looked for where it was at first.
pub(crate) struct Statistical {
    dies: u64,
    in_place: bool,
    moves_per_write: f64,
    programs_per_erase: f64,
    moves: f64,
    /// Programs of each die since its last erase.
    programs: Vec<f32>,
    /// Where pages stay on their die: the fraction of a move that is due on each die, and a die for each move that is due.
    fractions: Vec<f32>,
    waiting: Vec<u32>,
    draw: Draw,
    /// Pages that are moved.
    moved: Draw,
    pages: u64,
    /// Where addresses are not uniform.
    places: Option<Places>,
}

impl Statistical {
    pub(crate) fn new(drive: &Drive, seed: u64) -> Self {
        let nand = &drive.nand;
        let programs_per_erase = f64::from(nand.pages_per_block) * f64::from(nand.logical_pages_per_program);
        let mut draw = Draw::new(seed, "fscale.die");
        // each die is somewhere in its block
        let programs = (0..drive.dies())
            .map(|_| (draw.unit() * programs_per_erase) as f32)
            .collect();
        let in_place = drive.moves_in_place();
        let collects_for_itself = if in_place { drive.dies() } else { 0 };
        Self {
            dies: drive.dies(),
            in_place,
            fractions: (0..collects_for_itself).map(|_| draw.unit() as f32).collect(),
            waiting: (0..collects_for_itself as u32).collect(),
            moves_per_write: drive.waf() - 1.0 + drive.workload.wear_moves,
            programs_per_erase,
            moves: 0.0,
            programs,
            draw,
            moved: Draw::new(seed, "fscale.moved"),
            pages: drive.logical_pages(),
            places: None,
        }
    }

    /// The same where the die of a page follows from its number.
    pub(crate) fn by_page(drive: &Drive, seed: u64) -> Self {
        Self {
            places: Some(Places::new(drive, seed)),
            ..Self::new(drive, seed)
        }
    }

    /// A die, uniformly.
    pub(crate) fn any_die(&mut self) -> u32 {
        self.draw.below(self.dies) as u32
    }

    /// The die that collects next.
    fn source(&mut self) -> u32 {
        if self.waiting.is_empty() {
            return self.any_die();
        }
        let place = self.draw.below(self.waiting.len() as u64) as usize;
        self.waiting.swap_remove(place)
    }

    fn program(&mut self, die: u32, due: &mut Vec<Job>) {
        if let Some(fraction) = self.fractions.get_mut(die as usize) {
            // of all programs so many are moves
            *fraction += (self.moves_per_write / (1.0 + self.moves_per_write)) as f32;
            if *fraction >= 1.0 {
                *fraction -= 1.0;
                self.waiting.push(die);
            }
        }
        let programs = &mut self.programs[die as usize];
        *programs += 1.0;
        if f64::from(*programs) >= self.programs_per_erase {
            *programs -= self.programs_per_erase as f32;
            due.push(Job::Erase { die });
        }
    }

    /// The write of a page to a die, with the collection that is due for it: on any die, or where pages stay on theirs on each as often as it was
    /// programmed. Which die goes next is drawn.
    pub(crate) fn write_to(&mut self, die: u32, due: &mut Vec<Job>) {
        self.program(die, due);
        self.moves += self.moves_per_write;
        while self.moves >= 1.0 {
            self.moves -= 1.0;
            let from = self.source();
            let to = if self.in_place { from } else { self.any_die() };
            let page = self.moved.below(self.pages);
            due.push(Job::Move { page, from, to });
            self.program(to, due);
        }
    }
}

impl Mapping for Statistical {
    fn locate(&mut self, page: u64) -> u32 {
        match &self.places {
            Some(places) => places.die_of(page),
            None => self.any_die(),
        }
    }

    fn write(&mut self, page: u64, target: Target, due: &mut Vec<Job>) -> Written {
        let (old, die) = match target {
            Target::Die(die) => (self.locate(page), die),
            Target::Same(die) => (die, die),
        };
        self.write_to(die, due);
        Written { old, die }
    }

    fn page_on(&mut self, dies: &Range<u32>, draw: &mut Draw) -> u64 {
        match &self.places {
            Some(places) => places.page_on(dies, draw),
            None => draw.below(self.pages),
        }
    }

    fn resident_bytes(&self) -> u64 {
        (size_of::<Self>() + 4 * (self.programs.len() + self.fractions.len() + self.waiting.capacity()))
            as u64
    }
}
