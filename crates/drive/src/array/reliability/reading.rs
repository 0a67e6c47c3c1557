//! Reads: what they sense, the decoder that their data go through, and the attempts after a failed one.

use wordline_ecc::{PageCode, ReadDraws};
use wordline_ftl::{Cause, Inspect, Lpn, Outcome, Step, Subjects, Work};
use wordline_metrics::DecodedRead;
use wordline_nand::{ArrayStep, Mode, Ppn, Select};
use wordline_units::{Duration, SimTime};

use super::{Decoder, Reliability};
use crate::array::FlashArray;
use crate::clock::{Clock, Event};
use crate::features::Features;
use crate::observe::Observer;
use crate::operation::{Kind, Op, OpId};

/// How the data of a read go through the decoder of their channel.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Decoding {
    /// They do not: there is no code.
    NotNeeded,
    /// They are in it until an event says that it is done.
    Takes,
    /// It is done with them.
    Over,
}

/// Codewords of `sectors` sub-pages each of which `bitmap` has one at least.
fn codewords_with(bitmap: u64, sectors: u32) -> u32 {
    let (mut left, mut codewords) = (bitmap, 0);
    while left != 0 {
        let first = left.trailing_zeros() / sectors * sectors;
        left &= !(u64::MAX >> (64 - sectors) << first);
        codewords += 1;
    }
    codewords
}

impl Decoder {
    /// Takes the codewords of a transfer that has just ended, one by one as they came: tells when the last is
    /// decoded (G. Wu 2013, section 2.2, with what the decoder had before).
    fn take(&mut self, now: SimTime, codewords: u32, each: Duration) -> SimTime {
        let all = each * u64::from(codewords);
        let first_came =
            self.moving_since + Duration(now.since(self.moving_since).ns() / u64::from(codewords));
        // the decoder is late, or waits for none after the first, or for every one
        self.free_at = (self.free_at + all).max(first_came + all).max(now + each);
        self.free_at
    }
}

impl Reliability {
    /// Codewords of a page that a read of some of its sub-pages takes: all that hold one of them.
    fn codewords_of(&self, op: &Op, sectors_per_page: u32) -> u32 {
        let Work::Read { bitmap, .. } = op.step.work else {
            return 0;
        };
        codewords_with(bitmap, sectors_per_page / self.code_of(op).codewords())
    }

    /// The code of an operation's page.
    fn code_of(&self, op: &Op) -> &PageCode {
        &self.codes[op.mode.index()]
    }

    /// A page is programmed with data from the controller.
    pub(super) fn programmed(&mut self, page: Ppn, now: SimTime) {
        self.pages.program(page, now);
        self.learning.program(page);
    }

    /// A page of a mode is copied inside its plane.
    pub(super) fn copied_back(&mut self, source: Ppn, page: Ppn, mode: Mode, now: SimTime) {
        self.pages.copy_back(source, page, mode, now);
        self.learning.program(page);
    }

    /// Phases of a program that were cancelled were done again.
    pub(crate) fn redone(&mut self, page: Ppn, phases: u32) {
        self.pages.redo(page, phases);
    }

    /// A host program that brought a whole page: nothing of what was lost is missing any more.
    pub(crate) fn written(&mut self, step: &Step, ftl: &dyn Inspect) {
        if !self.lost.is_empty() && step.cause == Cause::Host && step.after == 0 {
            let mut units = Vec::new();
            ftl.units_of(step, &mut units);
            for lpn in units {
                self.lost.remove(&lpn);
            }
        }
    }
}

/// The logical pages that are current on the part of a page that an operation reads.
fn owners_of(ftl: &dyn Inspect, op: &Op) -> Vec<Lpn> {
    let Work::Read { bitmap, .. } = op.step.work else {
        return Vec::new();
    };
    let units = ftl.unit_geometry();
    let per_page = units.pages_per_program;
    if per_page == 1 {
        let wanted = match ftl.read_repair() {
            Some(repair) => repair.page_wanted(&op.step),
            None => op.step.work.planned_page(),
        };
        let current = ftl.lookup(op.step.lpn).is_some_and(|page| wanted == Some(page));
        return current.then_some(op.step.lpn).into_iter().collect();
    }
    let first = op.page.0 * u64::from(per_page);
    let read =
        (0..per_page).filter(|slot| bitmap >> (slot * units.sectors_per_page()) & units.full_bitmap() != 0);
    read.filter_map(|slot| ftl.owner(Ppn(first + u64::from(slot))))
        .collect()
}

