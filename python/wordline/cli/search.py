"""`wordline search`: which design is best."""

from typing import TYPE_CHECKING, Annotated

import typer

from wordline import _wordline
from wordline.cli import points as options
from wordline.cli.common import ClusterAddress, app, exit_status, keys_and_values, say
from wordline.notes import as_json
from wordline.outputs import refuse_unwritable_directory

if TYPE_CHECKING:
    from wordline.service import Service


@app.command()
def search(
    source: options.Source,
    workload: options.WorkloadFile = None,
    set_: options.Sets = None,
    vary: options.Varied = None,
    together: options.Together = None,
    policies: options.Policies = None,
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
    service: Annotated[
        str | None,
        typer.Option(
            help="Study each design over this time; expressions then know service.life_s, service.drives and service.cost.",
            metavar="TIME",
        ),
    ] = None,
    price: Annotated[
        float | None, typer.Option(help="Price of a GB of flash, for --service.", metavar="PRICE")
    ] = None,
    writes_per_day: Annotated[
        float | None,
        typer.Option(
            help="Drive writes per day in --service. By default, the arrival times of the workload are used.",
            metavar="N",
        ),
    ] = None,
    require: Annotated[
        str | None,
        typer.Option(help="Required retention in --service; by default 1 y.", metavar="TIME"),
    ] = None,
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

    * `wordline search tiny --vary ftl.over_provisioning=7%..40% --minimize service.cost --maximize host.iops --service '5 y' --price 0.1 --writes-per-day 20`

    * `wordline search sweep.toml --minimize host.read.latency.p999_us --minimize ftl.write_amplification --where 'host.iops >= 10000' --trials 200 --short 0.1 --out search`
    """
    from wordline.cli.varied import asked_for
    from wordline.searching.search import goal_of, searched

    with exit_status(options.KEPT):
        refuse_unwritable_directory(out)
        served = service_of(service, price, writes_per_day, require)
        asked = asked_for(source, workload, keys_and_values(set_), vary, together, seeds, policies)
        goal = goal_of(
            minimize or (),
            maximize or (),
            where or (),
            trials=trials,
            batch=batch,
            short=short,
            seed=seed,
            seeds=1 if asked.seeds is None else asked.seeds,
            service=served,
        )
        found = searched(asked.layers, asked.axes, goal, options.engine_of(jobs, cluster, cache))
        if out:
            found.save(out)
        if json_:
            say(as_json(found.about))
        else:
            from wordline.terminal.sweeps import print_search

            print_search(found, out)


def service_of(
    length: str | None, price: float | None, writes_per_day: float | None, require: str | None
) -> "Service | None":
    """The service that a search weighs the cost of.

    Raises:
        ConfigError: an option without the one that it belongs to.
    """
    from wordline.service import YEAR, Service

    if length is None:
        given = {"--price": price, "--writes-per-day": writes_per_day, "--require": require}
        for option, value in given.items():
            if value is not None:
                raise _wordline.ConfigError(f"{option}: there is no --service")
        return None
    if price is None:
        raise _wordline.ConfigError("--service: needs the --price of a GB")
    return Service(
        price,
        length=_wordline.seconds(length),
        writes_per_day=writes_per_day,
        required=_wordline.seconds(require) if require else YEAR,
    )
