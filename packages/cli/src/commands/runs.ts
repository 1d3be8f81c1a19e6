// `svc runs`: the runs of a service.
import { Command } from "effect/cli"
import { cancel } from "./runs/cancel.ts"
import { continueRun } from "./runs/continue.ts"
import { list } from "./runs/list.ts"
import { showRun } from "./runs/show.ts"
import { watch } from "./runs/watch.ts"

export const runs = Command.make("runs").pipe(
  Command.withDescription("List, show, follow, cancel and continue the runs of a service."),
  Command.withShortDescription("Work with runs"),
  Command.withSubcommands([list, showRun, watch, cancel, continueRun])
)
