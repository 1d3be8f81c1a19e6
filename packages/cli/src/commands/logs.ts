// `svc logs`: the output of the project's containers.
import { Effect } from "effect"
import { Command, Flag } from "effect/cli"
import { present } from "../CommandResult.ts"
import * as Flags from "../Flags.ts"
import * as Compose from "../project/Compose.ts"

const flags = {
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

export const logs = Command.make("logs", flags, ({ file, json, ...given }) =>
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
