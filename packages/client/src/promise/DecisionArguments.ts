// The arguments of decisions. What is too much, or has another form, would be lost, and the call be made without it.
import type { Json } from "./generated/types.ts"
import { isBoxed, isPlain, lostIn } from "./JsonText.ts"
import type { JsonObject } from "./RunInput.ts"

/** What a run can wait for beside the values of fields. */
export interface Given {
  /** Of calls that are executed elsewhere, and of events. What is no text is sent as JSON. */
  readonly result?: Json | undefined
  /** The steps that a router of a workflow chooses. */
  readonly choices?: ReadonlyArray<string> | undefined
}

/** Decisions on steps, without the fields that tell the steps. Undefined: the step waits on. */
export interface StepDecisions<Step, Failed> {
  readonly ofStep?: (step: Step) => object | undefined
  readonly ofError?: (failed: Failed) => "retry" | "skip" | undefined
}

/** `runs.map(approve)` gives the place and the list, too, which are nothing to decide by. */
const isOfMap = (run: object, [place, list, ...others]: ReadonlyArray<unknown>): boolean =>
  typeof place === "number" && Array.isArray(list) && list[place] === run && others.length === 0

const isNothing = (value: unknown): boolean => value === undefined || value === null

/** Whether nothing was given beside the run. */
export const areNone = (run: object, more: ReadonlyArray<unknown>): boolean =>
  isOfMap(run, more) || more.every(isNothing)

/** The note of a rejection. */
export const noteOf = (run: object, more: ReadonlyArray<unknown>): string | undefined => {
  if (areNone(run, more)) return undefined
  const [note, ...others] = more
  if (typeof note === "string" && others.every(isNothing)) return note
  throw new Error("reject(run, note) takes the run and a note, which is a text")
}

/** Whether it is an object with values by names. */
export const isFields = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value) && !isBoxed(value) &&
  lostIn(value) === undefined

/** What a caller has given, in words. */
export const described = (value: unknown): string => {
  if (isBoxed(value)) return described(value.valueOf())
  const lost = lostIn(value)
  if (lost !== undefined || typeof value !== "object" || value === null) {
    return lost ?? (typeof value === "string" ? `'${value}'` : String(value))
  }
  return Array.isArray(value) ? "a list" : "an object"
}

const checkValues = (values: unknown): void => {
  if (isNothing(values) || isFields(values)) return
  const what = "answer(run, values) takes values by the names of their fields"
  if (typeof values === "boolean") {
    throw new TypeError(`${what}, and was given ${values}. Write ${values ? "approve" : "reject"}(run)`)
  }
  if (typeof values === "string") throw new TypeError(`${what}: { name: ${JSON.stringify(values)} }`)
  throw new TypeError(`${what}, such as { name: … }, and was given ${described(values)}`)
}

const ofMore: ReadonlyArray<string> = ["result", "choices"]

/** The values of fields, and what else an answer has. */
export const valuesOf = (more: ReadonlyArray<unknown>): readonly [JsonObject | undefined, Given] => {
  const [values, last, ...others] = more
  const given = last ?? {}
  checkValues(values)
  const what = "answer(run, values, more) takes { result: … } or { choices: [ … ] } as its last argument"
  const extra = isFields(given) ? others.find((each) => !isNothing(each)) : given
  if (!isFields(given) || extra !== undefined) throw new TypeError(`${what}, and was given ${described(extra)}`)
  const unknown = Object.keys(given).find((name) => given[name] !== undefined && !ofMore.includes(name))
  if (unknown !== undefined) {
    throw new TypeError(`${what}, and no '${unknown}'. Confirm with approve(run), and decline with reject(run)`)
  }
  const { choices } = given
  if (choices !== undefined && !(Array.isArray(choices) && choices.every((each) => typeof each === "string"))) {
    throw new TypeError(
      `The choices of answer(run, values, { choices }) are a list of names, and not ${described(choices)}`
    )
  }
  return [(values ?? undefined) as JsonObject | undefined, given]
}

/** Throws for an event that has no name, and for more than one value. */
export const checkEvent = (event: unknown, more: ReadonlyArray<unknown>): void => {
  const what = "sent(run, event, value) takes the name of an event and one value"
  if (typeof event !== "string" || event === "") throw new TypeError(`${what}. Its event is ${described(event)}`)
  if (more.some((each) => each !== undefined)) throw new TypeError(`${what}. Write { … } around several values`)
}

const decisionIn = (decision: unknown): object | undefined => {
  if (decision === undefined || isFields(decision)) return decision
  throw new TypeError(
    `ofStep of decideSteps gives an object, such as { confirmed: true }, or undefined, and gave ${described(decision)}`
  )
}

const errorIn = (decision: unknown): "retry" | "skip" | undefined => {
  if (decision === undefined || decision === "retry" || decision === "skip") return decision
  throw new TypeError(`ofError of decideSteps gives "retry", "skip" or undefined, and gave ${described(decision)}`)
}

const ofSteps: ReadonlyArray<string> = ["ofStep", "ofError"]

/** The functions of a decision on steps, also of an instance. What these give is checked when they are called. */
export const stepsOf = <Step, Failed>(
  decisions: StepDecisions<Step, Failed>
): Required<StepDecisions<Step, Failed>> => {
  const what = "decideSteps(run, decisions) takes { ofStep: (step) => … } and { ofError: (failed) => … }"
  const { ofError, ofStep }: StepDecisions<Step, Failed> = isNothing(decisions) ? {} : decisions
  const areFields = isFields(decisions) && isPlain(decisions)
  if (!areFields && ofError === undefined && ofStep === undefined) {
    throw new TypeError(`${what}, and was given ${described(decisions)}`)
  }
  // an instance can have fields of its own
  const unknown = areFields ? Object.keys(decisions).find((name) => !ofSteps.includes(name)) : undefined
  if (unknown !== undefined) throw new TypeError(`${what}, and no '${unknown}'`)
  for (const each of [ofError, ofStep]) {
    if (each !== undefined && typeof each !== "function") {
      throw new TypeError(`${what}, and was given ${described(each)} in place of a function`)
    }
  }
  return {
    ofError: (failed) => errorIn(ofError?.call(decisions, failed)),
    ofStep: (step) => decisionIn(ofStep?.call(decisions, step))
  }
}
