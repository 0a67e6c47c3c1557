"""`wordline sweep`: many drives or workloads, in one table."""

from typing import Annotated

import typer

from wordline.cli import points as options
from wordline.cli.common import ClusterAddress, app, exit_status, keys_and_values, say
from wordline.errors import ConfigError
from wordline.notes import as_json
from wordline.outputs import refuse_unwritable_directory


@app.command()
def sweep(
    source: options.Source,
    workload: options.WorkloadFile = None,
    set_: options.Sets = None,
    vary: options.Varied = None,
    together: options.Together = None,
    policies: options.Policies = None,
    sample: Annotated[
        str | None,
        typer.Option(
            help="Draw points in place of every combination: `sobol:64` or `random:100`.",
            metavar="KIND:POINTS",
        ),
    ] = None,
    sample_seed: Annotated[
        int | None, typer.Option(help="Seed of the sample.", metavar="N", show_default="1")
    ] = None,
    seeds: options.Seeds = None,
    figure: Annotated[
        list[str] | None,
        typer.Option(help="Key of a figure to print; may be repeated.", metavar="KEY"),
    ] = None,
    jobs: options.Jobs = None,
    cluster: ClusterAddress = None,
    cache: options.Cache = None,
    out: options.Out = None,
    reports: Annotated[
        bool,
        typer.Option(
            "--reports",
            help="Run each point once more and write its result and report to --out, for the explorer.",
        ),
    ] = False,
    json_: Annotated[
        bool, typer.Option("--json", help="Print every run as JSON, and nothing else.")
    ] = False,
) -> None:
    """Simulate every combination of what is varied, or a sample of them.

    Finished runs are kept: a sweep that was stopped goes on where it was. A run that fails is a row with its error.

    Examples:
    * `wordline sweep tiny --vary ftl.over_provisioning=7%,15%,28% --vary ftl.gc.victim=greedy,fifo`

    * `wordline sweep tiny --vary workload.queue_depth=1..64:7:log --seeds 3 --out sweep`

    * `wordline sweep tiny --vary ftl.over_provisioning=5%..50% --vary timing.t_prog='100 us..1000 us:log' --sample sobol:64`

    * `wordline sweep sweep.toml --out sweep`

    * `wordline sweep sweep.toml --cluster tcp://10.0.0.5:8786`
    """
    from wordline.cli.varied import asked_for
    from wordline.sweeps.file import sample_from_text
    from wordline.sweeps.sweep import measured, runs_of, write_reports

    with exit_status(options.KEPT):
        refuse_unwritable_directory(out)
        asked = asked_for(source, workload, keys_and_values(set_), vary, together, seeds, policies)
        drawn = asked.sample
        if sample is not None:
            drawn = sample_from_text(sample, sample_seed)
        elif sample_seed is not None:
            raise ConfigError("--sample-seed: there is no --sample for it")
        space = asked.with_sample(drawn).space
        if reports and not out:
            raise ConfigError("--reports: there is no --out for them")
        runs = runs_of(asked.layers, space, 1 if asked.seeds is None else asked.seeds)
        found = measured(runs, options.engine_of(jobs, cluster, cache), asked.layers)
        for key in figure or ():
            if key not in found.figures:
                raise ConfigError(f"--figure {key}: no run has such a figure")
        if out:
            if reports:
                write_reports(runs, out, jobs)
            found.save(out)
        if json_:
            say(as_json({**found.about, "rows": found.table.to_dicts()}))
        else:
            from wordline.terminal.sweeps import print_sweep

            print_sweep(found, figure or (), out)
