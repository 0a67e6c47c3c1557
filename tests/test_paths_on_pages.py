"""Pages name files as they are seen from the working directory; what is computed with names them in full."""

from pathlib import Path

from shared import wordline


def test_a_report_names_a_trace_from_the_working_directory(tmp_path: Path) -> None:
    rows = [f"{128166372003061629 + 10_000 * i},hm,0,Write,{4096 * i},4096,100" for i in range(60)]
    (tmp_path / "hm.csv").write_text("\n".join(rows) + "\n")
    done = wordline(
        *("run", "tiny", "--trace", "hm.csv", "--out", "result"),
        cwd=tmp_path,
    )
    assert done.returncode == 0, done.stderr
    page = (tmp_path / "result/report.html").read_text("utf-8")
    # the configuration is that of config.toml, to be run again from anywhere
    assert page.count(str(tmp_path)) == 1
    assert f"path = &#34;{tmp_path}/hm.csv&#34;" in page
    assert " hm.csv: " in page.replace(">", " ")
    assert str(tmp_path / "hm.csv") in (tmp_path / "result/config.toml").read_text("utf-8")


def test_where_a_command_runs_changes_nothing_but_pages(tmp_path: Path) -> None:
    (tmp_path / "hm.csv").write_text("128166372003061629,hm,0,Write,4096,4096,100\n" * 3)
    (tmp_path / "below").mkdir()
    kept = []
    for cwd in (tmp_path, tmp_path / "below"):
        done = wordline(
            *("run", "tiny", "--trace", tmp_path / "hm.csv", "--out", tmp_path / "result"),
            cwd=cwd,
        )
        assert done.returncode == 0, done.stderr
        names = ("config.toml", "remarks.json", "requests.parquet")
        kept.append([(tmp_path / "result" / name).read_bytes() for name in names])
    assert kept[0] == kept[1]
