# tocuda, Apache-2.0.
"""`scripts/campaign run`: reads what was prepared, runs the steps that are left and prints the status."""

import json

from campaigning import parts, peer_table, state, status
from campaigning.campaign import Campaign
from campaigning.outcome import DONE, FAILED, NOTHING, Problem, STOPPED, USAGE


def prepared_in(folder):
    try:
        found = json.loads((folder / "prepared.json").read_text())
        return {"id": found["id"], "peers": found["peers"], **found}
    except (OSError, ValueError, KeyError, TypeError) as why:
        raise Problem(f"{folder} was not prepared ({why}): run scripts/campaign prepare {folder}", USAGE) from None


def run(asked, repository):
    try:
        return do(asked, repository)
    except OSError as why:
        # Most likely a full disk. The last archive is complete: it is only ever replaced by a complete one.
        print(f"campaign: {why}: stopped; the last archive is unchanged")
        return STOPPED


def do(asked, repository):
    prepared = prepared_in(asked.folder)
    all_steps = parts.all_steps(asked, prepared)
    steps = [step for step in all_steps if not asked.parts or step.part in asked.parts]
    planned = [step.name for step in all_steps]
    unknown = sorted(set(asked.limits) - set(planned))
    if unknown:
        raise Problem(f"--limit: no step named {', '.join(unknown)}; available: {', '.join(planned)}", USAGE)
    campaign = Campaign(asked, repository, prepared)
    try:
        campaign.state.note("planned", planned)
        finished = campaign.do_all(steps)
        write_status(campaign)
    finally:
        campaign.children.close()
    if not finished:
        return STOPPED
    outcomes = [campaign.state.outcome(step.name) for step in steps]
    if campaign.state.outcome("build") == state.FAILED:
        return NOTHING
    return FAILED if state.FAILED in outcomes or state.BEGUN in outcomes else DONE


def write_status(campaign):
    """Prints what the archive holds and the table of peers, and writes both to status.txt."""
    told = [*status.lines(campaign.archive), "", *peer_table.lines(campaign.recorded)]
    (campaign.archive.parent / "status.txt").write_text("\n".join(told).strip() + "\n")
    print("\n".join(told).strip())
