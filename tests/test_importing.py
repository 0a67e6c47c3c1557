"""Configurations of other simulators: what becomes of each value, and what is refused."""

from __future__ import annotations

import json
import os
import tomllib
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import wordline as wl
from shared import refused, wordline
from wordline import importing
from wordline.errors import ConfigError
from wordline.importing import SIMULATORS, import_file
from wordline.importing.rows import Fixed, Row, by_page_type, nanoseconds, transfer_rate

ROOT = Path(__file__).parents[1]
CASES = Path(os.environ.get("WORDLINE_CASES", ROOT.parent / "shared" / "cases")) / "cfg"

MQSIM = """<?xml version="1.0" encoding="us-ascii"?>
<Execution_Parameter_Set>
  <Host_Parameter_Set>
    <PCIe_Lane_Bandwidth>1.00</PCIe_Lane_Bandwidth>
    <PCIe_Lane_Count>4</PCIe_Lane_Count>
    <Input_File_Path></Input_File_Path>
  </Host_Parameter_Set>
  <Device_Parameter_Set>
    <Seed>321</Seed>
    <HostInterface_Type>NVME</HostInterface_Type>
    <IO_Queue_Depth>256</IO_Queue_Depth>
    <Caching_Mechanism>SIMPLE</Caching_Mechanism>
    <Data_Cache_Capacity>1048576</Data_Cache_Capacity>
    <CMT_Capacity>2097152</CMT_Capacity>
    <Plane_Allocation_Scheme>CDWP</Plane_Allocation_Scheme>
    <Overprovisioning_Ratio>0.2</Overprovisioning_Ratio>
    <GC_Block_Selection_Policy>GREEDY</GC_Block_Selection_Policy>
    <Static_Wearleveling_Enabled>false</Static_Wearleveling_Enabled>
    <Flash_Channel_Count>2</Flash_Channel_Count>
    <Flash_Channel_Width>2</Flash_Channel_Width>
    <Channel_Transfer_Rate>200</Channel_Transfer_Rate>
    <Chip_No_Per_Channel>1</Chip_No_Per_Channel>
    <Frobnication_Level>7</Frobnication_Level>
    <Flash_Parameter_Set>
      <Flash_Technology>TLC</Flash_Technology>
      <Page_Read_Latency_LSB>50000</Page_Read_Latency_LSB>
      <Page_Read_Latency_CSB>60000</Page_Read_Latency_CSB>
      <Page_Read_Latency_MSB>70000</Page_Read_Latency_MSB>
      <Page_Program_Latency_LSB>800000</Page_Program_Latency_LSB>
      <Page_Program_Latency_CSB>800000</Page_Program_Latency_CSB>
      <Page_Program_Latency_MSB>800000</Page_Program_Latency_MSB>
      <Block_Erase_Latency>3500000</Block_Erase_Latency>
      <Die_No_Per_Chip>1</Die_No_Per_Chip>
      <Plane_No_Per_Die>2</Plane_No_Per_Die>
      <Block_No_Per_Plane>128</Block_No_Per_Plane>
      <Page_No_Per_Block>96</Page_No_Per_Block>
      <Page_Capacity>8192</Page_Capacity>
    </Flash_Parameter_Set>
  </Device_Parameter_Set>
</Execution_Parameter_Set>
"""
SSDSIM = """#parameter file
dram capacity = 131074;     #the unit is B
chip number[0] = 1;
chip number[1] = 1;
chip number[2] = 0;
channel number = 2;   #the number of channels
chip number = 2;
die number = 2;
plane number = 2;
block number = 64;
page number = 64;
page capacity = 2048;
t_PROG = 300000;      #the unit is ns
t_R = 30000;
t_WC = 20;
address mapping=1;
overprovide=0.20;
gc threshold=0.30;
allocation=1;
advanced command=12;
greed MPW command=1;
aged=1;
aged ratio=0.5;
"""
SIMPLESSD = """; a device
[pal]
Channel = 2
Package = 1
Die = 2
Plane = 2
Block = 128
Page = 64
PageSize = 8192
EnableMultiPlaneOperation = 0
NANDType = 1
LSBRead = 40000000
MSBRead = 65000000
LSBWrite = 500000000
MSBWrite = 1300000000
Erase = 3500000000
DMASpeed = 400
DMAWidth = 8
SuperblockSize = C
[ftl]
OverProvisioningRatio = 0.25
EvictPolicy = 3   # d-choices
DChoiceParam = 3
FillRatio = 0.5
InvalidPageRatio = 0.25
[icl]
EnableWriteCache = 1
CacheSize = 1048576
[nvme]
PCIEGeneration = 2
"""
FLASHSIM = """# FlashSim
SSD_SIZE 2
PACKAGE_SIZE 2
DIE_SIZE 2
PLANE_SIZE 64
BLOCK_SIZE 64
BLOCK_ERASE_DELAY 1500
PAGE_READ_DELAY 25
PAGE_WRITE_DELAY 200
PAGE_SIZE 4096
BUS_DATA_DELAY 10
FTL_IMPLEMENTATION 3
CACHE_DFTL_LIMIT 512
"""
FEMU = """#!/bin/bash
# a black box
nchs=2
FEMU_OPTIONS="-device femu"
FEMU_OPTIONS=${FEMU_OPTIONS}",devsz_mb=48"
FEMU_OPTIONS+=",femu_mode=1,secsz=512,secs_per_pg=${SECS:-8}"
FEMU_OPTIONS+=",pgs_per_blk=64,blks_per_pl=64,pls_per_lun=1,luns_per_ch=2,nchs=${nchs}"
FEMU_OPTIONS+=",pg_rd_lat=40000,pg_wr_lat=200000,blk_er_lat=2000000,ch_xfer_lat=0,gc_thres_pcent=75"
sudo qemu -m 4G ${FEMU_OPTIONS} \\
    -nographic
"""
DISKSIM = """disksim_global Global {
   Init Seed = 42,
}
ssdmodel_ssd SSD {
   # percentage of all pages
   Reserve pages percentage = 15,
   Minimum free blocks percentage = 5,
   Cleaning policy = 3,
   Planes per package = 2,
   Blocks per plane = 128,
   Flash chip elements = 4,
   Page size = 8,
   Pages per block = 64,
   Scheduler = disksim_ioqueue {
      Scheduling policy = 1,
      Max = { 1, 2 }
   },
   Chip xfer latency = 0.000025,
   Page read latency = 0.03,
   Block erase latency = 2
}  # end of the device
ssdmodel_ssd Other { Flash chip elements = 99 }
"""
FLOW = """<IO_Flow_Parameter_Set_Synthetic>
  <Synthetic_Generator_Type>BANDWIDTH</Synthetic_Generator_Type>
  <Read_Percentage>25</Read_Percentage>
  <Address_Distribution>RANDOM_HOTCOLD</Address_Distribution>
  <Percentage_of_Hot_Region>20</Percentage_of_Hot_Region>
  <Average_Request_Size>16</Average_Request_Size>
  <Intensity>81920000</Intensity>
  <Working_Set_Percentage>50</Working_Set_Percentage>
  <Stop_Time>1000000000</Stop_Time>
  <Total_Requests_To_Generate>0</Total_Requests_To_Generate>
  <Seed>798</Seed>
</IO_Flow_Parameter_Set_Synthetic>"""
REPLAY = """<IO_Flow_Parameter_Set_Trace_Based>
  <File_Path>traces\\tpcc.trace</File_Path>
  <Percentage_To_Be_Executed>50</Percentage_To_Be_Executed>
  <Relay_Count>2</Relay_Count>
  <Time_Unit>MICROSECOND</Time_Unit>
</IO_Flow_Parameter_Set_Trace_Based>"""