impl<F: Features> FlashArray<F> {
    /// A command starts: the state of its pages changes, and reads get their sensing, which their array steps
    /// follow. `now` is the time that the drive has lived.
    pub(in crate::array) fn play_on_cells(
        &mut self,
        kind: Kind,
        members: &[OpId],
        arrays: &mut [ArrayStep],
        now: SimTime,
        observe: &mut Observer<F>,
    ) {
        let Some(reliability) = self.reliability.as_mut() else {
            return;
        };
        match kind {
            Kind::Read => {
                for &id in members {
                    self.begin_read(id, now, observe);
                }
                self.sense(members, arrays);
            }
            Kind::Program => {
                for &id in members {
                    reliability.programmed(self.ops[id].page, now);
                }
            }
            Kind::CopyBack => {
                for &id in members {
                    let op = &self.ops[id];
                    if let Work::CopyBack { source, .. } = op.step.work {
                        reliability.copied_back(source, op.page, op.read_mode, now);
                    }
                }
            }
            Kind::Erase => {
                for &id in members {
                    reliability.pages.erase(self.ops[id].block);
                }
            }
        }
    }

    /// A read is issued: at the first time what it will take is settled.
    fn begin_read(&mut self, id: OpId, now: SimTime, observe: &mut Observer<F>) {
        let Some(reliability) = self.reliability.as_mut() else {
            return;
        };
        let op = &mut self.ops[id];
        let rber = reliability.pages.read(op.page, op.mode, now);
        if op.sensing.level > 0 || !op.step.work.brings_data() {
            return;
        }
        let codewords = reliability.codewords_of(op, self.flash.geometry.sectors_per_page());
        reliability.reads += 1;
        let draws = ReadDraws {
            seed: reliability.seed,
            page: op.page.0,
            read: reliability.reads,
        };
        let learned = reliability.learning.start(&reliability.pages, op.page, now);
        let (sensing, expected) = reliability.code_of(op).read(rber, codewords, learned, draws);
        op.sensing = sensing;
        if let Some(record) = observe.reliability() {
            record.begins(rber);
            record.expect_failures(expected);
        }
    }

    /// Array steps as long as the sensing of their reads.
    fn sense(&self, members: &[OpId], arrays: &mut [ArrayStep]) {
        let Some(reliability) = self.reliability.as_ref() else {
            return;
        };
        // modes differ in their BCH codes only
        let PageCode::Ldpc(ldpc) = &reliability.codes[0] else {
            return;
        };
        for array in arrays {
            let ops = members.iter().map(|id| &self.ops[*id]);
            let times = ops.filter(|op| op.die == array.die).map(|op| {
                let page = self.flash.geometry.page_of_block(op.page, op.block);
                let reference = self.chips.timing.sensing(op.mode, self.chips.page_types.of(page));
                if op.sensing.level > 0 {
                    ldpc.sensing(op.sensing, reference)
                } else {
                    reference
                }
            });
            array.length = self.chips.timing.sense_array(times.max().unwrap_or_default());
        }
    }

    /// How long the data of a read take over the bus, from `now` on: whole codewords where a decoder waits for them,
    /// with as many bits of each cell as were sensed.
    pub(in crate::array) fn data_out_time(&mut self, id: OpId, select: Select, now: SimTime) -> Duration {
        let op = &self.ops[id];
        let sectors = op.sectors();
        if sectors == 0 {
            let spare = u64::from(self.flash.geometry.spare_bytes);
            return self.chips.timing.data_out(spare, select);
        }
        let Some(reliability) = self.reliability.as_mut() else {
            let timing = &self.chips.timing;
            return timing.data_out(timing.bytes(sectors), select);
        };
        let channel = self.flash.geometry.channel_of(op.die).index();
        reliability.decoders[channel].moving_since = now;
        let sectors_per_page = self.flash.geometry.sectors_per_page();
        let codewords = reliability.codewords_of(op, sectors_per_page);
        let sectors = codewords * (sectors_per_page / reliability.code_of(op).codewords());
        let bytes = self.chips.timing.bytes(sectors);
        match reliability.code_of(op) {
            PageCode::Bch(_) => self.chips.timing.data_out(bytes, select),
            PageCode::Ldpc(ldpc) => match ldpc.transfer(op.sensing, codewords) {
                Some(time) => self.chips.timing.data_out(0, select) + time,
                None => {
                    let bytes = bytes * u64::from(ldpc.bits(op.sensing));
                    self.chips.timing.data_out(bytes, select)
                }
            },
        }
    }

    /// The data of a read are out of its die: they go through the decoder of their channel.
    #[inline]
    pub(crate) fn decode(&mut self, id: OpId, clock: &mut Clock, observe: &mut Observer<F>) -> Decoding {
        let Some(reliability) = self.reliability.as_mut() else {
            return Decoding::NotNeeded;
        };
        let op = &self.ops[id];
        if op.sensing.level == 0 {
            return Decoding::NotNeeded;
        }
        let codewords = reliability.codewords_of(op, self.flash.geometry.sectors_per_page());
        let each = reliability.code_of(op).decode();
        let channel = self.flash.geometry.channel_of(op.die).index();
        let done = reliability.decoders[channel].take(clock.now(), codewords, each);
        observe.decoding(clock.now(), &op.constituent(), each * u64::from(codewords));
        if done > clock.now() {
            clock.schedule(done, Event::Decoded(id));
            return Decoding::Takes;
        }
        Decoding::Over
    }

