// What resolving an approval does to the run that waits for it: it goes on, unless it waits for something else as well.
// Whoever started it continues it with nothing to say, and sees what has come of it.
import { type Approval, Owner } from "@svc/domain"
import { AgentContinuation, type Database, type RunEngine } from "@svc/runtime"
import { Effect, Option } from "effect"

export const goOn = Effect.fnUntraced(function*(
  { runs }: Database,
  engine: RunEngine["Service"],
  approval: Approval.Approval
) {
  const { run_id, session_id } = approval
  const found = yield* runs.rest(session_id, run_id, { owner: Owner.anyone })
  if (Option.isNone(found) || found.value.status !== "PAUSED" || found.value.kind !== "agent") return
  const said = { tools: undefined, input: undefined }
  const entry = yield* Effect.option(
    AgentContinuation.plan(found.value, said, { approvals: [approval], mayApprove: false })
  )
  if (Option.isNone(entry)) return
  yield* engine.continue({ resting: found.value, entry: entry.value, stream: false, background: true })
})
