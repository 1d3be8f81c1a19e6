// What resolving an approval does to the run that waits for it: it goes on, unless it waits for something else as well.
// Whoever started it continues it with nothing to say, and sees what has come of it. A factory that cannot make the run's
// agent for nobody leaves the run as it is, for somebody to continue.
import { Agent, type Approval, Owner } from "@svc/domain"
import {
  AgentContinuation,
  type AgentRegistry,
  type Database,
  type FactoryResolver,
  type RunEngine,
  untrusted
} from "@svc/runtime"
import { Effect, Option } from "effect"

export interface Services {
  readonly agents: AgentRegistry["Service"]
  readonly resolver: FactoryResolver["Service"]
  readonly engine: RunEngine["Service"]
  readonly database: Database
}

export const goOn = Effect.fnUntraced(function*(
  { agents, database: { runs }, engine, resolver }: Services,
  approval: Approval.Approval
) {
  const { run_id, session_id } = approval
  const found = yield* runs.rest(session_id, run_id, { owner: Owner.anyone })
  if (Option.isNone(found) || found.value.status !== "PAUSED" || found.value.kind !== "agent") return
  const resting = found.value
  const said = { tools: undefined, input: undefined }
  const entry = yield* Effect.option(
    AgentContinuation.plan(resting, said, { approvals: [approval], mayApprove: false })
  )
  if (Option.isNone(entry)) return
  const registered = yield* agents.find(Agent.Id.make(resting.component_id))
  const caller = { userId: resting.user_id, sessionId: session_id, trusted: untrusted, request: null }
  const resolved = yield* resolver.resolveAgain(registered, caller)
  yield* engine.continue({ resting, entry: entry.value, stream: false, background: true, resolved })
}, Effect.scoped)
