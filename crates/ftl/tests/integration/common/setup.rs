//! Random drives.

use wordline_ftl::hot_cold::ClassifierRow;
use wordline_ftl::victim::VictimRow;
use wordline_ftl::{
    ActiveBlock, AllocationConfig, AllocationMode, DynamicMode, DynamicWear, FlashRules, Ftl, FtlConfig,
    GcFrontier, GcMode, Mapping, MappingInput, Order, PageFtl, Pool,
};
use wordline_keys::Registered;
use wordline_nand::{CommandsConfig, Geometry, GeometryConfig, RestrictionsConfig, Use};
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
        let threshold = 512 * random.pick(&[1_i64, 2, 8]);
        setup.ftl.hot.keys.set("threshold", threshold);
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

    /// Whether wear levelling closes blocks that are not full.
    pub(crate) fn closes_early(&self) -> bool {
        self.ftl.hot.classifier.name() != "none" && self.ftl.wear.static_.name() != "off"
    }

    pub(crate) fn geometry(&self) -> Geometry {
        Geometry::new(&self.geometry).unwrap()
    }

    /// The same under another mapping: one of blocks, with pools and modes that it has.
    pub(crate) fn of_blocks(seed: u64) -> Self {
        let mut setup = Self::random(seed);
        let mut random = Random::new(seed, "blocks");
        setup.ftl.mapping = "block".into();
        setup.ftl.keys.set("replacement_blocks", random.below(4) as u32);
        if setup.ftl.gc.mode == GcMode::Partial {
            setup.ftl.gc.mode = GcMode::Foreground;
        }
        while !setup
            .build_any()
            .is_ok_and(|ftl| ftl.check_filled(ftl.user_pages()).is_ok())
        {
            setup.geometry.blocks_per_plane += 4;
        }
        setup
    }

    /// The drive, whatever its mapping.
    pub(crate) fn build_any(&self) -> Result<Box<dyn Mapping>, wordline_ftl::FtlError> {
        let geometry = self.geometry();
        let input = MappingInput {
            geometry: &geometry,
            config: &self.ftl,
            allocation: &self.allocation,
        };
        let rules = FlashRules {
            commands: &self.commands,
            restrictions: &self.restrictions,
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
