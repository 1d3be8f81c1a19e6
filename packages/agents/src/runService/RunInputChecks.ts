// Checks what a request gives a run against the `runSchemas` of its component, and of all components inside: their runs
// are given the same.
import type * as Json from "@svc-runtime/domain/Json"
import { ContinueRejected } from "@svc-runtime/engine/run/ContinueRejected"
import * as RunContextOptions from "@svc-runtime/engine/RunContextOptions"
import { Mismatch, type Shape } from "@svc-runtime/engine/schema/AnySchema"
import * as RunSchemas from "@svc-runtime/engine/tool/RunSchemas"
import { Effect } from "effect"
import type { Agent } from "../agent/define/Agent.ts"
import * as ReachedComponents from "../registry/ReachedComponents.ts"
import type { AnyComponent } from "./Components.ts"
import type { RunOptions } from "./RunOptions.ts"

interface Checked {
  readonly agent: Agent
  readonly shapes: RunSchemas.RunShapes
  /** It is inside of the component that the request names. */
  readonly isInside: boolean
}

const known = new WeakMap<AnyComponent, ReadonlyArray<Checked>>()

const checkedIn = (component: AnyComponent): ReadonlyArray<Checked> => {
  const found = known.get(component)
  if (found !== undefined) return found
  const checked = [...ReachedComponents.of([component]).agents.keys()].flatMap((agent) =>
    agent.runSchemas === undefined
      ? []
      : [{ agent, shapes: agent.runSchemas, isInside: agent.id !== component.id }]
  )
  known.set(component, checked)
  return checked
}

const inside = ({ cause: { issues }, field }: RunSchemas.Refused, { id }: Agent): RunSchemas.Refused => ({
  field,
  cause: new Mismatch({ issues: issues.map(({ message, path }) => ({ path, message: `${message} (of '${id}')` })) })
})

/** For a request that continues a run. */
export const rejected = ({ cause: { message }, field }: RunSchemas.Refused): ContinueRejected =>
  new ContinueRejected({ reason: "malformed", message: `${field}: ${message}` })

/** All that a request gives a new run. `checkedBy` gives the shapes that check. */
export const ofRun = (
  component: AnyComponent,
  options: Pick<RunOptions, "dependencies" | "metadata" | "session_state" | "unreadable">,
  checkedBy?: (shape: Shape<unknown>) => Shape<unknown>
): Effect.Effect<void, RunSchemas.Refused> =>
  Effect.forEach(
    checkedIn(component),
    ({ agent, isInside, shapes }) =>
      RunSchemas.check(shapes, { ...options, ...RunContextOptions.of(options, agent) }, options.unreadable, checkedBy)
        .pipe(
          Effect.mapError((refused) => isInside ? inside(refused, agent) : refused)
        ),
    { discard: true }
  )

/** The metadata with which a run continues. */
export const ofMetadata = (component: AnyComponent, metadata: Json.Object): Effect.Effect<void, RunSchemas.Refused> =>
  Effect.forEach(checkedIn(component), ({ agent, shapes: { schemas, shapes } }) => {
    const given = { dependencies: {}, metadata, session_state: undefined }
    const only = { schemas, shapes: { metadata: shapes.metadata, dependencies: undefined, sessionState: undefined } }
    return RunSchemas.check(only, { ...given, ...RunContextOptions.of(given, agent) })
  }, { discard: true })

/** The state that a request stores in a session of the component. */
export const ofState = (component: AnyComponent, session_state: Json.Object): Effect.Effect<void, RunSchemas.Refused> =>
  Effect.forEach(checkedIn(component), ({ agent, isInside, shapes: { schemas, shapes } }) => {
    const only = {
      schemas,
      shapes: { sessionState: shapes.sessionState, dependencies: undefined, metadata: undefined }
    }
    return RunSchemas.check(only, { dependencies: {}, metadata: {}, session_state }).pipe(
      Effect.mapError((refused) => isInside ? inside(refused, agent) : refused)
    )
  }, { discard: true })