def scenario(*flows: str) -> str:
    return f"<MQSim_IO_Scenarios><IO_Scenario>\n{''.join(flows)}\n</IO_Scenario>\n<IO_Scenario>{FLOW}</IO_Scenario></MQSim_IO_Scenarios>"


SAMPLES = {
    "MQSim": MQSIM,
    "MQSim workload": scenario(FLOW),
    "SSDsim": SSDSIM,
    "SimpleSSD": SIMPLESSD,
    "FlashSim": FLASHSIM,
    "FEMU": FEMU,
    "DiskSim with the SSD extension": DISKSIM,
}
DRIVES = {name: text for name, text in SAMPLES.items() if name != "MQSim workload"}


def imported(tmp_path: Path, text: str) -> importing.Imported:
    path = tmp_path / "configuration"
    path.write_text(text)
    return import_file(path)


def keys(tmp_path: Path, text: str) -> dict[str, Any]:
    made = imported(tmp_path, text)
    found = {line.key: line.value for line in made.lines}
    # the text says the same
    assert flat(tomllib.loads(made.text)) == found
    return found


def flat(tree: dict[str, Any], prefix: str = "") -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in tree.items():
        found |= (
            flat(value, f"{prefix}{key}.") if isinstance(value, dict) else {f"{prefix}{key}": value}
        )
    return found


