// `svc approvals`: what waits for a decision.
import type { Approval } from "@svc-runtime/domain/Approval"
import type * as Json from "@svc-runtime/domain/Json"
import { Effect, Option, Record } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import * as AdminTarget from "../admin/AdminTarget.ts"
import { present } from "../CommandResult.ts"
import * as Flags from "../Flags.ts"
import * as CallDecisions from "../runs/CallDecisions.ts"
import * as Waiting from "../runs/Waiting.ts"
import * as ComponentName from "../service/ComponentName.ts"
import * as Groups from "../service/Groups.ts"
import * as ListAnswer from "../service/ListAnswer.ts"
import * as ServiceClient from "../service/ServiceClient.ts"
import { address, credentials, Variables } from "../terminal/HelpPage.ts"
import { shown } from "../terminal/Instant.ts"
import { Output } from "../terminal/Output.ts"

// `svc approvals approve ID` and `svc approvals reject ID`.

const resolveFlags = {
  approval: Argument.String("approval").pipe(Argument.withDescription("Id of the approval")),
  note: Flags.text("note", "TEXT", "Note that the model reads"),
  by: Flags.text("by", "NAME", "Name of the person, on a service without authentication"),
  ...AdminTarget.flags
}

interface Resolving extends AdminTarget.Given {
  readonly approval: string
  readonly by: string | undefined
  readonly json: boolean
}

/** What comes of the run. One inside of another run, or that the caller may not read, is not known here. */
const outlookOf = Effect.fnUntraced(function*(service: ServiceClient.Service, approval: Approval) {
  const { run_id, session_id } = approval
  const component = ComponentName.ofEntry(approval)
  const read = component === undefined
    ? Option.none()
    : yield* Effect.option(ComponentName.runsOf(service, component).get({ run_id, session_id }))
  if (Option.isNone(read)) return `Run ${run_id} continues when it waits for nothing else.`
  const run: Waiting.Run = { ...read.value, run_id, session_id }
  const waiting = Waiting.of(run)
  return waiting.length === 0
    ? `Run ${run_id} continues.`
    : `Run ${run_id} stays paused. It still waits for: ${waiting.map(({ text }) => text).join("; ")}. ` +
      `Continue it with ${Waiting.commandFor(run)}.`
})

/** `data`: what is not given is left out. */
const resolve = (
  { approval: id, by, json, ...given }: Resolving,
  status: "approved" | "rejected",
  data: Readonly<Record<string, Json.Value | undefined>>
) =>
  present(
    json,
    Effect.gen(function*() {
      const output = yield* Output
      const service = yield* ServiceClient.open(given)
      const resolution_data = Record.filter(data, (value) => value !== undefined)
      const resolved = yield* ServiceClient.call(
        service,
        `Deciding approval ${id}`,
        Groups.approvals,
        "resolve",
        {
          params: { approval_id: id },
          payload: {
            status,
            ...(by === undefined ? {} : { resolved_by: by }),
            ...(Record.isEmptyReadonlyRecord(resolution_data) ? {} : { resolution_data })
          }
        }
      )
      const outlook = json ? "" : yield* outlookOf(service, resolved)
      return {
        document: { ...resolved } as never,
        human: output.success(`Approval ${id} is ${status}. ${outlook}`)
      }
    })
  )

const approveFlags = {
  ...resolveFlags,
  values: Flags.object("values", "Values that the call asks a person for, by the names of the fields"),
  result: Flags.text("result", "TEXT", "Result of a call that was executed elsewhere"),
  args: Flags.object("args", "Arguments of the call, in place of those of the model"),
  call: Flags.text("call", "ID", "The call that --args are for, if several wait for the approval")
}

const approve = Command.make(
  "approve",
  approveFlags,
  ({ args, call, note, result, values, ...given }) =>
    resolve(given, "approved", { tool_args: args, tool_call_id: call, values, result, note })
).pipe(
  Command.withDescription(
    "Approve a call, with what it needs of a person. Its run continues with it at once, or with the last decision " +
      "if it waits for something else too. An approval that the call cannot follow is refused with what it needs, " +
      "and nothing is decided."
  ),
  Command.annotate(Variables, [address, ...credentials]),
  Command.withShortDescription("Approve what a run waits for"),
  Command.withExamples([
    { command: "svc approvals approve 6b1f…" },
    {
      command: "svc approvals approve 6b1f… --args '{\"to\": \"ann@example.com\"}' --note 'To Ann instead'",
      description: "With other arguments"
    },
    {
      command: "svc approvals approve 6b1f… --values '{\"address\": \"Main Street 1\"}'",
      description: "With the values that the call asks for"
    },
    { command: "svc approvals approve 6b1f… --result 'Printed'", description: "With the result of the call" }
  ])
)

const reject = Command.make("reject", resolveFlags, ({ note, ...given }) => resolve(given, "rejected", { note })).pipe(
  Command.withDescription(
    "Reject a call. Its run continues without it, and the model reads the rejection and the note."
  ),
  Command.annotate(Variables, [address, ...credentials]),
  Command.withShortDescription("Reject what a run waits for"),
  Command.withExamples([
    { command: "svc approvals reject 6b1f…" },
    { command: "svc approvals reject 6b1f… --note 'The order was cancelled'", description: "With the reason" }
  ])
)

// `svc approvals list`: what waits for a person, or waited.

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

const list = Command.make("list", flags, ({ json, limit, status, ...given }) =>
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

export const approvals = Command.make("approvals").pipe(
  Command.withDescription(
    "List what waits for a decision, and approve or reject it. The run then continues by itself."
  ),
  Command.withShortDescription("Decide what runs wait for"),
  Command.withSubcommands([list, approve, reject])
)
