// `svc approvals approve ID` and `svc approvals reject ID`.
import { Effect } from "effect"
import { Argument, Command } from "effect/cli"
import * as AdminTarget from "../../admin/AdminTarget.ts"
import { present } from "../../CommandResult.ts"
import * as Flags from "../../Flags.ts"
import * as Groups from "../../service/Groups.ts"
import * as ServiceClient from "../../service/ServiceClient.ts"
import { address, credentials, Variables } from "../../terminal/HelpPage.ts"
import { Output } from "../../terminal/Output.ts"

const flags = {
  approval: Argument.String("approval").pipe(Argument.withDescription("Id of the approval")),
  by: Flags.text("by", "NAME", "Name of the person, on a service without authentication"),
  ...AdminTarget.flags
}

const resolving = (name: "approve" | "reject", status: "approved" | "rejected") =>
  Command.make(name, flags, ({ approval: id, by, json, ...given }) =>
    present(
      json,
      Effect.gen(function*() {
        const output = yield* Output
        const service = yield* ServiceClient.open(given)
        const resolved = yield* ServiceClient.call(
          service,
          `Deciding approval ${id}`,
          Groups.approvals,
          "resolve",
          {
            params: { approval_id: id },
            payload: { status, ...(by === undefined ? {} : { resolved_by: by }) }
          }
        )
        return {
          document: { ...resolved } as never,
          human: output.success(`Approval ${id} is ${status}. Run ${resolved.run_id} continues.`)
        }
      })
    ))

export const approve = resolving("approve", "approved").pipe(
  Command.withDescription("Approve a call. Its run continues with it at once."),
  Command.annotate(Variables, [address, ...credentials]),
  Command.withShortDescription("Approve what a run waits for"),
  Command.withExamples([{ command: "svc approvals approve 6b1f…" }])
)

export const reject = resolving("reject", "rejected").pipe(
  Command.withDescription("Reject a call. Its run continues without it, and the model sees the rejection."),
  Command.annotate(Variables, [address, ...credentials]),
  Command.withShortDescription("Reject what a run waits for"),
  Command.withExamples([{ command: "svc approvals reject 6b1f…" }])
)
