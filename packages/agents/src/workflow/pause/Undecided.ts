// What a paused workflow waits for and a request does not decide, for the refusal: steps, or calls in them.
import * as AnyRun from "@svc-runtime/domain/AnyRun"
import * as NameList from "@svc-runtime/domain/NameList"
import { isOpen, isRequirement } from "@svc-runtime/domain/Requirement"
import type * as StepRequirement from "@svc-runtime/domain/StepRequirement"
import { ContinueRejected } from "@svc-runtime/engine/run/ContinueRejected"
import { Array as Arr, Result } from "effect"
import * as Needed from "../../agent/continue/Needed.ts"

export interface Undecided {
  readonly name: string
  readonly needed: Needed.Needed
}

/** The refusal. `steps`: the names of all that lack a decision. */
export const unresolved = (
  what: string,
  undecided: ReadonlyArray<Undecided>,
  steps: ReadonlyArray<string> = undecided.map(({ name }) => name)
) => {
  const names = NameList.first(steps.map((name) => `'${name}'`))
  const [first, ...others] = Arr.dedupe(undecided.map(({ needed }) => needed.words))
  const needed = others.length === 0
    ? first
    : undecided.slice(0, 10).map(({ name, needed }) => `for '${name}' ${needed.words}`).join("; ")
  const message = `Cannot continue run - unresolved ${what} requirements: [${names}]. Send ${needed}`
  const needs = undecided.map((each) => Needed.named(each.name, each.needed))
  return new ContinueRejected({ reason: "unresolved", message, needs })
}

/** Its calls, unless a decision on the step decides all of them. Approvals decide others. */
const ofStep = (requirement: StepRequirement.StepRequirement): ReadonlyArray<Undecided> => {
  const calls = (requirement.executor_requirements ?? []).filter(isRequirement).filter((each) =>
    isOpen(each) && each.tool_execution.approval_type !== "required"
  )
  const needed = calls.map(({ tool_execution: tool }) => ({ name: Needed.nameOf(tool), needed: Needed.ofCall(tool) }))
  const [first] = needed
  const isOfStep = needed.every((each) => each.needed.kind === "confirmation") || needed.length === 1
  return isOfStep
    ? [{ name: requirement.step_name, needed: first?.needed ?? Needed.ofStep(requirement) }]
    : needed
}

/** Of a failed step. */
export const ofError = ({ step_name }: StepRequirement.ErrorRequirement): Undecided => ({
  name: step_name,
  needed: Needed.ofError
})

/** A step lacks its decision. */
export const missingIn = (requirement: StepRequirement.StepRequirement) =>
  Result.fail(unresolved("step", ofStep(requirement), [requirement.step_name]))

/** The step, as if it asked only for the values that are missing. */
export const asking = (
  requirement: StepRequirement.StepRequirement,
  names: ReadonlyArray<string>
): StepRequirement.StepRequirement => ({
  ...requirement,
  user_input_schema: (requirement.user_input_schema ?? []).filter(({ name }) => names.includes(name))
})

/** The steps that wait, as a paused run has them. The one that is shown is the last one, and has asked first. */
export const waitingIn = (output: AnyRun.Output): ReadonlyArray<StepRequirement.StepRequirement> => {
  const all = AnyRun.isWorkflow(output) ? output.step_requirements ?? [] : []
  const open = all.filter(({ resolved }) => resolved === false)
  return [...open.slice(-1), ...open.slice(0, -1)]
}

/** A request without any decision is refused with all steps that lack one. */
export const withOthers = (output: AnyRun.Output) => (error: ContinueRejected): ContinueRejected => {
  if (error.reason !== "unresolved" || !AnyRun.isWorkflow(output)) return error
  const errors = (output.error_requirements ?? []).map(ofError)
  const waiting = waitingIn(output)
  const steps = waiting.flatMap(ofStep)
  if (errors.length + waiting.length < 2) return error
  const what = [...(errors.length === 0 ? [] : ["error"]), ...(steps.length === 0 ? [] : ["step"])]
  const names = [...errors.map(({ name }) => name), ...waiting.map(({ step_name }) => step_name)]
  return unresolved(NameList.all(what), [...errors, ...steps], names)
}
