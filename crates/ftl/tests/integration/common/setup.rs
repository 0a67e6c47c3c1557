//! Random drives.

use wordline_ftl::hot_cold::ClassifierRow;
use wordline_ftl::victim::VictimRow;
use wordline_ftl::{
    ActiveBlock, Ageable, AllocationConfig, AllocationMode, BlockClasses, DynamicMode, DynamicWear,
    FlashRules, Ftl, FtlConfig, GcFrontier, GcMode, Mapping, MappingInput, Order, PageFtl, Planes, Pool,
    RecoveryKind, SlcCacheConfig, SlcMode, Subjects, WhenFull,
};
use wordline_keys::Registered;
use wordline_nand::{CellType, CommandsConfig, Geometry, GeometryConfig, Mode, RestrictionsConfig, Use};
use wordline_units::{ByteSize, Duration, Seed};

use super::work::Random;

/// All that a drive is built from.
#[derive(Clone, Debug)]
pub(crate) struct Setup {
    pub(crate) geometry: GeometryConfig,
    pub(crate) ftl: FtlConfig,
    pub(crate) allocation: AllocationConfig,
    pub(crate) commands: CommandsConfig,
    pub(crate) restrictions: RestrictionsConfig,
    pub(crate) seed: u64,
}

impl Setup {
    /// A small single-plane drive with the configuration's defaults.
    pub(crate) fn plain(blocks: u32, pages_per_block: u32, over_provisioning: f64) -> Self {
        Self {
            geometry: GeometryConfig {
                channels: 1,
                chips_per_channel: 1,
                dies_per_chip: 1,
                planes_per_die: 1,
                blocks_per_plane: blocks,
                pages_per_block,
                ..GeometryConfig::default()
            },
            ftl: FtlConfig {
                over_provisioning,
                ..FtlConfig::default()
            },
            allocation: AllocationConfig::default(),
            commands: CommandsConfig::default(),
            restrictions: RestrictionsConfig::default(),
            seed: 1,
        }
    }

