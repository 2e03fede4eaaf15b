# tocuda, Apache-2.0.
"""`scripts/campaign run`: reads what was prepared, runs the steps that are left and prints the status."""

import json

from campaigning import plan, state, status, steps
from campaigning.campaign import Campaign
from campaigning.outcome import DONE, FAILED, NOTHING, Problem, STOPPED, USAGE


def prepared_in(folder):
    try:
        found = json.loads((folder / "prepared.json").read_text())
        return {"id": found["id"], **found}
    except (OSError, ValueError, KeyError, TypeError) as why:
        raise Problem(f"{folder} was not prepared ({why}): run scripts/campaign prepare {folder}", USAGE) from None


def run(asked, repository):
    try:
        return do(asked, repository)
    except OSError as why:
        # Most likely a full disk. The last archive is complete: it is only ever replaced by a complete one.
        print(f"campaign: {why}: stopped; the last archive is unchanged")
        return STOPPED


def chosen(asked):
    every = steps.all_steps()
    names = [step.name for step in every]
    if unknown := [name for name in asked.only if name not in names]:
        raise Problem(f"--only {unknown[0]}: no such step; available: {', '.join(names)}", USAGE)
    return [step for step in every if not asked.only or step.name in asked.only]


def do(asked, repository):
    wanted = chosen(asked)
    campaign = Campaign(asked, repository, prepared_in(asked.folder))
    if asked.forecast:
        print("\n".join(plan.table(campaign.planned(wanted))))
        return DONE
    campaign.start()
    finished = campaign.do_all(wanted)
    write_status(campaign)
    outcomes = [campaign.state.outcome(step.name) for step in wanted]
    if campaign.state.outcome("build") == state.FAILED:
        print(f"the build failed: mend what {campaign.log('build.log')} says, then start again")
        return NOTHING
    if not finished:
        return STOPPED
    return FAILED if state.FAILED in outcomes or state.BEGUN in outcomes else DONE


def write_status(campaign):
    """Prints what the archive holds and the table of peers, and writes both to status.txt."""
    peers = campaign.recorded / "peers.txt"
    told = [*status.lines(campaign.archive), "", *(peers.read_text().splitlines() if peers.is_file() else [])]
    (campaign.archive.parent / "status.txt").write_text("\n".join(told).strip() + "\n")
    print("\n".join(told).strip())