WORKED: dict[str, dict[str, Any]] = {
    "MQSim": {
        "geometry.channels": 2,
        "geometry.chips_per_channel": 1,
        "geometry.pages_per_block": 96,
        "geometry.page_size": "8 KiB",
        "geometry.spare_size": "448 B",  # assumed
        "geometry.cell_type": "tlc",
        "timing.transfer_rate": "400 MT/s",
        "timing.t_r": ["50 us", "60 us", "70 us"],
        "timing.t_prog": "800 us",
        "timing.t_bers": "3500 us",
        "allocation.order": "CDWP",
        "ftl.over_provisioning": 0.2,
        "ftl.gc.victim": "greedy",
        "ftl.wear.static": "off",
        "host.interface": "nvme",
        "host.nvme.queue_depth": 256,
        "host.pcie.generation": 3,
        "host.pcie.lanes": 4,
        "buffer.policy": "lru",
        "buffer.size": "1 MiB",
        "seed": 321,
    },
    "SSDsim": {
        "geometry.chips_per_channel": 1,
        "geometry.dies_per_chip": 2,
        "geometry.page_size": "2 KiB",
        "timing.t_r": "30 us",
        "timing.t_prog": "300 us",
        "timing.t_bers": "1500 us",  # assumed
        "timing.t_wc": "20 ns",
        "commands.copyback": "off",
        "commands.multi_plane_write": "blind",
        "commands.interleave": True,
        "commands.multi_plane_read": False,
        "allocation.mode": "static",
        "ftl.over_provisioning": 0.2,
        "age.method": "invalidated",
        "age.ratio": 0.5,
        "buffer.policy": "lru",
        "buffer.size": "131072 B",
    },
    "SimpleSSD": {
        "geometry.page_size": "8 KiB",
        "geometry.cell_type": "mlc",
        "timing.t_r": ["40 us", "65 us"],
        "timing.t_prog": ["500 us", "1300 us"],
        "timing.transfer_rate": "400 MT/s",
        "commands.multi_plane_write": "off",
        "ftl.gc.victim": "d_choices",
        "ftl.gc.d": 3,
        "age.method": "overwritten",
        "age.fill": 0.5,
        "host.pcie.generation": 3,
        "buffer.size": "1 MiB",
    },
    "FlashSim": {
        "geometry.channels": 2,
        "geometry.dies_per_chip": 2,
        "timing.t_r": "25 us",
        "timing.t_bers": "1500 us",
        "timing.transfer_rate": "409.6 MT/s",
        "ftl.mapping": "dftl",
        "ftl.cached_entries": 512,
    },
    "FEMU": {
        "geometry.channels": 2,
        "geometry.chips_per_channel": 2,
        "geometry.page_size": "4 KiB",
        "timing.t_prog": "200 us",
        # 48 of 64 MiB
        "ftl.over_provisioning": 0.25,
    },
    "DiskSim with the SSD extension": {
        "geometry.channels": 4,
        "geometry.planes_per_die": 2,
        "geometry.page_size": "4 KiB",
        "timing.t_r": "30 us",
        "timing.t_prog": "200 us",  # assumed
        "timing.t_bers": "2 ms",
        "timing.transfer_rate": "40 MT/s",
        "ftl.over_provisioning": 0.15,
        "ftl.gc.victim": "wear_greedy",
        "ftl.gc.hard": 0.05,
    },
    "MQSim workload": {
        "workload.kind": "hot_cold",
        "workload.read_fraction": 0.25,
        "workload.request_size": "8 KiB",
        # 8,192 B at 81.92 MB/s
        "workload.interarrival": "100 us",
        "workload.arrival": "poisson",
        "workload.hot_space": 0.2,
        "workload.hot_requests": 0.8,
        "workload.region": 0.5,
        "workload.duration": "1000 ms",
        "workload.seed": 798,
    },
}


