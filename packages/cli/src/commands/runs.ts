// `svc runs`: the runs of a service.
import type * as Run from "@svc-runtime/domain/Run"
import * as RunStatus from "@svc-runtime/domain/RunStatus"
import { Effect } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import * as AdminTarget from "../admin/AdminTarget.ts"
import { present } from "../CommandResult.ts"
import * as Flags from "../Flags.ts"
import * as FollowedRun from "../runs/FollowedRun.ts"
import * as RunTable from "../runs/RunTable.ts"
import * as ComponentName from "../service/ComponentName.ts"
import * as Groups from "../service/Groups.ts"
import * as ListAnswer from "../service/ListAnswer.ts"
import * as RunAddress from "../service/RunAddress.ts"
import * as ServiceClient from "../service/ServiceClient.ts"
import { address, credentials, Variables } from "../terminal/HelpPage.ts"
import { Output } from "../terminal/Output.ts"
import { continueRun } from "./runs/continue.ts"
import { showRun } from "./runs/show.ts"

// `svc runs watch RUN`: follows the events of a run that exists, from its first one or from a later one.

const watchFlags = {
  run: Argument.String("run").pipe(Argument.withDescription("Id of the run")),
  after: Flag.Int("after").pipe(
    Flag.withMetavar("INDEX"),
    Flag.withDescription("Only events behind this index"),
    Flag.atLeast(0),
    Flag.map((given) => given.at(-1))
  ),
  ...AdminTarget.flags
}

const watch = Command.make("watch", watchFlags, ({ after, json, run: id, ...given }) =>
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

// `svc runs list`: the newest runs of all components.

const statuses = ["pending", "running", "completed", "paused", "cancelled", "error", "regenerated"] as const

const listFlags = {
  status: Flag.Literals("status", statuses).pipe(
    Flag.withDescription("Only runs in this state"),
    Flag.atLeast(0),
    Flag.map((given) => given.at(-1))
  ),
  component: Flags.text("component", "NAME", "Only runs of this component, such as agent/assistant"),
  session: Flags.text("session", "ID", "Only runs of this session"),
  user: Flags.text("user", "ID", "Only runs of this user"),
  limit: Flags.limit,
  ...AdminTarget.flags
}

const list = Command.make(
  "list",
  listFlags,
  ({ component, json, limit, session, status, user, ...given }) =>
    present(
      json,
      Effect.gen(function*() {
        const service = yield* ServiceClient.open(given)
        const name = component === undefined ? undefined : yield* ComponentName.resolve(service, component)
        return yield* ListAnswer.of({
          name: "runs",
          read: (action) =>
            ServiceClient.call(service, action, Groups.runs, "list", {
              query: {
                limit,
                type: name?.kind,
                component_id: name?.id,
                session_id: session,
                user_id: user,
                status: status?.toUpperCase() as typeof Run.Status.Type | undefined
              }
            }),
          columns: RunTable.columns,
          rowOf: RunTable.rowOf,
          empty: "There are no such runs. Start one with svc run."
        })
      })
    )
).pipe(
  Command.withDescription("List the runs of all components, the newest first."),
  Command.annotate(Variables, [address, ...credentials]),
  Command.withShortDescription("List runs"),
  Command.withExamples([
    { command: "svc runs list --status paused" },
    {
      command: "svc runs list --status error --json | jq -r '.runs[].run_id'",
      description: "The ids of runs that failed"
    }
  ])
)

// `svc runs cancel RUN`: requests the end of a run.

const flags = {
  run: Argument.String("run").pipe(Argument.withDescription("Id of the run")),
  ...AdminTarget.flags
}

const cancel = Command.make("cancel", flags, ({ json, run: id, ...given }) =>
  present(
    json,
    Effect.gen(function*() {
      const output = yield* Output
      const service = yield* ServiceClient.open(given)
      const { component, run_id, session_id } = yield* RunAddress.find(service, id)
      const runs = ComponentName.runsOf(service, component)
      const run = { run_id, session_id }
      yield* Effect.mapError(runs.cancel(run), ServiceClient.failed("Cancelling the run"))
      const { status } = yield* Effect.mapError(runs.get(run), ServiceClient.failed("Reading the run"))
      return {
        document: { run_id, session_id, status },
        human: output.line(
          RunStatus.hasEnded(status) ? `Run ${run_id} has ended as ${status}.` : `Run ${run_id} is being cancelled.`
        )
      }
    })
  )).pipe(
    Command.withDescription("Request the end of a run. A run that has ended stays as it is."),
    Command.annotate(Variables, [address, ...credentials]),
    Command.withShortDescription("Cancel a run"),
    Command.withExamples([{ command: "svc runs cancel 0d0f7c4e-…" }])
  )

export const runs = Command.make("runs").pipe(
  Command.withDescription("List, show, follow, cancel and continue the runs of a service."),
  Command.withShortDescription("Work with runs"),
  Command.withSubcommands([list, showRun, watch, cancel, continueRun])
)
