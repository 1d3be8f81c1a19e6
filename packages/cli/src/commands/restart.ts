// `svc restart`: down, a pause, and up. When down fails, nothing is started.
import { Effect } from "effect"
import { Command } from "effect/cli"
import { present } from "../CommandResult.ts"
import * as Flags from "../Flags.ts"
import * as Compose from "../project/Compose.ts"

export const restart = Command.make(
  "restart",
  { file: Flags.file, pull: Flags.pull, dryRun: Flags.dryRun, json: Flags.json },
  ({ dryRun, file: given, json, pull }) =>
    present(
      json,
      Effect.gen(function*() {
        const file = yield* Compose.find(given)
        const down = Compose.down(file, { dryRun, volumes: false })
        const up = Compose.up(file, { dryRun, pull })
        return yield* Compose.answer([down, up], {
          document: { down: { ...down }, up: { ...up }, compose_file: file, dry_run: dryRun },
          done: `Restarted the containers of ${file}`
        })
      })
    )
).pipe(
  Command.withDescription("Stop the project's containers and start them again, built anew."),
  Command.withShortDescription("Stop and start the project's containers"),
  Command.withExamples([{ command: "svc restart" }, { command: "svc restart --pull" }])
)
