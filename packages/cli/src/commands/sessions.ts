// `svc sessions`: the conversations that a service keeps.
import { Command } from "effect/cli"
import { list } from "./sessions/list.ts"
import { remove } from "./sessions/remove.ts"
import { showSession } from "./sessions/show.ts"

export const sessions = Command.make("sessions").pipe(
  Command.withDescription("List, show and delete the sessions of a service."),
  Command.withShortDescription("Work with sessions"),
  Command.withSubcommands([list, showSession, remove])
)
