// `svc approvals list`: what waits for a person, or waited.
import type { Approval } from "@svc-runtime/domain/Approval"
import { Effect } from "effect"
import { Command, Flag } from "effect/cli"
import * as AdminTarget from "../../admin/AdminTarget.ts"
import { present } from "../../CommandResult.ts"
import * as Flags from "../../Flags.ts"
import * as CallDecisions from "../../runs/CallDecisions.ts"
import * as ComponentName from "../../service/ComponentName.ts"
import * as Groups from "../../service/Groups.ts"
import * as ListAnswer from "../../service/ListAnswer.ts"
import * as ServiceClient from "../../service/ServiceClient.ts"
import { address, credentials, Variables } from "../../terminal/HelpPage.ts"
import { shown } from "../../terminal/Instant.ts"

const statuses = ["pending", "approved", "rejected", "expired", "cancelled", "all"] as const

const flags = {
  status: Flag.Literals("status", statuses).pipe(
    Flag.withDescription("Approvals in this state (default: pending)"),
    Flag.atLeast(0),
    Flag.map((given) => given.at(-1) ?? "pending")
  ),
  limit: Flags.limit,
  ...AdminTarget.flags
}

const columns = [
  { title: "Approval" },
  { title: "Component" },
  { title: "Call", wraps: true },
  { title: "Since" },
  { title: "Status" },
  { title: "Run" }
]

const rowOf = (approval: Approval): ReadonlyArray<string> => {
  const { created_at, id, run_id, status, tool_args, tool_name } = approval
  return [
    id,
    ComponentName.shownOf(approval),
    tool_name === null ? "-" : CallDecisions.titleOf({ tool_name, tool_args }),
    shown(created_at),
    status,
    run_id
  ]
}

export const list = Command.make("list", flags, ({ json, limit, status, ...given }) =>
  present(
    json,
    Effect.gen(function*() {
      const service = yield* ServiceClient.open(given)
      return yield* ListAnswer.of({
        name: "approvals",
        read: (action) =>
          ServiceClient.call(service, action, Groups.approvals, "list", {
            query: { limit, status: status === "all" ? undefined : status }
          }),
        columns,
        rowOf,
        empty: status === "pending" ? "Nothing waits for a decision." : "There are no such approvals."
      })
    })
  )).pipe(
    Command.withDescription("List what waits for a decision, the newest first."),
    Command.annotate(Variables, [address, ...credentials]),
    Command.withShortDescription("List approvals"),
    Command.withExamples([
      { command: "svc approvals list" },
      { command: "svc approvals list --json | jq -r '.approvals[].id'", description: "The ids of what waits" }
    ])
  )
