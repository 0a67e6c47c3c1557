"""`wordline infer`: which settings explain what was measured."""

from typing import Annotated

import typer

from wordline.cli import points as options
from wordline.cli.common import ClusterAddress, app, exit_status, keys_and_values, say
from wordline.notes import as_json
from wordline.outputs import refuse_unwritable_directory


@app.command()
def infer(
    source: options.Source,
    workload: options.WorkloadFile = None,
    set_: options.Sets = None,
    vary: options.Varied = None,
    together: options.Together = None,
    target: Annotated[
        list[str] | None,
        typer.Option(
            help="A figure, what was measured, and how exactly: `host.iops=370000+-5%`; may be repeated.",
            metavar="FIGURE=VALUE+-TOLERANCE",
        ),
    ] = None,
    measured: Annotated[
        bool,
        typer.Option(
            "--measured",
            help="Take the response times that the trace of the workload has recorded: the first half as targets, the second to be predicted.",
        ),
    ] = False,
    tolerance: Annotated[
        str,
        typer.Option(
            help="Tolerance of targets without one: 95 of 100 measured values lie that near to the drive's.",
            metavar="TOLERANCE",
        ),
    ] = "5%",
    points: Annotated[int, typer.Option(min=8, help="Points that are run.", metavar="N")] = 48,
    seeds: options.Seeds = None,
    seed: Annotated[int, typer.Option(help="Seed of the choice of points.", metavar="N")] = 1,
    jobs: options.Jobs = None,
    cluster: ClusterAddress = None,
    cache: options.Cache = None,
    out: options.Out = None,
    json_: Annotated[
        bool, typer.Option("--json", help="Print what was found as JSON, and nothing else.")
    ] = False,
) -> None:
    """Find the settings of unknown keys that explain what was measured.

    The answer is a set of settings that is 95 % likely, not only the best ones: what it leaves open, the targets do not
    determine. Finished runs are kept, so that a command that was stopped goes on where it was.

    Examples:
    * `wordline infer tiny --vary timing.t_r='20 us..100 us' --vary ftl.over_provisioning=7%..40% --target host.read.latency.p50_us=88+-2% --target ftl.write_amplification=3.2`

    * `wordline infer infer.toml --points 96 --out infer`

    * `wordline infer drive.toml --workload trace.toml --measured --vary timing.t_r='20 us..200 us:log' --tolerance 10%`
    """
    from wordline.cli.varied import asked_for
    from wordline.inferring.infer import inferred, target_of
    from wordline.inferring.measured import measured_halves
    from wordline.inferring.targets import Target
    from wordline.inferring.waves import SEEDS, Plan

    with exit_status(options.KEPT):
        refuse_unwritable_directory(out)
        overrides = keys_and_values(set_)
        asked = asked_for(source, workload, overrides, vary, together, seeds, targets=True)
        own = [Target.from_text(text, tolerance) for text in target or ()]
        over = {each.figure for each in own}
        targets = [
            target_of(figure, given, tolerance)
            for figure, given in asked.targets.items()
            if figure not in over
        ] + own
        plan = Plan(points, SEEDS if asked.seeds is None else asked.seeds, seed)
        halves = measured_halves(asked.layers) if measured else None
        engine = options.engine_of(jobs, cluster, cache)
        found = inferred(asked.layers, asked.axes, targets, plan, engine, halves, tolerance)
        if out:
            found.save(out)
        if json_:
            say(as_json(found.about))
        else:
            from wordline.terminal.inference import print_inference

            print_inference(found, out)
