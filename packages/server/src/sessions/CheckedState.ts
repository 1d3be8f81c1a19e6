// Checks a state that a request stores in a session against the `runSchemas` of the component of the session.
import { isFactory } from "@svc-runtime/agents/factory/Factory"
import type { Components } from "@svc-runtime/agents/runService/Components"
import * as RunInputChecks from "@svc-runtime/agents/runService/RunInputChecks"
import { Errors } from "@svc-runtime/api"
import type * as Json from "@svc-runtime/domain/Json"
import * as Session from "@svc-runtime/domain/Session"
import { Effect } from "effect"

type Of = Pick<Session.Session, "agent_id" | "session_type" | "team_id" | "workflow_id">

/** What a factory makes is known only in a run. */
const componentOf = ({ registered }: Components, session: Of) => {
  const id = Session.componentIdOf(session)
  const found = id === null ? undefined : registered({ kind: session.session_type, id })
  return found === undefined || isFactory(found) ? undefined : found
}

export const check = (
  components: Components,
  session: Of,
  state: Json.Object
): Effect.Effect<void, Errors.Invalid> => {
  const component = componentOf(components, session)
  if (component === undefined) return Effect.void
  return Effect.mapError(
    RunInputChecks.ofState(component, state),
    ({ cause: { issues }, field }) =>
      Errors.invalid(issues.map(({ message, path }) => ({
        loc: ["body", field, ...path],
        msg: message,
        type: "value_error"
      })))
  )
}