    /// Any drive that the FTL does not refuse.
    pub(crate) fn random(seed: u64) -> Self {
        let mut random = Random::new(seed, "setup");
        let mut setup = Self::plain(0, 0, 0.1 + random.unit() * 0.5);
        setup.seed = seed;
        setup.geometry = GeometryConfig {
            channels: random.pick(&[1, 1, 2]),
            chips_per_channel: random.pick(&[1, 1, 2]),
            dies_per_chip: random.pick(&[1, 1, 2]),
            planes_per_die: random.pick(&[1, 2, 2, 4]),
            blocks_per_plane: 6 + random.below(15) as u32,
            pages_per_block: random.pick(&[2, 4, 8, 16, 6]),
            page_size: ByteSize(512 * random.pick(&[1, 4, 4, 8])),
            ..GeometryConfig::default()
        };
        setup.allocation = AllocationConfig {
            mode: random.pick(&[
                AllocationMode::Static,
                AllocationMode::Dynamic,
                AllocationMode::Dynamic,
            ]),
            dynamic: random.pick(&[DynamicMode::Full, DynamicMode::Full, DynamicMode::ChannelBound]),
            order: Order::all()[random.below(24) as usize],
            active_block: random.pick(&[
                ActiveBlock::NextIndex,
                ActiveBlock::Fifo,
                ActiveBlock::LowestEraseCount,
            ]),
            wear_aware: random.one_in(4),
            planes: Planes::Independent,
        };
        let gc = &mut setup.ftl.gc;
        gc.victim = random.pick(&VictimRow::table().names()).into();
        gc.keys.set("d", 1 + random.below(5) as u32);
        gc.keys.set("window", 1 + random.below(20) as u32);
        gc.pool = match (setup.allocation.mode, setup.allocation.dynamic) {
            (AllocationMode::Static, _) => Pool::Plane,
            (_, DynamicMode::ChannelBound) => {
                random.pick(&[Pool::Plane, Pool::Die, Pool::Chip, Pool::Channel])
            }
            _ => random.pick(&[Pool::Plane, Pool::Die, Pool::Chip, Pool::Channel, Pool::Drive]),
        };
        gc.reserve_blocks = 1 + random.below(2) as u32;
        gc.hard = f64::from(gc.reserve_blocks) + random.below(2) as f64;
        gc.low = gc.hard + random.below(2) as f64;
        gc.high = gc.low + random.below(2) as f64;
        gc.mode = random.pick(&[
            GcMode::Foreground,
            GcMode::Background,
            GcMode::OneBlock,
            GcMode::Preemptible,
            GcMode::Partial,
        ]);
        gc.idle = Duration::from_us(random.pick(&[1, 100, 10_000]));
        gc.frontier = random.pick(&[GcFrontier::Shared, GcFrontier::Separate]);
        gc.keys
            .set("age_basis", random.pick(&["last_write", "last_invalidation"]));
        let wear = &mut setup.ftl.wear;
        wear.dynamic = random.pick(&[
            DynamicWear::Off,
            DynamicWear::LowestErase,
            DynamicWear::ByTemperature,
        ]);
        let policies = ["off", "off", "swap", "rate_limited", "dual_pool", "hot_cold_swap"];
        wear.static_ = random.pick(&policies).into();
        let classifiers = ClassifierRow::table().names();
        setup.ftl.hot.classifier = random.pick(&classifiers).into();
        let threshold = random.pick(&["512 B", "1 KiB", "4 KiB"]);
        setup.ftl.hot.keys.set("threshold", threshold);
        let placement = &mut setup.ftl.placement;
        placement.directive = random.pick(&["none", "none", "streams", "fdp"]).into();
        placement.keys.set("max_streams", 1 + random.below(3) as u32);
        placement
            .keys
            .set("reclaim_unit_handles", 2 + random.below(3) as u32);
        let types = ["initially_isolated", "persistently_isolated"];
        placement.keys.set("handle_type", random.pick(&types));
        placement
            .keys
            .set("on_overflow", random.pick(&["default_stream", "close_lru"]));
        let wear = &mut setup.ftl.wear;
        wear.keys.set("gap", 1 + random.below(4) as u32);
        wear.check_erases = 1 + random.below(10) as u32;
        wear.keys.set("erase_limit", random.pick(&[10, 100, 3000]));
        setup.ftl.trim.enabled = !random.one_in(8);
        setup.commands.copyback = random.pick(&[Use::Off, Use::Off, Use::Blind, Use::Wise]);
        setup.commands.copyback_max_hops = random.pick(&[0, 0, 1, 3]);
        setup.commands.multi_plane_write = if setup.geometry.planes_per_die > 1 {
            random.pick(&[Use::Off, Use::Blind, Use::Wise])
        } else {
            Use::Off
        };
        setup.restrictions.copyback_same_parity = !random.one_in(4);
        setup.restrictions.multi_plane_same_block = !random.one_in(4);
        let is_free =
            (setup.allocation.mode, setup.allocation.dynamic) == (AllocationMode::Dynamic, DynamicMode::Full);
        if setup.ftl.placement.directive.name() == "fdp" && is_free {
            let spans: &[&str] = match setup.ftl.gc.pool {
                Pool::Plane | Pool::Die => &["drive", "channel", "chip", "die"],
                Pool::Chip => &["drive", "channel", "chip"],
                Pool::Channel => &["drive", "channel"],
                Pool::Drive => &["drive"],
            };
            // drawn apart, so that what else a seed draws stays as it is
            let span = Random::new(seed, "groups").pick(spans);
            setup.ftl.placement.keys.set("reclaim_group", span);
        }
        // More spare space until the drive can be built, and collection reaches its goal with all
        // user pages written.
        while !setup
            .build()
            .is_ok_and(|ftl| ftl.check_filled(ftl.user_pages()).is_ok())
        {
            setup.ftl.over_provisioning *= 1.2;
            if setup.ftl.over_provisioning > 1.5 {
                setup.ftl.over_provisioning = 0.2;
                setup.geometry.blocks_per_plane += 4;
            }
        }
        setup
    }

