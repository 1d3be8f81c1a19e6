// `svc up`, `svc down`, `svc restart` and `svc logs`: the containers of the project.
import { Effect } from "effect"
import { Command, Flag } from "effect/cli"
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

/** When `down` fails, nothing is started. */
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

const logsFlags = {
  file: Flags.file,
  follow: Flags.toggle("follow", "Show new lines as they come, until Ctrl-C"),
  tail: Flag.Int("tail").pipe(
    Flag.withMetavar("LINES"),
    Flag.withDescription("How many lines of each container to show first (default: 200)"),
    Flag.atLeast(0),
    Flag.map((given) => given.at(-1) ?? 200)
  ),
  dryRun: Flags.dryRun,
  json: Flags.json
}

export const logs = Command.make("logs", logsFlags, ({ file, json, ...given }) =>
  present(
    json,
    Effect.gen(function*() {
      const call = Compose.logs(yield* Compose.find(file), given)
      return yield* Compose.logged(call)
    })
  )).pipe(
    Command.withDescription("Show the output of the project's containers (docker compose logs)."),
    Command.withShortDescription("Show the output of the project's containers"),
    Command.withExamples([{ command: "svc logs --follow" }, { command: "svc logs --tail 50 --json" }])
  )