@pytest.mark.parametrize("name", SAMPLES)
def test_values_are_taken_over(name: str, tmp_path: Path) -> None:
    assert imported(tmp_path, SAMPLES[name]).simulator.name == name
    found = keys(tmp_path, SAMPLES[name])
    assert {key: found.get(key) for key in WORKED[name]} == WORKED[name]


@pytest.mark.parametrize("name", DRIVES)
def test_a_drive_passes_its_check_and_runs(name: str, tmp_path: Path) -> None:
    drive = tmp_path / "drive.toml"
    drive.write_text(imported(tmp_path, DRIVES[name]).text)
    load = {"workload.kind": "random", "workload.requests": 300}
    result = wl.simulate(wl.Drive.from_toml(drive, **load), audit=True, progress=False)
    assert result.summary["host.requests"] == 300


@pytest.mark.parametrize(
    ("name", "change", "key", "is_told"),
    [
        # d-choices are not the victim policy
        ("SimpleSSD", ("EvictPolicy = 3", "EvictPolicy = 0"), "ftl.gc.d", True),
        # BAST places pages by itself
        ("FlashSim", ("FTL_IMPLEMENTATION 3", "FTL_IMPLEMENTATION 1"), "allocation.mode", False),
        # no buffer that could hold sectors
        ("SSDsim", ("dram capacity = 131074", "dram capacity = 0"), "buffer.unit", False),
    ],
)
def test_values_of_what_is_not_used_are_no_keys(
    name: str, change: tuple[str, str], key: str, is_told: bool, tmp_path: Path
) -> None:
    text = SAMPLES[name].replace(*change)
    assert text != SAMPLES[name]
    assert key in keys(tmp_path, SAMPLES[name])
    assert key not in keys(tmp_path, text)
    told = imported(tmp_path, text).text.partition("# Without effect beside the others:")[2]
    # what the file says is told, what was assumed is not worth a line
    assert (f"# {key} = " in told) is is_told
    assert "drive text" not in told


def test_delays_of_flashsim_are_read_in_the_unit_that_they_can_have(tmp_path: Path) -> None:
    found = keys(tmp_path, FLASHSIM)
    assert (found["timing.t_r"], found["timing.t_bers"]) == ("25 us", "1500 us")
    # josehu07/flashsim counts milliseconds, and its planes have 4 blocks
    later = FLASHSIM.replace("DELAY 1500", "DELAY 2.0").replace("DELAY 25", "DELAY 0.05")
    later = later.replace("DELAY 200", "DELAY 0.9").replace("DELAY 10", "DELAY 0.1")
    later = later.replace("PLANE_SIZE 64", "PLANE_SIZE 4").replace("TION 3", "TION 1")
    found = keys(tmp_path, later)
    assert [found[f"timing.{key}"] for key in ("t_r", "t_prog", "t_bers")] == [
        "50 us",
        "900 us",
        "2 ms",
    ]
    assert found["ftl.over_provisioning"] == 1.0
    assert keys(tmp_path, FLASHSIM)["ftl.over_provisioning"] == 0.28