    /// Whether blocks that are not full may be closed: by wear levelling, for a write of another temperature, or with a stream.
    pub(crate) fn closes_early(&self) -> bool {
        self.ftl.hot.classifier.name() != "none" || self.ftl.placement.directive.name() != "none"
    }

    pub(crate) fn geometry(&self) -> Geometry {
        Geometry::new(&self.geometry).unwrap()
    }

    /// The same under another mapping: one of whole logical blocks, with pools and modes that it has.
    pub(crate) fn of_blocks(seed: u64) -> Self {
        let mut setup = Self::random(seed);
        let mut random = Random::new(seed, "blocks");
        setup.ftl.mapping = random
            .pick(&["block", "bast", "sast", "fast", "last", "superblock"])
            .into();
        let keys = &mut setup.ftl.keys;
        keys.set("replacement_blocks", random.below(4) as u32);
        // "last" has one for sequences at least, and two others
        let least = if setup.ftl.mapping.name() == "last" { 3 } else { 2 };
        keys.set("log_blocks", least + random.below(4) as u32);
        keys.set("sequential_log_blocks", 1);
        keys.set("hot_window", 1 + random.below(40) as u32);
        keys.set("sequential_size", random.pick(&["512 B", "2 KiB", "8 KiB"]));
        keys.set("log_victim", random.pick(&["lru", "fifo", "min_cost"]));
        keys.set("group_blocks", 1 + random.below(4) as u32);
        keys.set("superblock_blocks", 1 + random.below(4) as u32);
        keys.set("update_blocks", 1 + random.below(4) as u32);
        keys.set("update_window", random.below(40) as u32);
        keys.set("leaf_entries", 2 + random.below(5) as u32);
        keys.set("cached_maps", 1 + random.below(3) as u32);
        keys.set("group_log_blocks", 1 + random.below(3) as u32);
        keys.set("sequence_break", random.pick(&["merge", "wait"]));
        if setup.ftl.gc.mode == GcMode::Partial {
            setup.ftl.gc.mode = GcMode::Foreground;
        }
        while !setup
            .build_any()
            .is_ok_and(|ftl| ftl.ageable().unwrap().check_filled(ftl.user_pages()).is_ok())
        {
            setup.geometry.blocks_per_plane += 4;
        }
        setup
    }

    /// At least so many blocks of a pool are in reserve, and collection begins before these are needed.
    fn keep_in_reserve(&mut self, least: u32) {
        let gc = &mut self.ftl.gc;
        gc.reserve_blocks = gc.reserve_blocks.max(least);
        gc.hard = gc.hard.max(f64::from(least));
        gc.low = gc.low.max(gc.hard);
        gc.high = gc.high.max(gc.low);
    }

    /// The same with block-level mapping and a reserve with which it can be built anew after power cuts.
    pub(crate) fn of_blocks_to_recover(seed: u64) -> Self {
        Self::to_recover("block", seed)
    }

    /// The same with any mapping of whole logical blocks.
    pub(crate) fn of_whole_blocks_to_recover(seed: u64) -> Self {
        let mappings = ["block", "bast", "sast", "superblock", "fast", "last"];
        Self::to_recover(mappings[seed as usize % mappings.len()], seed)
    }

    /// The same with a mapping of whole logical blocks.
    pub(crate) fn to_recover(mapping: &'static str, seed: u64) -> Self {
        let mut setup = Self::of_blocks(seed);
        setup.ftl.mapping = mapping.into();
        if mapping == "last" {
            setup.ftl.keys.set("log_blocks", 3 + seed as u32 % 4);
        }
        setup.keep_in_reserve(2);
        setup
    }

