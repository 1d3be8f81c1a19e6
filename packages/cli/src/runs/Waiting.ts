// Describes the decisions that a paused run waits for.
import { waitingSteps } from "@svc-runtime/client"
import * as Json from "@svc-runtime/domain/Json"
import { isOpen, isRequirement, type Requirement } from "@svc-runtime/domain/Requirement"
import * as StepPlace from "@svc-runtime/domain/StepPlace"
import type { ErrorRequirement, StepRequirement } from "@svc-runtime/domain/StepRequirement"
import { Array as Arr, Predicate } from "effect"
import type { RunReference } from "../service/RunEvents.ts"
import { shown } from "../terminal/Instant.ts"
import * as CallDecisions from "./CallDecisions.ts"

/** A run of an agent, a team or a workflow. */
interface Metrics {
  readonly total_tokens?: number | undefined
  readonly cost?: number | undefined
  readonly duration?: number | undefined
}

export interface Run extends RunReference {
  readonly status: string
  readonly content?: Json.Value | undefined
  /** Why the answer ends before its end. */
  readonly finish_reason?: string | undefined
  readonly requirements?: ReadonlyArray<Requirement> | undefined
  readonly step_requirements?: ReadonlyArray<StepRequirement> | undefined
  readonly error_requirements?: ReadonlyArray<ErrorRequirement> | undefined
  /** The command ended before the run, which continues. */
  readonly isLeft?: boolean
  /** A person stopped it, and has seen whether it is cancelled. */
  readonly isStopped?: boolean
  readonly metrics?: Metrics | undefined
  /** With the runs inside of it. */
  readonly total_metrics?: Metrics | undefined
}

/** The calls that a step waits for. */
export const callsOfStep = ({ executor_requirements: calls = [] }: StepRequirement): ReadonlyArray<Requirement> =>
  calls.filter(isRequirement)

type Asking = Pick<Run, "error_requirements" | "requirements" | "status" | "step_requirements">

/** The steps that a paused run waits for. */
export const stepsOf = ({ error_requirements, status, step_requirements }: Asking): ReadonlyArray<StepRequirement> =>
  status === "PAUSED" ? waitingSteps({ error_requirements, step_requirements }) : []

/** The calls that a paused run waits for: its own, or those of the steps that wait. */
export const callsOf = (run: Asking): ReadonlyArray<Requirement> => {
  // the decisions of a run that has ended are no calls
  if (run.status !== "PAUSED") return []
  return [...run.requirements ?? [], ...stepsOf(run).flatMap(callsOfStep)]
}

/** The calls that a decision can be about. */
export const openCallsOf = (run: Asking): ReadonlyArray<Requirement> => callsOf(run).filter(isOpen)

/** Those of several members can have one id. Their requirements have others. */
export const callsNamed = (calls: ReadonlyArray<Requirement>, word: string): ReadonlyArray<Requirement> =>
  calls.filter(({ id, tool_execution: { tool_call_id } }) => id === word || tool_call_id === word)

/** `send_mail (call_1)`, by what `callsNamed` finds it alone with. */
export const nameOfCall = (calls: ReadonlyArray<Requirement>, { id, tool_execution: call }: Requirement): string => {
  const isAlone = callsNamed(calls, call.tool_call_id).length === 1
  return `${call.tool_name} (${isAlone ? call.tool_call_id : id})`
}

export interface Waiting {
  readonly text: string
  /** The flag with which a script gives what is more than yes or no. */
  readonly flag?: string
  /** The call that `--approve` executes again, in place of the flag. */
  readonly repeats?: string
  /** The name of an event that it waits for. */
  readonly event?: string
  /** The approval that decides it. */
  readonly approval?: string
  /** The step that it is of, as `--step` takes it. */
  readonly step?: string
  /** What the flag gives: names of fields, or the flag. Several steps can need the same. */
  readonly needs?: ReadonlyArray<string>
}

type Field = { readonly name: string; readonly value?: unknown }

const isField = (field: unknown): field is Field =>
  Predicate.hasProperty(field, "name") && Predicate.isString(field.name)

/** `--values '{"day": …}'`, with the fields that have no value. */
const givingValues = (fields: unknown) => {
  const names = (Array.isArray(fields) ? fields : []).filter(isField)
    .filter(({ value }) => value === null || value === undefined)
    .map(({ name }) => name)
  return { flag: `--values '{${names.map((name) => `${JSON.stringify(name)}: …`).join(", ")}}'`, needs: names }
}

