"""What of a folder's own files counts for one command."""

from __future__ import annotations

import argparse

from geekagent_tui.cli.input import agreed, can_ask
from geekagent_tui.cli.output import Output
from geekagent_tui.config import Trust
from geekagent_tui.config.trust import read_trust
from geekagent_tui.i18n import _
from geekagent_tui.paths import Workspace
from geekagent_tui.reasons import reason_of
from geekagent_tui.sanitize import clean_line


def trusted(call: argparse.Namespace, workspace: Workspace, output: Output) -> Trust:
    """What counts: everything with `--trust`, else what the user has agreed to, now if somebody is there.

    Raises:
        KeyboardInterrupt: Ctrl+C.
    """
    if call.trust:
        return Trust(everything=True)
    trust = read_trust(workspace)
    if not can_ask():
        return trust
    from geekagent_tui.agent.events import TrustDecision
    from geekagent_tui.agent.trust import review, settle

    asked = review(workspace, trust)
    if asked is None:
        return trust
    output.message(_("这个文件夹带来了会改变助手行为的文件："))
    for item in asked.items:
        output.message(f"  {clean_line(item.path)}")
        for effect in item.effects:
            output.message(f"    {clean_line(effect)}")
    answer = agreed(_("信任这些文件吗？"))
    if answer is None:  # no answer to remember: it is asked again the next time
        return trust
    try:
        settle(workspace, asked, TrustDecision(answer))
    except OSError as error:
        output.message(_("信任记录保存失败：{reason}").format(reason=reason_of(error)))
    return trust.after(asked.items, trusted=answer)
