// `svc runs watch RUN`: follows the events of a run that exists, from its first one or from a later one.
import { Effect } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import * as AdminTarget from "../../admin/AdminTarget.ts"
import { present } from "../../CommandResult.ts"
import * as FollowedRun from "../../runs/FollowedRun.ts"
import * as ComponentName from "../../service/ComponentName.ts"
import * as RunAddress from "../../service/RunAddress.ts"
import * as ServiceClient from "../../service/ServiceClient.ts"
import { address, credentials, Variables } from "../../terminal/HelpPage.ts"

const flags = {
  run: Argument.String("run").pipe(Argument.withDescription("Id of the run")),
  after: Flag.Int("after").pipe(
    Flag.withMetavar("INDEX"),
    Flag.withDescription("Only events behind this index"),
    Flag.atLeast(0),
    Flag.map((given) => given.at(-1))
  ),
  ...AdminTarget.flags
}

export const watch = Command.make("watch", flags, ({ after, json, run: id, ...given }) =>
  present(
    json,
    Effect.gen(function*() {
      const service = yield* ServiceClient.open(given)
      const found = yield* RunAddress.find(service, id)
      const runs = ComponentName.runsOf(service, found.component)
      const ended = yield* FollowedRun.follow(runs, {
        stream: runs.watch(found, after),
        request: "Following the run"
      })
      return yield* FollowedRun.answer(ended)
    })
  )).pipe(
    Command.withDescription(
      "Show the events of a run, those so far and those to come. Ctrl-C ends the command, and the run continues. With " +
        "--json every event is one line of JSON."
    ),
    Command.annotate(Variables, [address, ...credentials]),
    Command.withShortDescription("Follow a run to its end"),
    Command.withExamples([{ command: "svc runs watch 0d0f7c4e-…" }])
  )