    /// The same with more blocks, until the drive can be built and collection reaches its goal with all user pages written.
    fn with_blocks_enough(mut self) -> Self {
        for _ in 0..100 {
            let built = self
                .build_any()
                .and_then(|ftl| ftl.ageable().unwrap().check_filled(ftl.user_pages()));
            if built.is_ok() {
                return self;
            }
            self.geometry.blocks_per_plane += 4;
        }
        panic!("no drive: {self:?}")
    }

    /// The same with mapping units that are smaller than a page.
    pub(crate) fn with_units(seed: u64) -> Self {
        let mut setup = Self::random(seed);
        let mut random = Random::new(seed, "units");
        let per_page = random.pick(&[2, 4, 8]);
        setup.geometry.page_size = ByteSize(512 * per_page * random.pick(&[1, 2, 4]));
        setup.ftl.mapping_unit = Some(ByteSize(setup.geometry.page_size.bytes() / per_page));
        setup.commands.copyback = Use::Off;
        setup.ftl.placement.keys.set("reclaim_group", "drive");
        setup.ftl.hot.keys.set("threshold", "512 B");
        // a block may be full but for a part of a page: small ones need more spare space
        setup.ftl.over_provisioning = setup.ftl.over_provisioning.max(1.0);
        setup.with_blocks_enough()
    }

    /// The same with planes in step, whose mapping units are pages or parts of pages.
    pub(crate) fn in_step(seed: u64) -> Self {
        let mut setup = Self::random(seed);
        let mut random = Random::new(seed, "in step");
        let per_page = random.pick(&[1, 2, 4]);
        setup.geometry.planes_per_die = random.pick(&[2, 2, 3, 4]);
        setup.geometry.page_size = ByteSize(512 * per_page * random.pick(&[1, 2, 4]));
        setup.ftl.mapping_unit = Some(ByteSize(setup.geometry.page_size.bytes() / per_page));
        setup.allocation.planes = Planes::InStep;
        setup.ftl.gc.pool = random.pick(&[Pool::Plane, Pool::Die]);
        setup.commands.copyback = Use::Off;
        setup.commands.multi_plane_write = random.pick(&[Use::Blind, Use::Wise]);
        setup.ftl.placement.keys.set("reclaim_group", "drive");
        setup.ftl.hot.keys.set("threshold", "512 B");
        setup.ftl.over_provisioning = setup.ftl.over_provisioning.max(1.0);
        setup.with_blocks_enough()
    }

    /// The same with planes in step that can be built anew after a power cut.
    pub(crate) fn in_step_to_recover(seed: u64) -> Self {
        let mut setup = Self::in_step(seed);
        setup.keep_in_reserve(2);
        setup
    }

    /// The same with mapping units of several pages.
    pub(crate) fn with_large_units(seed: u64) -> Self {
        let mut setup = Self::random(seed);
        let mut random = Random::new(seed, "large units");
        let per_unit = random.pick(&[2, 2, 4]);
        setup.geometry.page_size = ByteSize(512 * random.pick(&[1, 4, 8]));
        setup.geometry.pages_per_block = per_unit as u32 * random.pick(&[2, 3, 4]);
        setup.ftl.mapping_unit = Some(ByteSize(setup.geometry.page_size.bytes() * per_unit));
        setup.ftl.gc.pool = Pool::Plane;
        setup.allocation.mode = AllocationMode::Static;
        setup.commands.copyback = Use::Off;
        setup.ftl.placement.keys.set("reclaim_group", "drive");
        setup.with_blocks_enough()
    }

    /// The same with superblocks that have parity.
    pub(crate) fn with_parity(seed: u64) -> Self {
        let seeds = (0..1_000).map(|turn| seed.wrapping_add(turn << 32));
        let mut setups = seeds.map(Self::striped);
        let has_parity = |setup: &Self| {
            let mut without = setup.clone();
            without.ftl.keys.set("parity", "none");
            without.ftl.keys != setup.ftl.keys
        };
        setups.find(has_parity).unwrap()
    }