    /// The decoder is done with the data of a read: the outcome, or none where it asks for finer sensing. `lifetime` is the time
    /// that the drive has lived.
    pub(crate) fn decoded(
        &mut self,
        id: OpId,
        (now, lifetime): (SimTime, SimTime),
        ftl: &dyn Inspect,
        observe: &mut Observer<F>,
    ) -> Option<Outcome> {
        let op = &self.ops[id];
        observe.charge_decoder(now, op);
        if op.sensing.level < op.sensing.last {
            return None;
        }
        let reliability = self.reliability.as_mut()?;
        if !op.sensing.fails {
            let changed = reliability
                .learning
                .read(&reliability.pages, op.page, op.sensing, lifetime);
            if let (Some((table, days)), Some(record)) = (changed, observe.reliability()) {
                record.start_levels.changed(now, table, days);
            }
        }
        let days = reliability
            .learning
            .days_of(&reliability.pages, op.page, lifetime);
        if let (Some(days), Some(record)) = (days, observe.reliability()) {
            record.ages.read(op.step.cause == Cause::Host, days);
        }
        let was_lost = reliability.lost.contains(&op.step.lpn);
        let fails = op.sensing.fails || was_lost;
        observe.decoded(&DecodedRead {
            cause: op.step.cause,
            level: op.sensing.level,
            attempts: op.sensing.attempts(),
            is_corrected: !fails,
        });
        if !fails {
            return Some(Outcome::Good);
        }
        // what the host reads stays where it is; what is moved or updated goes on without its data, unless the mapping brings them back
        let is_for_host = matches!(op.step.cause, Cause::Host | Cause::Parity) && op.step.acknowledges;
        if !is_for_host && (was_lost || !ftl.read_repair().is_some_and(|repair| repair.recovers(&op.step))) {
            reliability.lost.extend(owners_of(ftl, op));
        }
        Some(if was_lost {
            Outcome::Lost
        } else {
            Outcome::Uncorrectable
        })
    }

    /// A read is attempted again, with finer sensing.
    pub(crate) fn sense_finer(&mut self, id: OpId, now: SimTime, observe: &mut Observer<F>) {
        let op = &mut self.ops[id];
        op.sensing.level += 1;
        observe.retried(now, &op.constituent());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A page of 8 sub-pages in codewords of 2, 4 and 8 of them, worked by hand.
    #[test]
    fn a_read_across_a_border_takes_both_codewords() {
        for (bitmap, sectors, codewords) in [
            (0b0000_0011, 2, 1),
            (0b0000_0110, 2, 2),
            (0b1000_0001, 2, 2),
            (0b0101_0101, 2, 4),
            (0b0001_1000, 4, 2),
            (0b1111_0000, 4, 1),
            (0b0001_1000, 8, 1),
            (1 << 63 | 1, 64, 1),
            (u64::MAX, 1, 64),
            (0, 4, 0),
        ] {
            assert_eq!(
                codewords_with(bitmap, sectors),
                codewords,
                "{bitmap:b} in {sectors}"
            );
        }
    }

    /// Wu (2013): 25 us of sensing, then whole pages of two and of eight segments; and behind another read.
    #[test]
    fn the_decoder_is_a_pipeline() {
        let us = |us: f64| SimTime((us * 1e3) as u64);
        let mut decoder = Decoder {
            moving_since: us(25.0),
            ..Decoder::default()
        };
        let end = us(25.0 + 40.96);
        assert_eq!(decoder.take(end, 2, Duration(21_710)), us(88.90));
        decoder = Decoder {
            moving_since: us(25.0),
            ..Decoder::default()
        };
        assert_eq!(decoder.take(end, 8, Duration(5_780)), us(76.36));
        // the next page comes while the decoder still works on this one
        decoder.moving_since = end;
        let next = end + Duration(5_120);
        assert_eq!(decoder.take(next, 1, Duration(5_780)), us(76.36 + 5.78));
        // and one that comes when it rests
        decoder.moving_since = us(200.0);
        assert_eq!(decoder.take(us(205.0), 1, Duration(5_780)), us(210.78));
        // transfers that are slower than the decoder: only the last codeword waits for it
        let mut fast = Decoder::default();
        assert_eq!(fast.take(us(80.0), 8, Duration(1_000)), us(81.0));
    }
}
