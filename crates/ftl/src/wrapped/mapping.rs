//! How a wrapped mapping is told of the drive, brought to an age and built anew.

use wordline_nand::BlockId;
use wordline_units::{Seed, SimTime};

use super::{Wrapped, Wrapper};
use crate::allocation::Order;
use crate::contract::{AssignByRule, Mapping};
use crate::error::FtlError;
use crate::exec::functional::FunctionalError;
use crate::recovery::{FoundFlash, Recovery, RecoveryError};
use crate::space::{FillError, Filling};

impl<W: Wrapper> Mapping for Wrapped<W> {
    fn number_write(&mut self, number: u64) {
        self.inner.number_write(number);
    }

    fn expect_requests(&mut self, pages: u64) {
        self.inner.expect_requests(pages);
    }

    fn fail_block(&mut self, block: BlockId) {
        self.inner.fail_block(block);
    }

    fn set_erase_count(&mut self, block: BlockId, erases: u32) {
        self.inner.set_erase_count(block, erases);
    }

    fn consume_block(&mut self, filling: &Filling) -> Result<(), FillError> {
        self.inner.consume_block(filling)
    }

    fn finish_fill(&mut self, now: SimTime) {
        self.inner.finish_fill(now);
    }

    fn check_filled(&self, pages: u64) -> Result<(), FtlError> {
        self.inner.check_filled(pages)
    }

    fn reset_counters(&mut self) {
        self.inner.reset_counters();
        self.wrapper.reset_counters();
    }

    fn record_program_times(&mut self) {
        self.inner.record_program_times();
    }

    fn take_program_times(&mut self) -> Vec<SimTime> {
        self.inner.take_program_times()
    }

    fn complete_age(&mut self, order: Order, now: SimTime, seed: Seed) -> Result<(), FunctionalError> {
        self.inner.complete_age(order, now, seed)
    }

    fn recover(&mut self, now: SimTime, flash: &dyn FoundFlash) -> Result<Recovery, RecoveryError> {
        self.inner.recover(now, flash)
    }

    fn by_rule(&mut self) -> Option<&mut dyn AssignByRule> {
        self.inner.by_rule()
    }
}