    /// The same with superblocks that can be built anew after a power cut.
    pub(crate) fn striped_without_parity(seed: u64) -> Self {
        let mut setup = Self::striped(seed);
        setup.ftl.keys.set("parity", "none");
        setup.keep_in_reserve(2);
        setup
    }

    /// The same with parity that can be found again after a power cut.
    pub(crate) fn with_parity_to_recover(seed: u64) -> Self {
        let mut setup = Self::with_parity(seed);
        setup.keep_in_reserve(2);
        setup
    }

    /// The same with parity, where bad blocks are replaced, left out, or rebuilt once so many of their pages could not be read.
    pub(crate) fn with_bad_members(seed: u64) -> Self {
        let mut setup = Self::with_parity(seed);
        let mut random = Random::new(seed, "bad members");
        let way = random.pick(&["retire", "degrade", "substitute", "substitute"]);
        let keys = &mut setup.ftl.keys;
        keys.set("bad_member", way);
        keys.set(
            "spare_blocks",
            if way == "substitute" {
                random.pick(&[1_i64, 3])
            } else {
                0
            },
        );
        keys.set("unreadable_pages", random.pick(&[1_i64, 2, 3]));
        keys.set("rewrite_recovered", random.pick(&[true, false]));
        setup.keep_in_reserve(if way == "degrade" { 4 } else { 2 });
        setup.ftl.over_provisioning += 1.0;
        setup.geometry.blocks_per_plane += 20;
        for _ in 0..100 {
            match setup.build_any() {
                Ok(ftl) if ftl.ageable().unwrap().check_filled(ftl.user_pages()).is_ok() => return setup,
                // superblocks of two blocks
                Err(error) if error.key == "ftl.bad_member" => setup.ftl.keys.set("bad_member", "retire"),
                // handles whose moves are kept apart
                Err(error) if error.key == "ftl.gc.reserve_blocks" => {
                    let gc = &mut setup.ftl.gc;
                    gc.reserve_blocks += 1;
                    let least = f64::from(gc.reserve_blocks);
                    (gc.hard, gc.low, gc.high) = (gc.hard.max(least), gc.low.max(least), gc.high.max(least));
                    setup.geometry.blocks_per_plane += 1;
                }
                _ => setup.geometry.blocks_per_plane += 4,
            }
        }
        panic!("no drive: {:?} {setup:?}", setup.build_any().err())
    }

    /// The same with superblocks over some of the levels.
    pub(crate) fn striped(seed: u64) -> Self {
        let mut setup = Self::random(seed);
        let mut random = Random::new(seed, "striped");
        setup.ftl.mapping = "striped".into();
        setup.ftl.placement.keys.set("reclaim_group", "drive");
        let spans = ["C", "P", "CP", "PC", "CWDP", "WD", "DPC"];
        setup.ftl.keys.set("span", random.pick(&spans));
        let parity = random.pick(&["none", "fixed", "rotating"]);
        setup.ftl.keys.set("parity", parity);
        if parity != "none" {
            setup.ftl.over_provisioning += 1.2;
        }
        setup.commands.copyback = Use::Off;
        setup.ftl.gc.mode = random.pick(&[
            GcMode::Foreground,
            GcMode::Background,
            GcMode::OneBlock,
            GcMode::Preemptible,
            GcMode::Partial,
        ]);
        for _ in 0..100 {
            match setup.build_any() {
                Ok(ftl) if ftl.ageable().unwrap().check_filled(ftl.user_pages()).is_ok() => return setup,
                // superblocks of one block
                Err(error) if error.key == "ftl.parity" => setup.ftl.keys.set("parity", "none"),
                _ => setup.geometry.blocks_per_plane += 4,
            }
        }
        panic!("no drive: {:?} {setup:?}", setup.build_any().err())
    }

