//! What waits to begin: writes of the host for room in the write buffer or for moves of their package, moves for those before them.

use std::collections::VecDeque;

use crate::drive::Drive;
use crate::hardware::Acknowledge;
use crate::mapping::Target;
use crate::simulation::host::Parts;
use crate::simulation::operations::Operation;

/// Which writes of the host and which moves may begin.
pub(super) struct Admission {
    packages: Vec<Package>,
    dies_per_package: u32,
    most_moves: u32,
    /// Writes and moves of each die that are under way or wait.
    load: Vec<u32>,
    /// Writes in the write buffer.
    buffered: u64,
    /// Its places; none without a buffer.
    places: Option<u64>,
    /// Writes that wait for a place, in order.
    held: VecDeque<PageWrite>,
}

/// What a package works on.
#[derive(Default)]
struct Package {
    /// Moves that are under way.
    moves: u32,
    /// Moves that wait for one of them to end.
    waiting: VecDeque<Operation>,
    /// Writes of the host that wait for moves.
    held: VecDeque<Program>,
}

/// A page that the host writes, or a part of one.
#[derive(Clone, Copy)]
pub(super) struct PageWrite {
    pub(super) page: u64,
    pub(super) parts: Parts,
    pub(super) request: u32,
    pub(super) is_hot: bool,
    pub(super) sent: u64,
    /// When it took its place in the buffer.
    pub(super) admitted: u64,
}

/// A page that is programmed for the host.
#[derive(Clone, Copy)]
pub(super) struct Program {
    pub(super) asked: PageWrite,
    pub(super) is_whole: bool,
    pub(super) target: Target,
}

impl Admission {
    pub(super) fn new(drive: &Drive) -> Self {
        Self {
            packages: (0..drive.packages()).map(|_| Package::default()).collect(),
            dies_per_package: drive.nand.dies_per_package,
            most_moves: drive.max_moves,
            load: vec![0; drive.dies() as usize],
            buffered: 0,
            places: (drive.host.ack == Acknowledge::Buffer).then(|| drive.buffered_writes()),
            held: VecDeque::new(),
        }
    }

    fn package(&self, die: u32) -> usize {
        (die / self.dies_per_package) as usize
    }

    /// Whether writes have places in a buffer.
    pub(super) fn has_buffer(&self) -> bool {
        self.places.is_some()
    }

    /// A write comes: it has its place, or waits behind those before it.
    pub(super) fn takes_place(&mut self, write: PageWrite) -> Option<PageWrite> {
        self.held.push_back(write);
        self.next_with_place()
    }

    /// The write that takes a place which is free.
    pub(super) fn next_with_place(&mut self) -> Option<PageWrite> {
        if self.places.is_some_and(|places| self.buffered >= places) {
            return None;
        }
        let next = self.held.pop_front()?;
        self.buffered += u64::from(self.places.is_some());
        Some(next)
    }

    /// A write leaves the buffer.
    pub(super) fn leaves_buffer(&mut self) {
        self.buffered -= 1;
    }

    /// A program of the host comes to the package of a die: whether it begins; if not, it waits for moves.
    pub(super) fn programs(&mut self, die: u32, program: Program) -> bool {
        self.load[die as usize] += 1;
        let (most, package) = (self.most_moves, self.package(die));
        let package = &mut self.packages[package];
        if package.is_open(most) && package.held.is_empty() {
            return true;
        }
        package.held.push_back(program);
        false
    }

    /// A move comes to the package of its die: whether it begins; if not, it waits for one of those before it.
    pub(super) fn moves(&mut self, operation: Operation) -> bool {
        self.load[operation.die as usize] += 1;
        let (most, package) = (self.most_moves, self.package(operation.die));
        let package = &mut self.packages[package];
        if package.moves < most {
            package.moves += 1;
            return true;
        }
        package.waiting.push_back(operation);
        false
    }

    /// A move of a die has ended: the one that waited for it, which begins.
    pub(super) fn move_ended(&mut self, die: u32) -> Option<Operation> {
        self.load[die as usize] -= 1;
        let package = self.package(die);
        let package = &mut self.packages[package];
        let next = package.waiting.pop_front();
        package.moves -= u32::from(next.is_none());
        next
    }

    /// A program of the host on a die has ended.
    pub(super) fn program_ended(&mut self, die: u32) {
        self.load[die as usize] -= 1;
    }

    /// The program of the host that can begin in the package of a die, now that a move has ended.
    pub(super) fn next_program(&mut self, die: u32) -> Option<Program> {
        let (most, package) = (self.most_moves, self.package(die));
        let package = &mut self.packages[package];
        if package.is_open(most) {
            package.held.pop_front()
        } else {
            None
        }
    }

    /// The die with the least to do, of several the first from `turn` on.
    pub(super) fn least_loaded(&self, turn: u64) -> u32 {
        let dies = self.load.len();
        let first = (turn % dies as u64) as usize;
        let from_turn = (first..dies).chain(0..first);
        from_turn.min_by_key(|die| self.load[*die]).unwrap_or(0) as u32
    }
}

impl Package {
    fn is_open(&self, most_moves: u32) -> bool {
        self.moves < most_moves
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::paths::Kind;

    proptest! {
        /// No package ever has more moves under way than it may, none waits while one more may begin, and all come to their end.
        #[test]
        fn packages_keep_their_bound(dies in prop::collection::vec(0_u32..32, 1..200), most in 1_u32..5) {
            let drive = Drive { max_moves: most, ..Drive::default() };
            let mut admission = Admission::new(&drive);
            let mut under_way = Vec::new();
            let mut begun = 0;
            for die in &dies {
                let operation = Operation::new(Kind::Move, 0, *die, *die, 0);
                if admission.moves(operation) {
                    under_way.push(*die);
                    begun += 1;
                }
                for package in 0..2 {
                    let moves = under_way.iter().filter(|die| *die / 16 == package).count();
                    prop_assert!(moves <= most as usize);
                    let waiting = admission.packages[package as usize].waiting.len();
                    prop_assert!(waiting == 0 || moves == most as usize);
                }
            }
            while let Some(die) = under_way.pop() {
                if let Some(next) = admission.move_ended(die) {
                    prop_assert_eq!(next.die / 16, die / 16);
                    under_way.push(next.die);
                    begun += 1;
                }
            }
            prop_assert_eq!(begun, dies.len());
            prop_assert!(admission.load.iter().all(|load| *load == 0));
        }
    }

    #[test]
    fn the_least_loaded_die_is_the_next_in_turn_of_several() {
        let mut admission = Admission::new(&Drive::default());
        assert_eq!(admission.least_loaded(5), 5);
        admission.moves(Operation::new(Kind::Move, 0, 5, 5, 0));
        assert_eq!(admission.least_loaded(5), 6);
        for die in 0..admission.load.len() as u32 {
            admission.moves(Operation::new(Kind::Move, 0, die, die, 0));
        }
        assert_eq!(admission.least_loaded(5), 6);
    }
}
