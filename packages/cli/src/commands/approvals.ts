// `svc approvals`: what waits for a decision.
import { Command } from "effect/cli"
import { list } from "./approvals/list.ts"
import { approve, reject } from "./approvals/resolve.ts"

export const approvals = Command.make("approvals").pipe(
  Command.withDescription(
    "List what waits for a decision, and approve or reject it. The run then continues by itself."
  ),
  Command.withShortDescription("Decide what runs wait for"),
  Command.withSubcommands([list, approve, reject])
)
