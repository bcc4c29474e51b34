"""Commands of other distributions: entry points of the group `sparing.commands`, each a Typer application.

Entry points are listed only for help and for unknown commands, and imported only when their command runs.
"""

from __future__ import annotations

from importlib.metadata import EntryPoints, entry_points
from typing import Any

import typer
from typer.core import TyperGroup

from sparing.model.errors import SparingError

GROUP = "sparing.commands"
LABORATORY = ("study", "bench")  # commands of sparing-lab, for a clear error if it is not installed


def plugins() -> EntryPoints:
    """Return the entry points of all installed distributions."""
    return entry_points(group=GROUP)


class Commands(TyperGroup):
    """The commands of this distribution and of plug-ins."""

    def list_commands(self, ctx: Any) -> list[str]:  # noqa: ARG002
        """Return all names; a plug-in cannot replace a command of this distribution."""
        return [*self.commands, *sorted(plugins().names - set(self.commands))]

    def get_command(self, ctx: Any, cmd_name: str) -> Any:  # noqa: ARG002
        """Return the command of a name, or None."""
        if cmd_name in self.commands:
            return self.commands[cmd_name]
        if found := plugins().select(name=cmd_name):
            command = typer.main.get_command(next(iter(found)).load())
            command.name = cmd_name
            return command
        if cmd_name in LABORATORY:
            raise SparingError(
                f"The command {cmd_name} is part of the laboratory, which is not installed: pip install sparing-lab."
            )
        return None
