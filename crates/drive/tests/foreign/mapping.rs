//! A mapping of another crate is one row.

use std::path::Path;

use wordline_config::schema;
use wordline_drive::{RunOptions, run};

use crate::ring::RING;
use crate::{audited, choice, figure, output, refused, register_all, resolved};

#[test]
fn a_mapping_of_another_crate_is_one_row() {
    register_all();
    let ftl = &schema()["properties"]["ftl"]["properties"];
    assert_eq!(choice(&ftl["mapping"], "ring")["description"], RING.entry.help);
    assert_eq!(ftl["ring_spare_blocks"]["default"], 3);

    let ring = ("ftl.mapping", "ring");
    let error = refused(&[("ftl.ring_spare_blocks", "5")]);
    let told = "has no effect here: it is used only with ftl.mapping = \"ring\"";
    assert!(error.contains(told), "{error}");
    let error = refused(&[ring, ("ftl.gc.victim", "fifo")]);
    assert!(error.contains("only with ftl.mapping = \"page\""), "{error}");
    let error = refused(&[ring, ("ftl.ring_spare_blocks", "1")]);
    assert!(
        error.contains("ftl.ring_spare_blocks = 1") && error.contains("at least 2 blocks"),
        "{error}"
    );
    let error = refused(&[ring, ("ftl.ring_spare_blocks", "\"few\"")]);
    assert!(
        error.contains("ftl.ring_spare_blocks") && error.contains("few"),
        "{error}"
    );
    let error = refused(&[("ftl.mapping", "rings")]);
    assert!(error.contains("`ring`") || error.contains("\"ring\""), "{error}");

    // it has no closed form: the steady state is come to by writing
    let steady = [
        ring,
        ("age.method", "steady_state"),
        ("ftl.ring_spare_blocks", "8"),
    ];
    let aged = output(&steady, audited());
    assert!(aged.summary.number("ftl.gc.rho_effective").is_none());
    let amplification = figure(&aged, "ftl.write_amplification");
    assert!(amplification > 1.2 && amplification < 10.0, "{amplification}");
    assert_eq!(
        figure(&output(&steady, audited()), "ftl.write_amplification"),
        amplification
    );

    // its drive is saved and loaded, but not into another mapping
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("drive");
    let options = RunOptions {
        save_state: Some(path.clone()),
        ..audited()
    };
    output(&[ring], options);
    let file = path.to_str().unwrap();
    let from_file = [("age.method", "snapshot"), ("age.snapshot", file)];
    let again = output(&[ring, from_file[0], from_file[1]], audited());
    assert!(figure(&again, "ftl.write_amplification") > 1.0);
    let config = resolved(&from_file).unwrap().config;
    let error = run(&config, Path::new("."), RunOptions::default(), &mut |_| true).map(|_| ());
    let error = error.unwrap_err().to_string();
    assert!(error.contains("ftl.mapping = ring there, page here"), "{error}");
}
