//! The page about fio jobs lists the options as the reader knows them.

use std::path::Path;

use wordline_workload::{FioDrive, fio_clients, fio_options};

fn page() -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/how-to/run-a-fio-job.md");
    std::fs::read_to_string(path).unwrap()
}

#[test]
fn the_page_lists_every_option() {
    let mut table = String::new();
    for option in fio_options() {
        let names: Vec<String> = [option.name]
            .iter()
            .chain(option.aliases)
            .map(|name| format!("`{name}`"))
            .collect();
        table += &format!(
            "| {} | {} | {} |\n",
            names.join(", "),
            option.treatment,
            option.meaning
        );
    }
    let (_, found) = page()
        .split_once("| option | | meaning |\n|---|---|---|\n")
        .map(|(before, table)| (before.to_owned(), table.to_owned()))
        .unwrap();
    assert!(
        found == table,
        "the table of docs/how-to/run-a-fio-job.md should be:\n{table}"
    );
}

/// The example of the page runs as it is.
#[test]
fn the_example_is_a_job_file() {
    let page = page();
    let (_, rest) = page.split_once("```ini title=\"my-job.fio\"\n").unwrap();
    let (example, _) = rest.split_once("```").unwrap();
    let clients = fio_clients(example, "example", &FioDrive::plain(1 << 20), 1).unwrap();
    let names: Vec<&str> = clients.iter().map(|client| client.name.as_str()).collect();
    assert_eq!(names, ["in-order", "at-random"]);
    assert!(
        clients[0].source.notes().is_empty(),
        "{:?}",
        clients[0].source.notes()
    );
}