const kindOfCall = (
  { tool_execution: call, user_input_schema: fields = call.user_input_schema }: Requirement
): Waiting => {
  const title = CallDecisions.titleOf(call)
  if (call.outcome_unknown === true) {
    return { text: CallDecisions.cutOff(call), flag: "--result TEXT", needs: ["--result"], repeats: title }
  }
  const event = call.asked?.event
  if (event !== undefined) {
    return { text: `the event '${event}' for ${title}`, flag: "--result JSON", needs: ["--result"], event }
  }
  if (call.external_execution_required === true) {
    return { text: `the result of ${title}`, flag: "--result TEXT", needs: ["--result"] }
  }
  if (call.requires_user_input === true) return { text: `values for ${title}`, ...givingValues(fields) }
  return { text: title }
}

const approvalOf = ({ approval_id, approval_type }: Requirement["tool_execution"]) =>
  approval_type === "required" && typeof approval_id === "string" ? { approval: approval_id } : {}

const ofCall = (requirement: Requirement): Waiting => ({
  ...kindOfCall(requirement),
  ...approvalOf(requirement.tool_execution)
})

const namesOf = (fields: StepRequirement["user_input_schema"]): string =>
  (fields ?? []).map(({ name }) => name).join(", ")

/** A name with a comma in it would be read as several. */
const quoted = (name: string): string => name.includes(",") ? JSON.stringify(name) : name

const ofStep = (requirement: StepRequirement): Waiting => {
  const { available_choices, requires_output_review, requires_route_selection, requires_user_input } = requirement
  if (requires_route_selection) {
    const flag = requirement.allow_multiple_selections ? "--choices NAME (once for each)" : "--choices NAME"
    return { text: `a choice of ${(available_choices ?? []).map(quoted).join(", ")}`, flag, needs: ["--choices"] }
  }
  if (requires_output_review) return { text: "a review of its result" }
  if (!requires_user_input) return { text: "a confirmation" }
  const fields = requirement.user_input_schema
  return { text: `values for ${namesOf(fields)}`, ...givingValues(fields) }
}

type AnyStep = StepRequirement | ErrorRequirement

/** Those inside of others, such as those of the items of a list, have the same name several times. */
export const titleOf = (step: AnyStep): string => StepPlace.title(`step '${step.step_name}'`, step)

/** The steps that have failed, or wait. */
const askedOf = (run: Asking): ReadonlyArray<AnyStep> => [...run.error_requirements ?? [], ...stepsOf(run)]

/** What a step is named by: its id, its place or its name. */
const wordsFor = [
  ({ id }: AnyStep) => id,
  (step: AnyStep) => StepPlace.of(step) ?? String(step.step_index),
  ({ step_name }: AnyStep) => step_name
]

/** The steps that a word means. The name of a step can be the place of another one. */
export const namedIn = (run: Run, word: string): ReadonlyArray<AnyStep> =>
  askedOf(run).filter((step) => wordsFor.some((wordFor) => wordFor(step) === word))

/** The shortest word that means this step alone. */
export const wordFor = (run: Run, step: AnyStep): string => {
  const words = wordsFor.toReversed().flatMap((wordFor) => wordFor(step) ?? [])
  return words.find((word) => namedIn(run, word).length === 1) ?? step.step_name
}

/** The run, as if it waited for this step alone. */
export const onlyStep = (run: Run, step: AnyStep): Run => ({
  ...run,
  error_requirements: run.error_requirements?.filter((each) => each === step),
  step_requirements: run.step_requirements?.filter((each) => each === step)
})

/** The run, as if it waited for this call alone, or for another one in its place. */
export const onlyCall = (run: Run, call: Requirement, other = call): Run => {
  const step = stepsOf(run).find(({ executor_requirements: calls = [] }) => calls.some((each) => each === call))
  if (step === undefined) return { ...run, requirements: [other] }
  const narrow = { ...step, executor_requirements: [Json.of(other)] }
  return { ...run, error_requirements: [], step_requirements: [narrow] }
}

const inStep = (run: Run, step: StepRequirement): ReadonlyArray<Waiting> => {
  const waiting = step.requires_executor_input === true
    ? callsOfStep(step).filter(CallDecisions.isOpen).map(ofCall)
    : [ofStep(step)]
  return waiting.map((each) => ({ ...each, step: wordFor(run, step), text: `${titleOf(step)}: ${each.text}` }))
}

/** The decisions that a run waits for. A run that waits for a time, or has ended, waits for none. */
export const of = (run: Run): ReadonlyArray<Waiting> => {
  if (run.status !== "PAUSED") return []
  const errors = (run.error_requirements ?? []).map((failed): Waiting => ({
    text: `${titleOf(failed)}, which failed: ${failed.error_message}`,
    step: wordFor(run, failed)
  }))
  const calls = (run.requirements ?? []).filter(CallDecisions.isOpen).map(ofCall)
  return [...errors, ...calls, ...stepsOf(run).flatMap((step) => inStep(run, step))]
}

