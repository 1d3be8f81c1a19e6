// The fields of runs. Their types follow from the forms of the API.
import type { ContinueForm, Json, RunForm, WorkflowContinueForm } from "./generated/types.ts"
import { jsonText, lostIn } from "./JsonText.ts"

export type JsonObject = { [key: string]: Json }

/** Set by the method that is called. */
type Mode = "stream" | "background"

/** Input and options of a run. All but `message` can be left out. */
export interface RunInput extends Omit<RunForm, "message" | Mode> {
  /** Text, or an object for a component with an input schema. */
  readonly message: string | JsonObject
}

/** A decision is an entry of the run with the answer added. */
type Decisions<Name extends string> = { readonly [name in Name]?: ReadonlyArray<object> | undefined }

/** Decisions about what a paused agent or team waits for, or a message for a run that has ended. */
export interface ContinueInput
  extends Omit<ContinueForm, "session_id" | Mode | "tools" | "requirements">, Decisions<"tools" | "requirements">
{}

type StepDecisions = "requirements" | "step_requirements" | "error_requirements"

/** Decisions about the steps that a paused workflow waits for. */
export interface WorkflowContinueInput
  extends Omit<WorkflowContinueForm, "session_id" | Mode | StepDecisions>, Decisions<StepDecisions>
{}

/** What a run is continued with. */
export const decisionsOf = <Input extends object>(run: object, input: Input): Input => {
  const given: unknown = input
  if (typeof given === "object" && given !== null && !Array.isArray(given) && given !== run) return input
  const what = given === run ? "the run" : Array.isArray(given) ? "a list" : JSON.stringify(given)
  throw new TypeError(
    `A run is continued with decisions, as approve(run), reject(run) and answer(run, values) give them, and was given ${what}`
  )
}

/** What other libraries call the message. */
const otherNames = ["prompt", "input", "inputData", "content", "text"]

export const fieldsOf = (input: string | RunInput): object => {
  if (input === undefined || input === null) {
    throw new TypeError("The run has no message. Give it a text, or an object: { message: … }")
  }
  if (Array.isArray(input) || (typeof input === "object" && "messages" in input && !("message" in input))) {
    throw new TypeError(
      "A run takes one message, and was given a list. Give it the text of the last one: the session has those before it"
    )
  }
  const lost = typeof input === "string" ? undefined : lostIn(input)
  if (lost !== undefined || (typeof input !== "string" && typeof input !== "object")) {
    throw new TypeError(`A run takes a text, or an object: { message: … }. It was given ${lost ?? String(input)}`)
  }
  const { message, ...options } = typeof input === "string" ? { message: input } : input
  // the fields of an input schema, as some libraries take them
  if (message === undefined) {
    const other = otherNames.find((name) => name in options)
    if (other !== undefined) {
      throw new TypeError(
        `The run has no message. It is in '${other}': write message in its place, or around it if it is a field of ` +
          `the input: { message: { ${other}: … } }`
      )
    }
    throw new TypeError("The run has no message. An input of several fields is an object in it: { message: { … } }")
  }
  return { message: typeof message === "string" ? message : jsonText(message, "message"), ...options }
}