def test_a_workload_runs_on_a_drive(tmp_path: Path) -> None:
    load = tmp_path / "load.toml"
    load.write_text(imported(tmp_path, scenario(FLOW.replace("1000000000", "5000000"))).text)
    done = wordline("run", "tiny", "--workload", load, "--json")
    assert done.returncode == 0, done.stderr
    short = FLOW.replace("1000000000", "5000000")
    load.write_text(imported(tmp_path, scenario(short, short.replace(">25<", ">75<"))).text)
    done = wordline("run", "tiny", "--workload", load, "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["host.requests"] > 60


def test_lines_say_where_values_come_from(tmp_path: Path) -> None:
    text = imported(tmp_path, MQSIM).text
    for line in (
        "channels = 2  # taken over: Flash_Channel_Count = 2",
        'spare_size = "448 B"  # assumed: Page_Metadat_Capacity not in the file, as in MQSim\'s code and its ssdconfig.xml',
        'pool = "plane"  # assumed: MQSim collects in each plane',
        "# line 23: Frobnication_Level = 7: not known to `wordline import`",
    ):
        assert line in text.splitlines(), line
    assert "CMT_Capacity = 2097152: the whole map is in memory" in text
    # what says nothing of the drive is passed over
    assert "Input_File_Path" not in text
    many = imported(tmp_path, SSDSIM)
    assert "# line 18: gc threshold = 0.30: SSDsim counts free pages" in many.text
    assert 0 < many.assumed < len(many.lines)


def test_flows_become_tenants_and_traces_are_named(tmp_path: Path) -> None:
    found = keys(tmp_path, scenario(FLOW, REPLAY))
    assert found["tenants.flow1.workload.read_fraction"] == 0.25
    replayed = {k: v for k, v in found.items() if k.startswith("tenants.flow2.")}
    assert replayed == {
        "tenants.flow2.workload.kind": "trace",
        "tenants.flow2.workload.format": "mqsim",
        "tenants.flow2.workload.path": "traces/tpcc.trace",
        "tenants.flow2.workload.time_unit": "us",
        "tenants.flow2.workload.repeat": 2,
    }
    # flows of one kind behind one another
    same = keys(tmp_path, scenario(FLOW, FLOW))
    assert {key.split(".")[1] for key in same} == {"flow1", "flow2"}
    # a queue that is kept full has no gaps
    full = keys(tmp_path, scenario(FLOW.replace("BANDWIDTH", "QUEUE_DEPTH")))
    assert full["workload.queue_depth"] == 16
    assert "workload.interarrival" not in full


@pytest.mark.skipif(not CASES.is_dir(), reason=f"no inputs at {CASES}")
def test_inputs_as_people_have_them(tmp_path: Path) -> None:
    drive = import_file(CASES / "k10-ssdconfig.xml")
    found = {line.key: line.value for line in drive.lines}
    said = {line.key for line in drive.lines if line.comment.startswith("taken over")}
    assert {key: found[key] for key in said} == {
        "geometry.channels": 2,
        "geometry.chips_per_channel": 2,
        "geometry.page_size": "4 KiB",
        # the latency of upper pages is MQSim's own
        "timing.t_r": ["40 us", "75 us"],
        "ftl.over_provisioning": 0.1,
    }
    load = import_file(CASES / "k10-workload.xml")
    assert {line.key: line.value for line in load.lines} == {
        "workload.kind": "random",
        "workload.read_fraction": 0.7,
        "workload.request_size": "4 KiB",
        "workload.queue_depth": 16,
    }
    files = [tmp_path / "drive.toml", tmp_path / "load.toml"]
    for file, made in zip(files, (drive, load), strict=True):
        file.write_text(made.text)
    assert "good" in wordline("check", files[0]).stdout
    drive_file = wl.Drive.from_toml(files[0], **{"geometry.blocks_per_plane": 64})
    short = wl.Workload.from_toml(files[1], requests=500)
    assert wl.simulate(drive_file, short, progress=False).summary["host.requests"] == 500


@pytest.mark.parametrize(
    ("name", "old", "new", "words"),
    [
        ("MQSim", ">CDWP<", ">CCWP<", ("line 15", "Plane_Allocation_Scheme", "'CCWP'", "CWDP")),
        ("MQSim", "<Seed>321</Seed>", "<Seed>x</Seed>", ("line 9", "Seed", "'x'", "whole number")),
        ("MQSim", "</Device_Parameter_Set>", "", ("not XML", "line")),
        ("MQSim", ">0.2<", ">1.5<", ("Overprovisioning_Ratio", "'1.5'", "0 to 1")),
        (
            "SSDsim",
            "chip number[1] = 1",
            "chip number[1] = 2",
            ("line 3", "'1, 2'", "as many chips"),
        ),
        ("SSDsim", "t_R = 30000;", "t_R 30000;", ("line 14", "t_R 30000", "NAME = VALUE")),
        ("SSDsim", "die number", "plane number", ("line 9", "line 8 already")),
        ("SSDsim", "= 30000;", "= fast;", ("line 14", "t_R", "'fast'", "decimal number")),
        ("SimpleSSD", "Package = 1", "Package", ("line 4", "'Package'", "[section]")),
        (
            "SimpleSSD",
            "NANDType = 1",
            "NANDType = 9",
            ("line 11", "pal.NANDType", "'9'", "one of 0"),
        ),
        ("FlashSim", "DIE_SIZE 2", "DIE_SIZE 2 3", ("line 4", "NAME VALUE")),
        ("FlashSim", "PLANE_SIZE 64", "PLANE_SIZE 0", ("line 5", "PLANE_SIZE", "at least 1")),
        ("FEMU", "nchs=2", "nchs=-2", ("nchs", "'-2'", "a whole number")),
        ("FEMU", "femu_mode=1", "femu_mode", ("'femu_mode'", "NAME=VALUE")),
        ("DiskSim with the SSD extension", "= 0.03", "= slow", ("line 19", "Page read latency")),
        ("DiskSim with the SSD extension", "}  # end", "", ("does not end",)),
        ("MQSim workload", ">25<", ">125<", ("line 4", "Read_Percentage", "0 to 100")),
        (
            "MQSim workload",
            "<IO_Scenario>\n",
            "<IO_Scenario><Mode>1</Mode>",
            ("Mode", "IO_Scenario"),
        ),
        ("MQSim workload", ">81920000<", ">0<", ("Intensity", "line 8")),
    ],
)
def test_what_is_wrong_is_named(
    name: str, old: str, new: str, words: tuple[str, ...], tmp_path: Path
) -> None:
    assert old in SAMPLES[name]
    path = tmp_path / "wrong.cfg"
    path.write_text(SAMPLES[name].replace(old, new, 1 if name != "DiskSim" else -1))
    if name == "DiskSim with the SSD extension" and "end" in old:
        path.write_text(SAMPLES[name].split("}  # end")[0])
    said = refused("import", path)
    assert "wrong.cfg" in said
    for word in words:
        assert word in said, said


def test_files_that_are_none_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.cfg"
    for content, words in (
        (b"", ("does not look like", "MQSim (ssdconfig.xml)", "SSDsim")),
        (b"\x00\x01", ("is not text, and every accepted file is: MQSim (ssdconfig.xml)",)),
        (b"[geometry]\nchannels = 2\n", ("does not look like a configuration of a simulator",)),
    ):
        path.write_bytes(content)
        said = refused("import", path)
        assert all(word in said for word in words), said
    assert "is a folder or a device; name a file" in refused("import", tmp_path)
    assert "there is no such file" in refused("import", tmp_path / "missing.xml")
    with path.open("wb") as file:
        file.truncate(importing.LARGEST + 1)
    assert "larger than 16 MiB" in refused("import", path)
    # a drive that could not be simulated is not written
    path.write_text(FLASHSIM.replace("PAGE_SIZE 4096", "PAGE_SIZE 1000"))
    said = refused("import", path, "--output", tmp_path / "drive.toml")
    assert "cannot be simulated" in said
    assert "page_size" in said
    assert not (tmp_path / "drive.toml").exists()


def test_entities_and_depth_are_refused(tmp_path: Path) -> None:
    bomb = '<!DOCTYPE a [<!ENTITY a "aaaaaaaa"><!ENTITY b "&a;&a;&a;&a;">]>'
    text = MQSIM.replace("<Execution_Parameter_Set>", f"{bomb}\n<Execution_Parameter_Set>").replace(
        ">321<", ">&b;<"
    )
    with pytest.raises(ConfigError, match=r"line 2: a document type \(DOCTYPE\)"):
        imported(tmp_path, text)
    with pytest.raises(ConfigError, match="undefined entity"):
        imported(tmp_path, MQSIM.replace(">321<", ">&b;<"))
    deep = "<Execution_Parameter_Set>" + "<a>" * 40 + "</a>" * 40 + "</Execution_Parameter_Set>"
    with pytest.raises(ConfigError, match="more than 32 deep"):
        imported(tmp_path, deep)
    wide = "<Execution_Parameter_Set>" + "<a>1</a>" * 10_001 + "</Execution_Parameter_Set>"
    with pytest.raises(ConfigError, match="more than 10000 elements"):
        imported(tmp_path, wide)


def test_large_and_nested_files_end(tmp_path: Path) -> None:
    """What grows with the square of a file, or beyond it, would not end within the limit of the tests."""
    many = 1_000_000
    for text in (
        "\n" * many,
        " " * many,
        # variables in one another
        "A=" + "x" * 60_000 + "\n" + "B=" + "$A" * many + "\nrun -device femu,a=$B$B\n",
        "-device femu," + "a=1,\\\n" * 200_000,
        "ssdmodel_ssd S {\n" + "a\n" * many,
        "ssdmodel_ssd S " + "{" * many,
        "[pal]\n" + "a = 1\n" * 10,
        "<Execution_Parameter_Set>" + "&amp;" * many,
        "page capacity = 1;\n" + "".join(f"n{number} = 1;\n" for number in range(100_000)),
    ):
        path = tmp_path / "large"
        path.write_text(text)
        with suppress(ConfigError):
            tomllib.loads(import_file(path).text)


@given(st.data())
def test_no_change_of_a_file_breaks_the_import(data: st.DataObject) -> None:
    """A file is taken over or refused, and what is made of it is TOML."""
    import tempfile

    text = data.draw(st.sampled_from(list(SAMPLES.values())))
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(text)))
        end = min(len(text), at + data.draw(st.integers(0, 12)))
        piece = data.draw(
            st.sampled_from(
                ["", "0", "-1", "1e400", "9" * 40, "{", "}", "<", '"', "\\", "=", ",", "$x", "\n"]
            )
            | st.text(max_size=5)
        )
        text = text[:at] + piece + text[end:]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "changed"
        path.write_text(text, encoding="utf-8", errors="replace")
        with suppress(ConfigError):
            tomllib.loads(import_file(path).text)


