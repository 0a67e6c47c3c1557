//! Reads: what they sense, the decoder that their data go through, and the attempts after a failed one.

use wordline_ftl::{Cause, Outcome, Route, Step, Work};
use wordline_metrics::{DecodedRead, Part};
use wordline_nand::{ArrayStep, Ppn, Select};
use wordline_units::{Duration, SimTime};

use super::code::{Code, Draws};
use super::{Decoder, Reliability};
use crate::drive::{Drive, Event};
use crate::operation::{Kind, Op, OpId};
use crate::scheduler::issue::constituent;

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

/// Whether a step's data come to the decoder.
fn is_decoded(step: &Step) -> bool {
    matches!(
        step.work,
        Work::Read {
            bitmap: 1..,
            route: Route::Controller,
            ..
        }
    )
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
        codewords_with(bitmap, sectors_per_page / self.code.codewords())
    }

    /// Phases of a program that were cancelled were done again.
    pub(crate) fn redone(&mut self, page: Ppn, phases: u32) {
        self.pages.redo(page, phases);
    }

    /// A host program that brought a whole page: nothing of what was lost is missing any more.
    pub(crate) fn written(&mut self, step: &Step) {
        if !self.lost.is_empty() && step.cause == Cause::Host && step.after == 0 {
            self.lost.remove(&step.lpn);
        }
    }
}

impl Drive {
    /// A command starts: the state of its pages changes, and reads get their sensing, which their array steps
    /// follow.
    pub(crate) fn play_on_cells(&mut self, kind: Kind, members: &[OpId], arrays: &mut [ArrayStep]) {
        let now = self.ftl_now();
        let Some(reliability) = &mut self.reliability else {
            return;
        };
        match kind {
            Kind::Read => {
                for &id in members {
                    self.begin_read(id, now);
                }
                self.sense(members, arrays);
            }
            Kind::Program => {
                for &id in members {
                    reliability.pages.program(self.ops[id].page, now);
                }
            }
            Kind::CopyBack => {
                for &id in members {
                    let op = &self.ops[id];
                    if let Work::CopyBack { source, .. } = op.step.work {
                        reliability.pages.copy_back(source, op.page, now);
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
    fn begin_read(&mut self, id: OpId, now: SimTime) {
        let Some(reliability) = &mut self.reliability else {
            return;
        };
        let op = &mut self.ops[id];
        let rber = reliability.pages.read(op.page, now);
        if op.sensing.level > 0 || !is_decoded(&op.step) {
            return;
        }
        let codewords = reliability.codewords_of(op, self.flash.geometry.sectors_per_page());
        reliability.reads += 1;
        let draws = Draws {
            seed: reliability.seed,
            page: op.page,
            read: reliability.reads,
        };
        let (sensing, expected) = reliability.code.read(rber, codewords, draws);
        op.sensing = sensing;
        if let Some(record) = &mut self.recorder.reliability {
            record.begins(rber);
            record.expect_failures(expected);
        }
    }

    /// Array steps as long as the sensing of their reads.
    fn sense(&self, members: &[OpId], arrays: &mut [ArrayStep]) {
        let Some(Code::Ldpc(ldpc)) = self.reliability.as_ref().map(|all| &all.code) else {
            return;
        };
        for array in arrays {
            let ops = members.iter().map(|id| &self.ops[*id]);
            let times = ops.filter(|op| op.die == array.die).map(|op| {
                let page = self.flash.geometry.page_of_block(op.page, op.block);
                let reference = self.timing.sensing(self.page_types.of(page));
                if op.sensing.level > 0 {
                    ldpc.sensing(op.sensing, reference)
                } else {
                    reference
                }
            });
            array.length = self.timing.sense_array(times.max().unwrap_or_default());
        }
    }

    /// How long the data of a read take over the bus, from now on: whole codewords where a decoder waits for them,
    /// with as many bits of each cell as were sensed.
    pub(crate) fn data_out_time(&mut self, op: &Op, select: Select) -> Duration {
        let channel = self.flash.geometry.channel_of(op.die).index();
        let Some(reliability) = &mut self.reliability else {
            return self.timing.data_out(self.timing.bytes(op.sectors()), select);
        };
        reliability.decoders[channel].moving_since = self.now;
        let sectors_per_page = self.flash.geometry.sectors_per_page();
        let codewords = reliability.codewords_of(op, sectors_per_page);
        let sectors = codewords * (sectors_per_page / reliability.code.codewords());
        let bytes = self.timing.bytes(sectors);
        match &reliability.code {
            Code::Bch(_) => self.timing.data_out(bytes, select),
            Code::Ldpc(ldpc) => match ldpc.transfer(op.sensing, codewords) {
                Some(time) => self.timing.data_out(0, select) + time,
                None => {
                    let bytes = bytes * u64::from(ldpc.bits(op.sensing));
                    self.timing.data_out(bytes, select)
                }
            },
        }
    }

    /// The data of a read are out of its die: they go through the decoder of their channel.
    pub(crate) fn decode(&mut self, id: OpId) {
        let Some(reliability) = &mut self.reliability else {
            return self.op_done(id, Outcome::Good);
        };
        let op = self.ops[id];
        if op.sensing.level == 0 {
            return self.op_done(id, Outcome::Good);
        }
        let codewords = reliability.codewords_of(&op, self.flash.geometry.sectors_per_page());
        let each = reliability.code.decode();
        let channel = self.flash.geometry.channel_of(op.die).index();
        let done = reliability.decoders[channel].take(self.now, codewords, each);
        if let Some(record) = &mut self.recorder.reliability {
            record.decodes(each * u64::from(codewords));
        }
        for probe in &mut self.probes {
            probe.decoding(self.now, &constituent(&op));
        }
        if done > self.now {
            self.schedule(done, Event::Decoded(id));
        } else {
            self.decoded(id);
        }
    }

    /// The decoder is done with the data of a read: it has succeeded, asks for finer sensing, or gives up.
    pub(crate) fn decoded(&mut self, id: OpId) {
        let op = self.ops[id];
        self.charge(op.account, Part::Ecc, self.now);
        if op.sensing.level < op.sensing.last {
            return self.read_again(id);
        }
        let Some(reliability) = &mut self.reliability else {
            return;
        };
        let fails = op.sensing.fails || reliability.lost.contains(&op.step.lpn);
        if let Some(record) = &mut self.recorder.reliability {
            record.ends(&DecodedRead {
                cause: op.step.cause,
                level: op.sensing.level,
                attempts: op.sensing.attempts(),
                is_corrected: !fails,
            });
        }
        if !fails {
            return self.op_done(id, Outcome::Good);
        }
        // what the host reads stays where it is; what is moved or updated goes on without its data
        let goes_on = op.step.cause != Cause::Host || !op.step.acknowledges;
        if goes_on && self.ftl.lookup(op.step.lpn) == Some(op.page) {
            reliability.lost.insert(op.step.lpn);
        }
        self.op_done(id, Outcome::Uncorrectable);
    }

    /// A further attempt is a flash command of its own; it keeps the place of the first one in the order.
    fn read_again(&mut self, id: OpId) {
        let op = &mut self.ops[id];
        op.sensing.level += 1;
        let account = op.account;
        let read = constituent(op);
        self.recorder.retried(self.now, &read);
        for probe in &mut self.probes {
            probe.retried(self.now, &read);
        }
        if self.firmware.enabled() {
            let cycles = self.firmware.cost.flash_command;
            let done = self.firmware.charge(self.now, cycles);
            self.charge_firmware(account, cycles, done);
            self.schedule(done, Event::OpReady(id));
        } else {
            self.enqueue(id);
        }
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
