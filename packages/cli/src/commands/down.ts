// `svc down`: stops and removes the project's containers, and with --volumes their data.
import { Effect } from "effect"
import { Command } from "effect/cli"
import { present } from "../CommandResult.ts"
import * as Flags from "../Flags.ts"
import * as Compose from "../project/Compose.ts"

const volumes = Flags.toggle("volumes", "Remove named volumes too: this destroys their data", "v")

export const down = Command.make(
  "down",
  { file: Flags.file, volumes, dryRun: Flags.dryRun, json: Flags.json },
  ({ file, json, ...given }) =>
    present(
      json,
      Effect.gen(function*() {
        const call = Compose.down(yield* Compose.find(file), given)
        return yield* Compose.answer([call], {
          document: { ...call },
          done: `Stopped the containers of ${call.compose_file}`
        })
      })
    )
).pipe(
  Command.withDescription("Stop and remove the project's containers (docker compose down)."),
  Command.withShortDescription("Stop the project's containers"),
  Command.withExamples([
    { command: "svc down" },
    { command: "svc down --volumes", description: "Also destroy the data of its volumes" }
  ])
)
