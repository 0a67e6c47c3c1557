"""Parts of the drives: what is known of each, with its source, and nothing that was measured."""

from __future__ import annotations

from dataclasses import dataclass, field

LEDGER = "a public list of data-centre drives (second hand)"
DEVICES = "github.com/gabriel-haas/ssdiq-pub, paper/devices.csv"
NVMEVIRT = "github.com/snu-csl/nvmevirt, ssd_config.h"

DATACENTER, CLIENT, HMB, QLC, SATA, LOW = (
    "datacenter-tlc",
    "client-tlc",
    "client-hmb",
    "client-qlc",
    "sata-mlc",
    "low-latency",
)
"""Classes: a file of each is in `validation/classes`."""
TITLES = {
    DATACENTER: "data-centre TLC",
    CLIENT: "client TLC",
    HMB: "client TLC without DRAM",
    QLC: "client QLC",
    SATA: "MLC behind SATA",
    LOW: "low latency",
}
CHANNELS = {DATACENTER: 8, CLIENT: 8, HMB: 4, QLC: 4, SATA: 8, LOW: 16}
"""Of a controller whose channels are not known, by class (assumed)."""


@dataclass(frozen=True, eq=False)
class Parts:
    """A drive as it was sold."""

    name: str
    """As the tables of measurements have it."""
    title: str
    file: str
    """Without its ending."""
    kind: str
    """Its class."""
    user_bytes: int
    sources: tuple[str, ...]
    """What is known, each with where it is from."""
    link: int
    """Generation of PCIe, or of SATA."""
    link_why: str
    maker: str = ""
    """Of the flash."""
    layers: int = 0
    layers_why: str = "[part]"
    blind: bool = True
    """Whether it was predicted before anybody compared."""
    channels: int | None = None
    channels_why: str = ""
    lanes_why: str = "[part]"
    die: dict[str, str] = field(default_factory=dict)
    """What the list of parts says of the die itself, in place of the table; by key of the template."""
    die_gibit: int | None = None
    when_full: bool = False
    """Whether commands are taken up in order once the buffer is full."""
    slc: tuple[float, float] | None = None
    """Bytes of the SLC cache in GB: always, and on an empty drive beside these."""
    slc_why: str = ""
    age: tuple[str, ...] = ()
    note: str = ""


GB960, GB1000, GB1920, GB3840 = (
    960_197_124_096,
    1_000_204_886_016,
    1_920_383_410_176,
    3_840_755_982_336,
)
"""User bytes of the capacities that are sold, by the rule of IDEMA."""
STEADY = ('method = "steady_state" # [class] full, and overwritten at random for long',)
FRESH = ('method = "fresh" # [class] as the loads say where they need it filled',)