    /// The same with overwrites as deltas.
    pub(crate) fn with_deltas(seed: u64) -> Self {
        let mut setup = Self::random(seed);
        let mut random = Random::new(seed, "deltas");
        setup.ftl.mapping = "delta".into();
        setup.ftl.placement.directive = "none".into();
        setup.commands.copyback = Use::Off;
        setup.ftl.gc.victim = "greedy".into();
        setup.ftl.gc.reserve_blocks = 2;
        setup.ftl.over_provisioning = setup.ftl.over_provisioning.max(0.6);
        setup.geometry.blocks_per_plane += 20;
        let gc = &mut setup.ftl.gc;
        (gc.hard, gc.low, gc.high) = (3.0, 3.0, 4.0);
        let mut keys = toml::Table::new();
        let mut set = |key: &str, value: toml::Value| keys.insert(key.to_owned(), value);
        set("ratio", random.pick(&[0.1, 0.3, 0.5]).into());
        set("temp_buffers", random.pick(&[1, 1, 2, 3]).into());
        set(
            "log_gain",
            random.pick(&["packed", "bytes", "whole_pages"]).into(),
        );
        set("gc_uncached", random.pick(&["merge", "copy"]).into());
        set("merge_on_evict", random.one_in(2).into());
        set("counted_pages", random.pick(&[8, 40, 1000]).into());
        set("scan_interval_writes", 50.into());
        set("scan_budget", 5.into());
        set("read_hot_threshold", 3.into());
        set("gate", "open".into());
        if random.one_in(3) {
            set("temp_max_age", "20 us".into());
        }
        setup.ftl.keys.set("delta", keys);
        setup
    }

    /// The same with its map on flash, and a small part of it in the controller's memory.
    pub(crate) fn with_map_on_flash(seed: u64) -> Self {
        Self::random(seed).put_map_on_flash()
    }

    /// The same with mapping units that are smaller than a page.
    pub(crate) fn with_units_on_flash(seed: u64) -> Self {
        Self::with_units(seed).put_map_on_flash()
    }

    fn put_map_on_flash(mut self) -> Self {
        let setup = &mut self;
        let mut random = Random::new(setup.seed, "map");
        setup.ftl.mapping = "dftl".into();
        setup.ftl.placement.keys.set("reclaim_group", "drive");
        let keys = &mut setup.ftl.keys;
        // few entries to a translation page, so that there are some pages
        let entry_bytes = random
            .pick(&[16, 64, 128])
            .min(setup.geometry.page_size.bytes() / 4);
        let per_page = setup.geometry.page_size.bytes() / entry_bytes;
        let in_pages = random.one_in(3);
        let least = if in_pages { 2 * per_page } else { 2 };
        keys.set("entry_bytes", entry_bytes as i64);
        keys.set("cached_entries", (least + random.below(3 * least)) as i64);
        keys.set("cache_unit", if in_pages { "page" } else { "entry" });
        keys.set("protected_share", random.pick(&[0.0, 0.5, 1.0]));
        keys.set("batch_eviction", random.one_in(2));
        keys.set("clean_first", random.one_in(2));
        keys.set(
            "cache_location",
            if random.one_in(3) {
                "host_memory"
            } else {
                "controller"
            },
        );
        keys.set("prefetch", random.pick(&["none", "request"]));
        keys.set("fetch_on_write", in_pages || random.one_in(2));
        setup.geometry.blocks_per_plane += 4;
        while !self
            .build_any()
            .is_ok_and(|ftl| ftl.ageable().unwrap().check_filled(ftl.user_pages()).is_ok())
        {
            self.geometry.blocks_per_plane += 4;
        }
        self
    }

