"""`wordline search`: which design is best."""

from typing import Annotated

import typer

from wordline.cli import points as options
from wordline.cli.common import ClusterAddress, app, exit_status, keys_and_values, say
from wordline.notes import as_json


@app.command()
def search(
    source: options.Source,
    workload: options.WorkloadFile = None,
    set_: options.Sets = None,
    vary: options.Varied = None,
    together: options.Together = None,
    minimize: Annotated[
        list[str] | None,
        typer.Option(
            help="A figure, a key, or an expression of both, to be made small; may be repeated.",
            metavar="EXPRESSION",
        ),
    ] = None,
    maximize: Annotated[
        list[str] | None,
        typer.Option(help="The same, to be made large; may be repeated.", metavar="EXPRESSION"),
    ] = None,
    where: Annotated[
        list[str] | None,
        typer.Option(
            help="What a design must keep, such as `host.iops >= 10000`; may be repeated.",
            metavar="COMPARISON",
        ),
    ] = None,
    trials: Annotated[int, typer.Option(min=1, help="Points that are tried.", metavar="N")] = 60,
    batch: Annotated[
        int, typer.Option(min=1, help="Points that are proposed together.", metavar="N")
    ] = 6,
    short: Annotated[
        float | None,
        typer.Option(
            help="Run this share of the requests of each point first, and only the best third in full.",
            metavar="SHARE",
        ),
    ] = None,
    seed: Annotated[int, typer.Option(help="Seed of the proposals.", metavar="N")] = 1,
    seeds: options.Seeds = None,
    jobs: options.Jobs = None,
    cluster: ClusterAddress = None,
    cache: options.Cache = None,
    out: options.Out = None,
    json_: Annotated[
        bool, typer.Option("--json", help="Print the Pareto set as JSON, and nothing else.")
    ] = False,
) -> None:
    """Look for the best designs of a space.

    With several objectives the answer is the Pareto set: the designs that no other beats in all of them. Finished runs are
    kept, so that a search that was stopped goes on where it was.

    Examples:
    * `wordline search tiny --vary ftl.over_provisioning=7%..40% --vary ftl.gc.victim=greedy,fifo,cat --minimize ftl.write_amplification`

    * `wordline search tiny --vary geometry.channels=1,2,4,8 --vary ftl.over_provisioning=7%..40% --maximize host.iops --minimize 'geometry.channels * (1 + ftl.over_provisioning)'`

    * `wordline search sweep.toml --minimize host.read.latency.p999_us --minimize ftl.write_amplification --where 'host.iops >= 10000' --trials 200 --short 0.1 --out search`
    """
    from wordline.cli.varied import asked_for
    from wordline.searching.search import goal_of, searched

    with exit_status(options.KEPT):
        asked = asked_for(source, workload, keys_and_values(set_), vary, together, seeds)
        goal = goal_of(
            minimize or (),
            maximize or (),
            where or (),
            trials=trials,
            batch=batch,
            short=short,
            seed=seed,
            seeds=1 if asked.seeds is None else asked.seeds,
        )
        found = searched(asked.layers, asked.axes, goal, options.engine_of(jobs, cluster, cache))
        if out:
            found.save(out)
        if json_:
            say(as_json(found.about))
        else:
            from wordline.terminal.sweeps import print_search

            print_search(found, out)