PARTS = (
    Parts(
        "Samsung PM9A3 960GB",
        "Samsung PM9A3, 960 GB",
        "samsung-pm9a3-960gb",
        DATACENTER,
        GB960,
        (
            f"NAND: sixth generation of V-NAND, 128 layers ({LEDGER})",
            "controller: Elpis, PCI device a80a, as the 980 PRO (pci-ids)",
            f"link: PCIe 4.0 ({DEVICES})",
        ),
        4,
        "[part] PCIe 4.0",
        "Samsung",
        128,
        blind=False,
        lanes_why="[assumed]",
        age=STEADY,
    ),
    Parts(
        "WD Ultrastar DC 960GB (PCIe 3.1, model unnamed)",
        "WD Ultrastar DC, 960 GB",
        "wd-dc-960gb",
        DATACENTER,
        GB960,
        (
            "the authors of the measurements give no model (0.8 drive writes a day, 2019: SN640 is likely)",
            "NAND: 96 layers, the generation of a WD drive of 2019 [assumed]",
            f"link: PCIe 3.1 ({DEVICES})",
        ),
        3,
        "[part] PCIe 3.1",
        "Kioxia",
        96,
        layers_why="[assumed]",
        blind=False,
        when_full=True,
        age=STEADY,
        note="nothing in it was chosen to fit this drive but one switch of its firmware, [switch]",
    ),
    Parts(
        "WD Ultrastar DC ZN540 1TB",
        "WD Ultrastar DC ZN540, 1 TB",
        "wd-zn540-1tb",
        DATACENTER,
        GB1000,
        (
            "NAND: BiCS4, 96-layer TLC (Tom's Hardware, as a copy on torrentinvites.org says)",
            f"channels, dies: {NVMEVIRT}, fitted to the ZN540",
            "link: PCIe 3.1 x4 (golem.de, news 152003)",
            "Drives with zones have no write buffer in Wordline and no one-shot programs, which need one, and their logical block is a page of flash. A map of 4 KiB",
            "stands in: zones that the host fills in order and resets as a whole cause no moves, and neither do the loads here, which write less than the free space.",
            "What is lost: the erases of resets, limits of open zones, and where in the drive a zone lies.",
        ),
        3,
        "[part] PCIe 3.1",
        "Kioxia",
        96,
        blind=False,
        channels=8,
        channels_why="[NVMeVirt] fitted: 8 channels of 4 dies",
        age=(
            'method = "overwritten" # [class] filled in order, nothing overwritten: what is read lies as zones lie',
            "random_factor = 0.0 # [class] nothing is overwritten",
            "fill = 0.75 # [assumed] the rest takes what the loads write, so that nothing is collected",
        ),
    ),
    Parts(
        "Samsung 980 PRO 1TB",
        "Samsung 980 PRO, 1 TB",
        "samsung-980-pro-1tb",
        CLIENT,
        GB1000,
        (
            "NAND: Samsung, 128 layers (AnandTech 16087)",
            "die of that generation: 512 Gbit, 2 planes (the table)",
            "controller: Elpis; link: PCIe 4.0 x4; DRAM: 1 GB; SLC cache: 42 GB, of which 6 always (hardwareluxx.de, 2020)",
        ),
        4,
        "[part] PCIe 4.0",
        "Samsung",
        128,
        blind=False,
        die_gibit=512,
        slc=(6.0, 36.0),
        slc_why="[part]",
        age=FRESH,
        note="values of its class were set with figures of this drive, as its lines and the preset say",
    ),
    Parts(
        "Samsung 845DC PRO 400GB",
        "Samsung 845DC PRO, 400 GB",
        "samsung-845dc-pro-400gb",
        SATA,
        400_088_457_216,
        (
            f"NAND: V-NAND of 2014, MLC; ten drive writes a day ({LEDGER})",
            "link: SATA 6 Gb/s; 400 GB (github.com/ArwedSchmidt/act-ssd-benchmarking-results)",
            "[Micron] data sheet of the MT29F64G08CBAB, a part of MLC: 64 Gbit, tPROG 1,300 us, tBERS 3 ms, which stands for the die, of which nothing is known",
        ),
        3,
        "[part] 6 Gb/s",
        blind=False,
        die={
            "interface": "nv-ddr2-400",
            "interface_why": "[class] assumed",
            "planes": "2",
            "planes_why": "[class] assumed",
            "pages": "256",
            "pages_why": "[class] assumed",
            "page_bytes": "8192",
            "t_r": '["60 us", "90 us"]',
            "t_r_why": "[class] 75 us in the mean, so that a lone read takes the 110 us that makers print",
            "t_prog_why": "[class] [Micron] 1,300 us in the mean; the longest some 2 ms, as reads that wait for whole programs show",
        },
        die_gibit=64,
        age=STEADY,
        note="values of its class were set with figures of this drive, as its lines and the preset say",
    ),
    Parts(
        "Intel 660p 1TB",
        "Intel 660p, 1 TB",
        "intel-660p-1tb",
        QLC,
        1_024_209_543_168,
        (
            "NAND: QLC, dies of 1 Tbit (geektopia), 4 planes (tipsmake)",
            "controller: SM2263, 4 channels; link: PCIe 3.0 x4; SLC cache: 12 GB always, at most 76 to 280 over the series (evantechbook.com, AnandTech 13078)",
        ),
        3,
        "[part] PCIe 3.0",
        blind=False,
        channels=4,
        channels_why="[part] SM2263",
        die={
            "interface": "nv-ddr3-667",
            "interface_why": "[class] assumed",
            "planes": "4",
            "planes_why": "[part]",
            "pages": "1024",
            "pages_why": "[class] 64 layers of four strings of four pages, 16 MiB",
            "page_bytes": "16384",
            "t_r": '["92 us", "116 us", "116 us", "116 us"]',
            "t_r_why": "[class] 110 us in the mean, assumed",
            "t_prog": "3900",
            "t_prog_why": "[class] of client-qlc, which was set with the 100 MB/s that reviewers find behind the cache of this drive",
            "t_slc": "200",
            "t_slc_why": "[class] 200 to 300 us of SLC cells",
        },
        die_gibit=1024,
        slc=(12.0, 128.0),
        slc_why="[part] at most 140 GB, between those of the series [assumed]",
        age=FRESH,
        note="values of its class were set with figures of this drive, as its lines and the preset say",
    ),
    Parts(
        "Samsung SZ985 800GB",
        "Samsung SZ985, 800 GB",
        "samsung-sz985-800gb",
        LOW,
        800_166_076_416,
        (
            "NAND: Z-NAND (SLC); link: PCIe 3.0 x4; 800 GB (tomshardware.com, 36420)",
            "tR 3 us (HotStorage 2018)",
            '[Z-NAND] AnandTech, "The Samsung 983 ZET SSD Review" (13951): 64 Gbit, tPROG 100 us, pages of 2 and 4 KiB',
        ),
        3,
        "[part] PCIe 3.0",
        blind=False,
        die={
            "interface": "toggle-800",
            "interface_why": "[class] assumed",
            "planes": "2",
            "planes_why": "[class] assumed",
            "pages": "768",
            "pages_why": "[class] assumed",
            "page_bytes": "4096",
            "t_r": '"3 us"',
            "t_r_why": "[part]",
            "t_prog": "100",
            "t_prog_why": "[class] [Z-NAND]",
        },
        die_gibit=64,
        age=STEADY,
        note="values of its class were set with figures of this drive, as its lines and the preset say",
    ),
    Parts(
        "Solidigm D7-P5520 1.92TB",
        "Solidigm D7-P5520, 1.92 TB",
        "solidigm-p5520-1920gb",
        DATACENTER,
        GB1920,
        (
            "NAND: Solidigm, 144 layers, TLC (aijishu.com/a/1060000000410205)",
            f"link: PCIe 4.0 x4; 1.92 TB ({DEVICES})",
            f"one drive write a day ({LEDGER})",
        ),
        4,
        "[part] PCIe 4.0",
        "Solidigm",
        144,
        age=STEADY,
    ),
    Parts(
        "SK hynix PE8110 960GB",
        "SK hynix PE8110, 960 GB",
        "sk-hynix-pe8110-960gb",
        DATACENTER,
        GB960,
        (
            f"NAND: SK hynix, 128 layers, TLC; one drive write a day ({LEDGER})",
            "link: PCIe 4.0 x4, NVMe 1.4 (second hand, from the maker's page of the PE8000 series)",
        ),
        4,
        "[part] PCIe 4.0",
        "SK hynix",
        128,
        age=STEADY,
    ),
    Parts(
        "Micron 7450 PRO 960GB",
        "Micron 7450 PRO, 960 GB",
        "micron-7450-pro-960gb",
        DATACENTER,
        GB960,
        (
            "NAND: Micron B47R, 176 layers, TLC (tweaktown.com, 10278)",
            "link: PCIe 4.0 x4; protected against power loss (servethehome.com, 59563)",
            "960 GB (PVLDB 18(11) p.4295)",
        ),
        4,
        "[part] PCIe 4.0",
        "Micron",
        176,
        age=STEADY,
    ),
    Parts(
        "Kioxia CM7-R 3.84TB",
        "Kioxia CM7-R, 3.84 TB",
        "kioxia-cm7-r-3840gb",
        DATACENTER,
        GB3840,
        (
            f"NAND: Kioxia BiCS5, TLC; one drive write a day ({LEDGER})",
            "BiCS5 has 112 layers, and 1.2 GT/s in the BG5 (hardwarenet.eu, computerbase.de)",
            f"link: PCIe 5.0 x4; 3.84 TB ({DEVICES})",
        ),
        5,
        "[part] PCIe 5.0",
        "Kioxia",
        112,
        die={
            "interface": "toggle-1200",
            "interface_why": "[part] as in the BG5, which has the same cells",
        },
        age=STEADY,
    ),
    Parts(
        "Intel P4510 1TB",
        "Intel P4510, 1 TB",
        "intel-p4510-1tb",
        DATACENTER,
        GB1000,
        (
            f"NAND: Intel, 64 layers, TLC; 0.7 to 1.1 drive writes a day ({LEDGER})",
            "channels: 12 in the generation before the P5500; link: PCIe 3.0 (shadafang.com, 2020)",
        ),
        3,
        "[part] PCIe 3.0",
        "Intel",
        64,
        channels=12,
        channels_why="[part] twelve in its generation",
        lanes_why="[assumed]",
        age=STEADY,
    ),
    Parts(
        "WD Black SN850X 1TB",
        "WD Black SN850X, 1 TB",
        "wd-sn850x-1tb",
        CLIENT,
        GB1000,
        (
            "NAND: BiCS5, 112 layers, TLC, 1600 MT/s; controller: 20-82-10035-B2; link: PCIe 4.0 x4 (pgrid.app)",
            "DRAM: 1 GB; SLC cache: 12 GB always and 288 on an empty drive (pcspecchart.com)",
        ),
        4,
        "[part] PCIe 4.0",
        "Kioxia",
        112,
        die={"interface": "nv-ddr3-1600", "interface_why": "[part] 1600 MT/s"},
        slc=(12.0, 288.0),
        slc_why="[part]",
        age=FRESH,
    ),
    Parts(
        "WD Black SN770 1TB",
        "WD Black SN770, 1 TB",
        "wd-sn770-1tb",
        HMB,
        GB1000,
        (
            "NAND: BiCS5, 112 layers, TLC; controller: 20-82-10081-A1, 4 channels (ssdwiki); link: PCIe 4.0 x4; 64 MB of the host's memory (techpowerup.com)",
            "BiCS5 has 1.2 GT/s in the BG5 (hardwarenet.eu, computerbase.de)",
        ),
        4,
        "[part] PCIe 4.0",
        "Kioxia",
        112,
        channels=4,
        channels_why="[part]",
        die={
            "interface": "toggle-1200",
            "interface_why": "[part] as in the BG5, which has the same cells",
        },
        age=FRESH,
    ),
)
"""The seven that were compared while the rule was made, then the seven that were not."""