def test_rows_are_complete() -> None:
    known = wl.Drive.from_toml("tiny")
    assert known
    for simulator in SIMULATORS:
        named: set[str] = set()
        for row in simulator.rows:
            if isinstance(row, Fixed):
                assert row.why, row
                continue
            assert isinstance(row, Row)
            assert row.key or row.why, row
            assert bool(row.key) == (row.convert is not None), row
            assert len(row.default) in (0, len(row.names)), row
            if not row.key:
                # what has no equal is no part of a key
                assert not named & set(row.names), row
            named |= set(row.names) if row.key else set()
            if row.default and row.convert:
                row.convert(*row.default)


def test_quantities() -> None:
    # 4 KiB in 60 us, in whole kT/s
    assert transfer_rate(60_000, 4096) == "68.267 MT/s"
    assert transfer_rate(10_000, 4096) == "409.6 MT/s"
    assert transfer_rate(0) == "10000 MT/s"
    assert transfer_rate(1e15) == "0.001 MT/s"
    assert nanoseconds(0) == "0 ns"
    assert nanoseconds(25) == "25 ns"
    assert nanoseconds(40_000) == "40 us"
    assert nanoseconds(3_800_000) == "3800 us"
    assert by_page_type("1 us", "1 us") == "1 us"
    assert by_page_type("1 us", "2 us") == ["1 us", "2 us"]