/** A name as one word of a command line. */
const wordOf = (name: string): string => /^[\w.:/-]+$/.test(name) ? name : `'${name.replaceAll("'", "'\\''")}'`

/** A step that needs what another one needs, too: one answer is for one step. */
const sharing = (waiting: ReadonlyArray<Waiting>): Waiting | undefined =>
  waiting.find(({ needs = [], step }) =>
    waiting.some((other) => other.step !== step && other.needs?.some((need) => needs.includes(need)) === true)
  )

/** The flags approve the calls that need no more than that: a person reads here which ones. */
const valueFlags = (waiting: ReadonlyArray<Waiting>): string => {
  const first = sharing(waiting)?.step
  if (first !== undefined) {
    const ofFirst = valueFlags(waiting.filter(({ step }) => step === first))
    return `--step ${wordOf(first)} ${ofFirst.replace(/,$/, "")}, step by step,`
  }
  const flags = Arr.dedupe(waiting.flatMap(({ flag }) => flag ?? []))
  const others = waiting.filter(({ flag }) => flag === undefined).map(({ text }) => text)
  if (flags.length === 0 || others.length === 0) return flags.join(" and ")
  return `${flags.join(" and ")}, which also ${flags.length === 1 ? "approves" : "approve"} ${others.join("; ")},`
}

/** What an approval cannot give. */
const needsMore = (waiting: ReadonlyArray<Waiting>): boolean =>
  waiting.some(({ flag, repeats }) => flag !== undefined && repeats === undefined)

/** Which of them a script can decide with. */
export const flagsFor = (waiting: ReadonlyArray<Waiting>): string => {
  const repeated = waiting.flatMap(({ repeats }) => repeats ?? [])
  if (needsMore(waiting)) return `${valueFlags(waiting)} or --reject`
  return repeated.length === 0
    ? "--approve or --reject"
    : `--approve, which executes ${repeated.join(" and ")} again, --result TEXT or --reject`
}

const sending = ({ run_id }: Run, event: string): string => `svc runs send ${run_id} ${wordOf(event)}`

const continuing = ({ run_id }: Run, waiting: ReadonlyArray<Waiting>): string =>
  `svc runs continue ${run_id}, in a script with ${flagsFor(waiting)}`

/** The command that continues the run: in a terminal it asks. */
export const commandFor = (run: Run): string => {
  const waiting = of(run)
  const [first] = waiting
  if (first?.event !== undefined) return sending(run, first.event)
  const approvals = Arr.dedupe(waiting.flatMap(({ approval }) => approval ?? []))
  if (approvals.length === 0) return continuing(run, waiting)
  const ways = approvals.map((id) => `svc approvals approve ${id}`).join(" and ")
  const rest = waiting.filter(({ approval }) => approval === undefined)
  const then = rest.length === 0 ? "" : `, and then ${continuing(run, rest)}`
  return `${ways}, or reject, as a caller with approvals:write who sees all runs${then}`
}

/** What a run that waits for a time, and for no person, waits for. Undefined: it waits for something else. */
export const timed = (run: Run): string | undefined => {
  const calls = callsOf(run)
  const times = calls.flatMap(({ tool_execution: { wake_at: at } }) => at === undefined ? [] : [at])
  if (times.length === 0 || calls.some(CallDecisions.isOpen)) return undefined
  const time = shown(Math.min(...times))
  const event = calls.find(({ tool_execution: { asked } }) => asked?.event !== undefined)?.tool_execution.asked?.event
  if (event === undefined) return `The run waits until ${time}, and then continues.`
  return `The run waits for the event '${event}', and continues at ${time} without it. Send it with ` +
    `${sending(run, event)} JSON.`
}

/** What to do in place of `--approve`. Undefined: it decides everything. */
export const insteadOfApproval = (run: Run): string | undefined => {
  const waiting = of(run)
  return needsMore(waiting)
    ? `Give it with ${valueFlags(waiting).replace(/,$/, "")}, reject it with --reject, or run svc runs continue ` +
      `${run.run_id} in a terminal.`
    : undefined
}

/** A name that has a comma is one choice too. */
export const choicesIn = (given: ReadonlyArray<string>, run: Run): ReadonlyArray<string> => {
  const names = stepsOf(run).flatMap(({ available_choices }) => available_choices ?? [])
  return given.flatMap((text) =>
    names.includes(text.trim())
      ? [text.trim()]
      : text.split(",").map((name) => name.trim()).filter((name) => name !== "")
  )
}
