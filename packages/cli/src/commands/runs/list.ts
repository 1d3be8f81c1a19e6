// `svc runs list`: the newest runs of all components.
import type * as Run from "@svc-runtime/domain/Run"
import { Effect } from "effect"
import { Command, Flag } from "effect/cli"
import * as AdminTarget from "../../admin/AdminTarget.ts"
import { present } from "../../CommandResult.ts"
import * as Flags from "../../Flags.ts"
import * as RunTable from "../../runs/RunTable.ts"
import * as ComponentName from "../../service/ComponentName.ts"
import * as Groups from "../../service/Groups.ts"
import * as ListAnswer from "../../service/ListAnswer.ts"
import * as ServiceClient from "../../service/ServiceClient.ts"
import { address, credentials, Variables } from "../../terminal/HelpPage.ts"

const statuses = ["pending", "running", "completed", "paused", "cancelled", "error", "regenerated"] as const

const flags = {
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

export const list = Command.make(
  "list",
  flags,
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
