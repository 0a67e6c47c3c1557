//! fio jobs on a drive with zones: `zonemode=zbd`, with several jobs, deep queues, over a link, and with zones that are lost.

use wordline_config::Config;
use wordline_drive::{RunOptions, RunOutput, run as run_workload};

use crate::common::{drive, number};

/// Pages of 2 KiB; 15 zones of 32 pages, 28 of which can be written.
fn zoned(more: &str) -> Config {
    drive(&format!(
        "[geometry]\nchannels = 2\nchips_per_channel = 1\ndies_per_chip = 1\nplanes_per_die = 2\n\
         blocks_per_plane = 16\npages_per_block = 8\npage_size = \"2 KiB\"\n\
         [ftl]\nmapping = \"zoned\"\nover_provisioning = 0.06\n[age]\nmethod = \"fresh\"\n\
         [ftl.zones]\ncapacity = \"56 KiB\"\nsize = \"64 KiB\"\nmax_open = 3\nmax_active = 4\nread_only = [4]\noffline = [5]\n{more}"
    ))
}

/// An audited run of a job file, on the drive that its zones are read from.
fn run(more: &str, jobs: &str) -> RunOutput {
    let folder = tempfile::tempdir().unwrap();
    let text =
        format!("[global]\nfilename=/dev/nvme0n1\ndirect=1\nioengine=libaio\nzonemode=zbd\nbs=4k\n{jobs}");
    std::fs::write(folder.path().join("jobs.fio"), text).unwrap();
    let config = zoned(&format!(
        "{more}[workload]\nkind = \"fio\"\npath = \"jobs.fio\"\n"
    ));
    let options = RunOptions {
        audit: true,
        ..RunOptions::default()
    };
    run_workload(&config, folder.path(), options, &mut |_| true)
        .unwrap_or_else(|error| panic!("{error}\n{jobs}"))
}

const LINK: &str = "[host]\ninterface = \"nvme\"\n";

/// Whatever the jobs are, no command is refused, and the drive writes each page once.
#[test]
fn jobs_are_never_refused() {
    for more in ["", LINK] {
        for jobs in [
            "[a]\nrw=write\niodepth=8\nloops=3\n",
            "[a]\nrw=randwrite\niodepth=16\nnumjobs=3\nnorandommap=1\nio_size=2m\n",
            "[a]\nrw=randrw\niodepth=16\nnumjobs=2\nnorandommap=1\nio_size=1m\n[b]\nrw=write\niodepth=4\nloops=2\n",
            "[a]\nrw=randwrite\niodepth=4\nmax_open_zones=1\nnumjobs=4\nio_size=512k\nnorandommap=1\n",
            "[a]\nrw=randwrite\niodepth=8\nnorandommap=1\nio_size=3m\nzone_reset_threshold=0.3\nzone_reset_frequency=0.1\n[b]\nrw=randread\niodepth=8\nrate_iops=5000\ntime_based\nruntime=20ms\nstartdelay=5ms\n",
            "[a]\nrw=write\niodepth=8\ntime_based\nruntime=10ms\nnumjobs=2\n[t]\nstonewall\nrw=randtrim\nbs=64k\niodepth=4\n[c]\nstonewall\nrw=write\nbs=8k\niodepth=2\n",
        ] {
            let output = run(more, jobs);
            assert_eq!(number(&output, "host.refused"), 0.0, "{more}{jobs}");
            assert_eq!(number(&output, "ftl.write_amplification"), 1.0, "{jobs}");
            assert!(number(&output, "ftl.zones.writes") > 100.0, "{jobs}");
            assert!(number(&output, "ftl.zones.resets") > 0.0, "{jobs}");
        }
    }
}

/// As many zones are open as the limits allow: more than the drive has are closed by it for others, where the job ignores its limit.
#[test]
fn limits_reach_the_drive() {
    let jobs = "[a]\nrw=randwrite\niodepth=8\nnorandommap=1\nio_size=1m\n";
    let kept = run("", jobs);
    assert_eq!(number(&kept, "ftl.zones.implicit_closes"), 0.0);
    let ignored = run("", &format!("{jobs}max_open_zones=4\nignore_zone_limits=1\n"));
    assert!(number(&ignored, "ftl.zones.implicit_closes") > 10.0);
    assert_eq!(number(&ignored, "host.refused"), 0.0);
    // beyond the limit of active zones the drive refuses
    let refused = run("", &format!("{jobs}max_open_zones=9\nignore_zone_limits=1\n"));
    assert!(number(&refused, "ftl.zones.refused.too_many_active_zones") > 0.0);
}

/// A time that is up while commands wait leaves zones that another job goes on with.
#[test]
fn a_job_that_ends_leaves_its_zones_in_order() {
    let jobs = "[a]\nrw=randwrite\niodepth=16\nnorandommap=1\ntime_based\nruntime=3ms\nnumjobs=3\nmax_open_zones=2\n\
                [b]\nrw=randwrite\niodepth=4\nnorandommap=1\nio_size=1m\nmax_open_zones=2\n[r]\nstonewall\nmax_open_zones=2\nrw=read\niodepth=8\n";
    for more in ["", LINK] {
        let output = run(more, jobs);
        assert_eq!(number(&output, "host.refused"), 0.0);
        assert!(number(&output, "host.read.count") > 0.0);
    }
}

/// A zone that one job leaves with less room than a block of the next one is finished, so that the next one can open another zone.
#[test]
fn rests_that_are_too_small_are_finished() {
    let jobs = "max_open_zones=1\n[a]\nrw=write\nio_size=52k\n[b]\nstonewall\nrw=randwrite\nbs=8k\niodepth=4\nnorandommap=1\nio_size=256k\n\
                [r]\nstonewall\nrw=randread\nnorandommap=1\nio_size=256k\n";
    for more in ["", LINK] {
        let output = run(more, jobs);
        assert_eq!(number(&output, "host.refused"), 0.0);
        assert_eq!(number(&output, "ftl.zones.finished_pages"), 2.0);
        assert_eq!(number(&output, "host.write.bytes"), f64::from((52 + 256) << 10));
        assert_eq!(number(&output, "host.read.bytes"), f64::from(256 << 10));
    }
}
