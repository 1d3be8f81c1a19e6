// `svc up`: starts the project's containers, built anew.
import { Effect } from "effect"
import { Command } from "effect/cli"
import { present } from "../CommandResult.ts"
import * as Flags from "../Flags.ts"
import * as Compose from "../project/Compose.ts"

export const up = Command.make(
  "up",
  { file: Flags.file, pull: Flags.pull, dryRun: Flags.dryRun, json: Flags.json },
  ({ file, json, ...given }) =>
    present(
      json,
      Effect.gen(function*() {
        const call = Compose.up(yield* Compose.find(file), given)
        return yield* Compose.answer([call], {
          document: { ...call },
          done: `Started the containers of ${call.compose_file}`
        })
      })
    )
).pipe(
  Command.withDescription("Build and start the project's containers (docker compose up)."),
  Command.withShortDescription("Start the project's containers"),
  Command.withExamples([
    { command: "svc up" },
    { command: "svc up --pull", description: "With the newest base images" },
    { command: "svc up -dr", description: "See what would be run" }
  ])
)