    /// A drive that is built anew after power cuts in one of the ways that `ftl.recovery.kind` names.
    pub(crate) fn with_recovery(mut self, kind: RecoveryKind) -> Self {
        let mut random = Random::new(self.seed, "recovery");
        self.ftl.recovery.kind = kind;
        if kind == RecoveryKind::SummaryScan && self.ftl.mapping_unit.is_some() {
            // else a block of two pages has room for one
            self.geometry.pages_per_block += 1;
        }
        if kind.has_journal() {
            self.ftl.recovery.checkpoint_interval = 1 + random.below(300) as u32;
            self.ftl.recovery.record_bytes = 12 + random.below(53) as u32;
        }
        self.with_blocks_enough()
    }

    /// The same with so many more blocks in each plane, of which some may fail or, where the mapping knows of these, are bad from the start.
    pub(crate) fn with_spare_blocks(mut self, blocks: u32) -> Self {
        self.ftl.over_provisioning = self.ftl.over_provisioning.max(1.0);
        self.geometry.blocks_per_plane += blocks;
        self.ftl.failures.program = Some(0.01);
        if ["page", "striped"].contains(&self.ftl.mapping.name()) {
            self.ftl.failures.initial = Some(0.02);
        }
        let gc = &mut self.ftl.gc;
        gc.reserve_blocks = gc.reserve_blocks.max(4);
        let least = f64::from(gc.reserve_blocks);
        (gc.hard, gc.low, gc.high) = (gc.hard.max(least), gc.low.max(least), gc.high.max(least + 1.0));
        self
    }

    /// The same with an SLC cache of cells of two bits or three, where it has some block.
    pub(crate) fn with_cache(mut self, when_full: WhenFull) -> Self {
        let mut random = Random::new(self.seed, "cache");
        self.geometry.cell_type = random.pick(&[CellType::Mlc, CellType::Tlc]);
        self.ftl.slc_cache = SlcCacheConfig {
            mode: Some("slc".to_owned()),
            static_blocks: random.below(4) as u32,
            dynamic_blocks: random.below(4) as u32,
            when_full,
            ..SlcCacheConfig::default()
        };
        if self.ftl.mapping_unit.is_some() {
            self.ftl.placement.keys.set("reclaim_group", "drive");
        }
        self.commands.copyback = Use::Off;
        for _ in 0..50 {
            match self.build_any() {
                Ok(ftl) if ftl.ageable().unwrap().check_filled(ftl.user_pages()).is_ok() => return self,
                _ => self.geometry.blocks_per_plane += 4,
            }
        }
        panic!("no drive: {:?} {self:?}", self.build_any().err())
    }

    /// The drive, whatever its mapping.
    pub(crate) fn build_any(&self) -> Result<Box<dyn Mapping>, wordline_ftl::FtlError> {
        self.build_with_classes(None)
    }

    /// The same with classes of blocks.
    pub(crate) fn build_with_classes(
        &self,
        block_classes: Option<&BlockClasses>,
    ) -> Result<Box<dyn Mapping>, wordline_ftl::FtlError> {
        let slc = self.ftl.slc_cache.is_on().then(|| SlcMode {
            mode: Mode(1),
            name: "slc".to_owned(),
            bits: self.geometry.cell_type.bits(),
            modes: vec!["slc".to_owned()],
        });
        let geometry = self.geometry();
        let input = MappingInput {
            geometry: &geometry,
            config: &self.ftl,
            allocation: &self.allocation,
            strong_classes: 0,
        };
        let rules = FlashRules {
            commands: &self.commands,
            restrictions: &self.restrictions,
            block_classes,
            slc: slc.as_ref(),
            seed: Seed(self.seed),
        };
        wordline_ftl::build(&input, &rules)
    }

    pub(crate) fn build(&self) -> Result<PageFtl, wordline_ftl::FtlError> {
        PageFtl::new(
            self.geometry(),
            &self.ftl,
            &self.allocation,
            &self.commands,
            &self.restrictions,
            Seed(self.seed),
        )
    }
}
