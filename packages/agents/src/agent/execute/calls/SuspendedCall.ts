// A call whose function waits in the middle: for a person, for a time, for an event, or for runs inside of it. It shows
// one question at a time, and the time that comes first.
import * as Json from "@svc-runtime/domain/Json"
import type * as Requirement from "@svc-runtime/domain/Requirement"
import type * as ToolExecution from "@svc-runtime/domain/ToolExecution"
import type { Awaited, PersonQuestion, Suspension } from "@svc-runtime/engine/durable/DurableHost"
import * as Form from "@svc-runtime/engine/tool/Form"

/** What a durable call of a tool waits for. */
export type Wait =
  | { readonly _tag: "Inside"; readonly requirements: ReadonlyArray<Requirement.Requirement> }
  | { readonly _tag: "Asks"; readonly state: Json.Object; readonly question: PersonQuestion }
  | { readonly _tag: "Awaits"; readonly state: Json.Object; readonly awaited: Awaited }

/** Of what a call keeps while it waits. */
const stateField = "durable_call"

export const stateOf = (key: string): Json.Object => ({ [stateField]: key })

/** The durable call that waits. Undefined: it is not a function that waits. */
export const keyIn = (state: Json.Value): Json.Value | undefined => Json.isObject(state) ? state[stateField] : undefined

const secondsOf = (until: number): number => Math.ceil(until / 1000)

const wakeAt = (waits: ReadonlyArray<Wait>) => {
  const times = waits.flatMap((wait) =>
    wait._tag === "Awaits" && wait.awaited.until !== undefined ? [secondsOf(wait.awaited.until)] : []
  )
  return times.length === 0 ? {} : { wake_at: Math.min(...times) }
}

/** An earlier decision, also an approval, was about the beginning of the call, or about another question. */
export const notDecided = {
  confirmed: null,
  confirmation_note: null,
  answered: null,
  approval_type: null,
  approval_id: null
}

const questionOf = (wait: Exclude<Wait, { readonly _tag: "Inside" }>): Partial<ToolExecution.ToolExecution> => {
  const { state } = wait
  if (wait._tag === "Asks") {
    const { message, schema } = wait.question
    return {
      requires_user_input: true,
      user_input_schema: Json.of(Form.fieldsOf(schema)),
      asked: { message, state, schema }
    }
  }
  const { event, message, schema } = wait.awaited
  return {
    external_execution_required: true,
    asked: {
      message,
      state,
      ...(event === undefined ? {} : { event }),
      ...(schema === undefined ? {} : { schema })
    }
  }
}

/** The call as it waits. Undefined: only runs inside of it wait. */
export const shown = (
  { wake_at: _, ...execution }: ToolExecution.ToolExecution,
  { waits }: Suspension<Wait>
): ToolExecution.ToolExecution | undefined => {
  const own = waits.filter((wait) => wait._tag !== "Inside")
  const first = own.find(({ _tag }) => _tag === "Asks") ??
    own.find((wait) => wait._tag === "Awaits" && wait.awaited.event !== undefined) ?? own[0]
  return first === undefined ? undefined : { ...execution, ...notDecided, ...questionOf(first), ...wakeAt(own) }
}

export const inside = ({ waits }: Suspension<Wait>): ReadonlyArray<Requirement.Requirement> =>
  waits.flatMap((wait) => wait._tag === "Inside" ? wait.requirements : [])
