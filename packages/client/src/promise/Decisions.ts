// Decisions about everything that a paused run waits for.
import * as DecisionArguments from "./DecisionArguments.ts"
import type { Json } from "./generated/types.ts"
import { jsonText } from "./JsonText.ts"
import { refuseTestRun } from "./Path.ts"
import type { ContinueInput, JsonObject, WorkflowContinueInput } from "./RunInput.ts"

/** A call that a run waits for, and what is read of it: its decision, or what it needs. */
export interface WaitingCall {
  readonly id?: string | undefined
  readonly approval_status?: unknown
  readonly confirmation?: unknown
  readonly external_execution_result?: unknown
  readonly user_input_schema?: unknown
  readonly tool_execution?: {
    readonly tool_call_id?: string | undefined
    readonly tool_name?: string | undefined
    readonly external_execution_required?: unknown
    readonly user_input_schema?: unknown
    readonly outcome_unknown?: unknown
    readonly wake_at?: unknown
    readonly asked?: { readonly event?: string | undefined } | null | undefined
  } | undefined
}

/** A step of a workflow that people are asked about, and what is read of it. */
export interface WaitingStep {
  /** False: the run waits for it. */
  readonly resolved?: boolean | undefined
  /** Of the question. Those of earlier versions of the service have none. */
  readonly id?: string | undefined
  readonly step_name?: string | undefined
  readonly step_index?: unknown
  readonly user_input_schema?: unknown
  readonly requires_user_input?: unknown
  readonly requires_route_selection?: unknown
  readonly requires_executor_input?: unknown
  /** Each is a `WaitingCall`. */
  readonly executor_requirements?: ReadonlyArray<unknown> | undefined
}

/** What decisions read of a run of an agent or a team. */
export interface PausedRun {
  readonly status?: string | undefined
  readonly requirements?: ReadonlyArray<WaitingCall> | undefined
  readonly step_requirements?: undefined
  readonly error_requirements?: undefined
}

/** What decisions read of a run of a workflow. */
export interface PausedWorkflowRun<Step extends WaitingStep = WaitingStep, Failed extends object = object> {
  readonly status?: string | undefined
  readonly requirements?: undefined
  readonly step_requirements?: ReadonlyArray<Step> | undefined
  readonly error_requirements?: ReadonlyArray<Failed> | undefined
}

type AnyPaused = PausedRun | PausedWorkflowRun

interface Confirmation {
  readonly confirmed: boolean
  readonly note?: string | undefined
}

/** About everything that a run can wait for. */
interface Decision {
  readonly ofCall: (requirement: WaitingCall) => object
  readonly ofStep: (requirement: WaitingStep) => object
  readonly ofError: "retry" | "skip"
}

const decision = ({ confirmed, note }: Confirmation): Decision => ({
  ofCall: (requirement) => ({
    ...requirement,
    confirmation: confirmed,
    ...(note === undefined ? {} : { confirmation_note: note })
  }),
  ofStep: () => ({ confirmed, ...(note === undefined ? {} : { rejection_feedback: note }) }),
  ofError: confirmed ? "retry" : "skip"
})

interface SentField {
  readonly name: string
}

const namesOf = (fields: unknown): ReadonlyArray<string> =>
  Array.isArray(fields) ? (fields as ReadonlyArray<SentField>).map(({ name }) => name) : []

const textOf = (result: Json): string => typeof result === "string" ? result : jsonText(result, "the result")

const only = (names: ReadonlyArray<string>, values: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(values).filter(([name]) => names.includes(name)))

/** A key is the name of a field, or the id of a call, or of its requirement, with what is for this call alone. */
const isOf = ({ id, tool_execution: tool }: WaitingCall) => (key: string): boolean =>
  key === id || key === tool?.tool_call_id

/** The values of an answer. No value is of both kinds. */
interface Values {
  /** What is for one call alone. */
  readonly own: ReadonlyMap<WaitingCall, Json | undefined>
  /** By the names of fields. Undefined: the answer has no values. */
  readonly ofFields: JsonObject | undefined
}

const given = ({ ofFields: all, own: owns }: Values, more: DecisionArguments.Given): Decision => ({
  ofCall: (requirement) => {
    const { external_execution_required: isExternal, user_input_schema: fields } = requirement.tool_execution ?? {}
    const own = owns.get(requirement)
    // null is a result, too
    const result = own === undefined ? more.result : own
    if (isExternal === true) {
      return result === undefined ? requirement : { ...requirement, external_execution_result: textOf(result) }
    }
    const values = DecisionArguments.isFields(own) ? { ...all, ...own } : all
    const confirmed = { ...requirement, confirmation: true }
    if (!Array.isArray(fields)) return confirmed
    const filled = (fields as ReadonlyArray<SentField>).map((field) =>
      values !== undefined && Object.hasOwn(values, field.name) ? { ...field, value: values[field.name] } : field
    )
    return { ...confirmed, user_input_schema: filled }
  },
  // each step gets what it asks for
  ofStep: ({ requires_route_selection: isRouter, user_input_schema: fields }) => ({
    confirmed: true,
    ...(all === undefined || !Array.isArray(fields) ? {} : { user_input: only(namesOf(fields), all) }),
    ...(more.choices === undefined || isRouter !== true ? {} : { selected_choices: more.choices })
  }),
  ofError: "retry"
})

/** A person, or an approval, has decided on the others, and the run follows it. */
const isOpen = (
  { approval_status, confirmation, external_execution_result: result, user_input_schema: fields }: WaitingCall
): boolean => (approval_status ?? confirmation ?? result ?? fields ?? null) === null

const openIn = (requirements: ReadonlyArray<unknown> = []): ReadonlyArray<WaitingCall> =>
  (requirements as ReadonlyArray<WaitingCall>).filter(isOpen)

/** A person decides it. The others wait for events and times. */
const isForPerson = ({ tool_execution: tool }: WaitingCall): boolean =>
  tool?.outcome_unknown === true || (tool?.wake_at ?? tool?.asked?.event ?? null) === null

/** It waits for a decision of its own, or for those about the calls of its agent or team. */
const callsOf = (step: WaitingStep) =>
  step.requires_executor_input === true ? openIn(step.executor_requirements) : undefined

const isWorkflow = (run: object): run is PausedWorkflowRun => "step_requirements" in run || "error_requirements" in run

/** Runs of earlier versions do not say which steps wait. Decisions about them are known by their places. */
const haveState = (steps: ReadonlyArray<WaitingStep>): boolean => steps.some(({ resolved }) => resolved !== undefined)

/**
 * The steps of a paused workflow that wait for people. Several can wait at the same time. Steps that wait for events
 * or times only are among them if the run waits for nothing else.
 *
 * @example
 * const [step, ...others] = waitingSteps(run)
 * if (step !== undefined) await flow.continue(run, answer({ step_requirements: [step] }, { day: "friday" }))
 */
export const waitingSteps = <Step extends WaitingStep>(
  { error_requirements: errors = [], status = "PAUSED", step_requirements: all = [] }: PausedWorkflowRun<Step>
): ReadonlyArray<Step> => {
  if (status !== "PAUSED") return []
  // runs of earlier versions do not say it: the last one is open, if no step has failed
  const open = haveState(all)
    ? all.filter(({ resolved }) => resolved === false)
    : errors.length > 0
    ? []
    : all.slice(-1)
  const forPeople = open.filter((step) => callsOf(step)?.some(isForPerson) ?? true)
  return forPeople.length + errors.length > 0 ? forPeople : open
}

/** Which question is meant, what was shown of it, and what a person has entered. A service ignores the rest. */
const sentKeys = [
  "id",
  "step_id",
  "retry_count",
  "step_input",
  "confirmation_message",
  "output_review_message",
  "user_input_message",
  "error_message",
  "user_input",
  "selected_choices",
  "edited_output",
  "rejection_feedback"
]

const withoutNulls = (value: object): object =>
  Object.fromEntries(Object.entries(value).filter(([, each]) => each !== null && each !== undefined))

const sentOf = (requirement: object): object =>
  withoutNulls(Object.fromEntries(Object.entries(requirement).filter(([key]) => sentKeys.includes(key))))

const sentCall = (call: WaitingCall): object => ({
  ...withoutNulls(call),
  ...(call.tool_execution === undefined ? {} : { tool_execution: withoutNulls(call.tool_execution) })
})

const sentDecision = (decision: object): object =>
  "executor_requirements" in decision && Array.isArray(decision.executor_requirements)
    ? { ...decision, executor_requirements: decision.executor_requirements.map(sentCall) }
    : decision

/** Runs of a list have the calls that wait, and not the requirements. */
const checkWhole = (run: object): void => {
  if (typeof run !== "object" || run === null) {
    throw new Error("A decision is about a run, not its id. Read it with get(run)")
  }
  if ("then" in run) throw new Error("The run is a promise. Write await before it")
  refuseTestRun(run)
  const { error_requirements, requirements, status, step_requirements }: {
    readonly [key in "error_requirements" | "requirements" | "status" | "step_requirements"]?: unknown
  } = run
  if (status !== "PAUSED" || (error_requirements ?? requirements ?? step_requirements ?? null) !== null) return
  throw new Error("This paused run has no requirements, as one of a list or a history. Read it with get(run) first")
}

/**
 * Decides on some steps of a paused workflow, each in its own way. The others are left out, and wait on.
 *
 * @example
 * const ofStep = ({ step_name }) => step_name === "send" ? { confirmed: true } : undefined
 * await flow.continue(run, decideSteps(run, { ofStep }))
 */
export const decideSteps = <Step extends WaitingStep, Failed extends object>(
  run: PausedWorkflowRun<Step, Failed>,
  decisions: DecisionArguments.StepDecisions<Step, Failed>
): WorkflowContinueInput => {
  checkWhole(run)
  const { error_requirements: errors = [], step_requirements: steps = [] } = run
  const { ofError, ofStep } = DecisionArguments.stepsOf(decisions)
  const made = new Map(steps.map((step) => [step, ofStep(step)]))
  const decided = [...made].flatMap(([step, decision]) => decision === undefined ? [] : [{ step, decision }])
  const failed = errors.flatMap((each) => {
    const decision = ofError(each)
    return decision === undefined ? [] : [{ ...sentOf(each), decision }]
  })
  // a step without an id is known by its place, as the last one
  const sent = decided.every(({ step: { id } }) => id !== undefined)
    ? decided.map(({ decision, step }) => ({ ...sentOf(step), ...sentDecision(decision) }))
    : [
      ...steps.filter((step) => made.get(step) === undefined),
      ...decided.map(({ decision, step }) => ({ ...step, ...decision }))
    ]
  return {
    ...(sent.length === 0 ? {} : { step_requirements: sent }),
    ...(failed.length === 0 ? {} : { error_requirements: failed })
  }
}

const decisionOn = (step: WaitingStep, { ofCall, ofStep }: Decision): object => {
  const calls = callsOf(step)
  return calls === undefined ? ofStep(step) : { executor_requirements: calls.map(ofCall) }
}

const ofRun = (run: AnyPaused, decision: Decision): ContinueInput | WorkflowContinueInput => {
  checkWhole(run)
  if (!isWorkflow(run)) return { requirements: openIn(run.requirements).map(decision.ofCall) }
  const waiting = waitingSteps(run)
  return decideSteps(run, {
    ofStep: (step) => waiting.includes(step) ? decisionOn(step, decision) : undefined,
    ofError: () => decision.ofError
  })
}

const eventOf = ({ tool_execution: tool }: WaitingCall): string | undefined => tool?.asked?.event

const quoted = (names: ReadonlyArray<string>): string => names.map((name) => `'${name}'`).join(", ")

/** What a step, or a run of an agent or a team, asks for. */
interface Asking {
  /** Steps inside of others, such as those of the items of a list, have the same name several times. */
  readonly title: string
  readonly calls: ReadonlyArray<WaitingCall>
  readonly fields: ReadonlyArray<string>
  readonly takesResult: boolean
  readonly takesChoices: boolean
}

const takesResult = ({ tool_execution: tool }: WaitingCall): boolean => tool?.external_execution_required === true

/** A call that waits for a result, an event or a time can show the fields of a question before. */
const fieldsOf = (call: WaitingCall): ReadonlyArray<string> =>
  takesResult(call) ? [] : namesOf(call.tool_execution?.user_input_schema)

/** When calls that wait only for times continue by themselves. */
const endOf = (calls: ReadonlyArray<WaitingCall>): string | undefined => {
  const times = calls.flatMap(({ tool_execution: tool }) => typeof tool?.wake_at === "number" ? [tool.wake_at] : [])
  return calls.length === 0 || times.length < calls.length
    ? undefined
    : new Date(Math.min(...times) * 1000).toISOString()
}

const askingOfCalls = (title: string, calls: ReadonlyArray<WaitingCall>): Asking => ({
  title,
  calls,
  fields: calls.flatMap(fieldsOf),
  takesResult: calls.some(takesResult),
  takesChoices: false
})

/**
 * The steps and the items around the workflow of a step, which are in the id of its question. As in `StepPlace` of the
 * domain, which the client cannot import: it has no dependencies.
 */
const around = (id: string): ReadonlyArray<number> =>
  id.slice(0, Math.max(id.lastIndexOf("/>/"), 0)).split("/").flatMap((part) => {
    const [, mark, number] = /^([#$]?)(\d+)/.exec(part) ?? []
    return number === undefined ? [] : [Number(number) - (mark === "#" ? 1 : 0)]
  })

/**
 * Where a step is, such as `1/2/0`: the first step of the third item of the second step. Steps inside of others have
 * the same name several times. Undefined for a step of the run's own workflow.
 *
 * @example
 * const titles = waitingSteps(run).map((step) => `${step.step_name} ${stepPlace(step) ?? ""}`)
 */
export const stepPlace = (
  { id, step_index: index }: { readonly id?: string | undefined; readonly step_index?: unknown }
): string | undefined => {
  const outer = id === undefined ? [] : around(id)
  return outer.length > 0 || Array.isArray(index) ? [...outer, index].flat().join("/") : undefined
}

const askingOfStep = (step: WaitingStep): Asking => {
  const { requires_route_selection, step_name, user_input_schema } = step
  const place = stepPlace(step)
  const title = `'${step_name}'${place === undefined ? "" : ` (${place})`}`
  const calls = callsOf(step)
  if (calls !== undefined) return askingOfCalls(title, calls)
  return {
    title,
    calls: [],
    fields: namesOf(user_input_schema),
    takesResult: false,
    takesChoices: requires_route_selection === true
  }
}

/** One answer is for one step: another one would get it unseen. */
const checkOne = (asking: ReadonlyArray<Asking>, what: string): void => {
  if (asking.length < 2) return
  const titles = asking.map(({ title }) => title).join(", ")
  throw new Error(`Several steps ask for ${what}: ${titles}. Answer one of them at a time`)
}

const eventsIn = (calls: ReadonlyArray<unknown> = []): ReadonlyArray<string> =>
  (calls as ReadonlyArray<WaitingCall>).flatMap((call) => eventOf(call) ?? [])

/** The events that it waits for. */
const eventsOf = (run: AnyPaused): ReadonlyArray<string> =>
  eventsIn(
    isWorkflow(run)
      ? run.step_requirements?.flatMap((step) => step.resolved === true ? [] : step.executor_requirements ?? [])
      : run.requirements
  )

/** Calls of a model can have one name, and those of several members one id. */
const checkOneCall = (calls: ReadonlyArray<WaitingCall>, what: string, example: string): void => {
  const [first] = calls
  if (first === undefined || calls.length < 2) return
  const idOf = (call: WaitingCall) => {
    const id = call.tool_execution?.tool_call_id
    return calls.filter((each) => each.tool_execution?.tool_call_id === id).length === 1 ? id : call.id
  }
  const titles = calls.map((call) => `${call.tool_execution?.tool_name} (${idOf(call)})`).join(", ")
  throw new Error(
    `Several calls ask for ${what}: ${titles}. Give each its own under its id, such as {"${idOf(first)}": ${example}}`
  )
}

/** What is given to one call. An empty object for a call without fields would confirm it, and the others with it. */
const checkOwn = (key: string, call: WaitingCall, own: Json | undefined): void => {
  if (takesResult(call)) return
  const names = fieldsOf(call)
  if (names.length === 0) {
    throw new Error(
      `The call '${key}' takes no values. Leave it out, and the answer confirms it, as approve(run) does. To decline ` +
        "it, send what reject({ requirements: [requirement] }) gives for it"
    )
  }
  const taken = `an object with ${quoted(names)}`
  if (!DecisionArguments.isFields(own)) {
    throw new Error(`The call '${key}' takes ${taken}, and was given ${DecisionArguments.described(own)}`)
  }
  const unknown = Object.keys(own).find((name) => !names.includes(name))
  if (unknown !== undefined) throw new Error(`The call '${key}' takes no '${unknown}'. It takes ${taken}`)
}

/** Whether it is what the call takes, and not the value of a field with the name of the call's id. */
const isForCall = (call: WaitingCall, value: Json | undefined): boolean => {
  const names = DecisionArguments.isFields(value) ? Object.keys(value) : []
  return names.length > 0 && names.every((name) => fieldsOf(call).includes(name))
}

/** The call that the key is the id of. Undefined: the key is the name of a field. */
const callNamed = (asking: ReadonlyArray<Asking>, key: string, values: JsonObject): WaitingCall | undefined => {
  const calls = asking.flatMap((each) => each.calls).filter((call) => isOf(call)(key))
  const [call] = calls
  if (call === undefined) return undefined
  if (asking.some(({ fields }) => fields.includes(key))) {
    const others = Object.keys(values).filter((other) => other !== key)
    const result = calls.find((each) => takesResult(each) && !others.some(isOf(each)))
    if (result !== undefined) {
      throw new Error(`'${key}' is the id of a call, and the name of a field. Name the call '${result.id}'`)
    }
    if (!calls.some((each) => isForCall(each, values[key]))) return undefined
  }
  checkOneCall(calls, `'${key}'`, "…")
  checkOwn(key, call, values[key])
  return call
}

const valuesOf = (asking: ReadonlyArray<Asking>, values: JsonObject | undefined): Values => {
  const ofCalls = new Map<WaitingCall, string>()
  for (const key of Object.keys(values ?? {})) {
    const call = callNamed(asking, key, values ?? {})
    if (call === undefined) continue
    const other = ofCalls.get(call)
    if (other !== undefined) {
      throw new Error(`'${other}' and '${key}' are the same call. Give what is for it under one of them`)
    }
    ofCalls.set(call, key)
  }
  const keys = [...ofCalls.values()]
  return {
    own: new Map([...ofCalls].map(([call, key]) => [call, values?.[key]])),
    ofFields: values && Object.fromEntries(Object.entries(values).filter(([name]) => !keys.includes(name)))
  }
}

const askingIn = (run: AnyPaused): ReadonlyArray<Asking> =>
  isWorkflow(run) ? waitingSteps(run).map(askingOfStep) : [askingOfCalls("", openIn(run.requirements))]

/** What every call has of its own would be lost beside that. */
const checkWithout = (calls: ReadonlyArray<WaitingCall>, what: string, example: string): void => {
  if (calls.length === 0) throw new Error(`Each call that asks for ${what} is given its own. Leave out the other`)
  checkOneCall(calls, what, example)
}

/** What no field, call or router takes would be lost, and the call be executed without it. */
const check = (
  run: AnyPaused,
  asking: ReadonlyArray<Asking>,
  { ofFields = {}, own }: Values,
  { choices, result }: DecisionArguments.Given
): void => {
  const names = asking.flatMap(({ fields }) => fields)
  const calls = asking.flatMap((each) => each.calls)
  for (const name of Object.keys(ofFields)) {
    const events = names.length === 0 ? eventsOf(run) : []
    const taken = events.length > 0
      ? `It waits for the event ${quoted(events)}, as send(run, event, value) sends it`
      : names.length > 0
      ? `It asks for ${quoted(names)}`
      : endOf(calls) === undefined
      ? "It asks for no values"
      : `It waits for a time, and continues by itself at ${endOf(calls)}`
    const takers = asking.filter(({ fields }) => fields.includes(name))
    if (takers.length === 0) throw new Error(`The run asks for no '${name}'. ${taken}`)
    checkOne(takers, `'${name}'`)
    const without = calls.filter((call) => {
      const ofCall = own.get(call)
      return fieldsOf(call).includes(name) && !(DecisionArguments.isFields(ofCall) && Object.hasOwn(ofCall, name))
    })
    if (takers.some((taker) => taker.calls.length > 0)) checkWithout(without, `'${name}'`, `{"${name}": …}`)
  }
  const takers = asking.filter((each) => each.takesResult)
  const routers = asking.filter(({ takesChoices }) => takesChoices)
  if (result !== undefined) {
    if (takers.length === 0) throw new Error("The run asks for no result of a call or an event")
    checkOne(takers, "a result")
    checkWithout(calls.filter((call) => takesResult(call) && own.get(call) === undefined), "a result", "…")
  }
  if (choices === undefined) return
  if (routers.length === 0) throw new Error("The run asks for no choices")
  checkOne(routers, "choices")
}

/** A note, or other arguments, would be lost, and the call be made with those of the model. */
const refuseMore = (run: AnyPaused, more: ReadonlyArray<unknown>): void => {
  if (DecisionArguments.areNone(run, more)) return
  const steps = isWorkflow(run) ? waitingSteps(run) : undefined
  const calls = steps === undefined ? openIn(run.requirements) : steps.flatMap((step) => callsOf(step) ?? [])
  const todo = calls.length === 0
    ? "A reason is for reject(run, note)"
    : steps !== undefined
    ? "Other arguments of a call are those of its requirement: change tool_execution.tool_args in the " +
      "executor_requirements of its step, and give the changed run"
    : "Other arguments of a call are those of its requirement: approve({ requirements: [{ ...requirement, " +
      "tool_execution: { ...requirement.tool_execution, tool_args: { … } } }] })"
  throw new Error(`approve(run) takes only the run. ${todo}`)
}

/**
 * Confirms everything that the run waits for. Failed steps are repeated. For other arguments than those of the model,
 * give a run whose requirement has them as `tool_execution.tool_args`.
 *
 * @example
 * const paused = await agent.run("Refund order 17")
 * if (paused.status === "PAUSED") await agent.continue(paused, approve(paused))
 */
export const approve: {
  (run: PausedRun): ContinueInput
  (run: PausedWorkflowRun): WorkflowContinueInput
} = (run: AnyPaused, ...more: ReadonlyArray<unknown>): object => {
  checkWhole(run)
  refuseMore(run, more)
  return ofRun(run, decision({ confirmed: true }))
}

/** Rejects everything that the run waits for, with a reason for the model. Failed steps are skipped. */
export const reject: {
  (run: PausedRun, note?: string): ContinueInput
  (run: PausedWorkflowRun, note?: string): WorkflowContinueInput
} = (run: AnyPaused, ...more: ReadonlyArray<unknown>): object =>
  ofRun(run, decision({ confirmed: false, note: DecisionArguments.noteOf(run, more) }))

/**
 * Gives what the run waits for: the values of fields by their names, the result of calls that are executed elsewhere,
 * or the choices of a router. If several calls ask for the same, each gets its own under its id:
 * `answer(run, { call_1: { size: 4 }, call_2: { size: 5 } })`. What also needs a confirmation is confirmed, and failed
 * steps are repeated. Throws an error for what the run, or the call, does not ask for, for what is given to one call
 * twice, and for what several steps ask for: give a run with one of them then.
 *
 * @example
 * const paused = await agent.run("Order tea")
 * if (paused.status === "PAUSED") await agent.continue(paused, answer(paused, { address: "Main Street 1" }))
 */
export const answer: {
  (run: PausedRun, values?: JsonObject, more?: Pick<DecisionArguments.Given, "result">): ContinueInput
  (run: PausedWorkflowRun, values?: JsonObject, more?: DecisionArguments.Given): WorkflowContinueInput
} = (run: AnyPaused, ...more: ReadonlyArray<unknown>): object => {
  checkWhole(run)
  const [all, others] = DecisionArguments.valuesOf(more)
  const asking = askingIn(run)
  const values = valuesOf(asking, all)
  check(run, asking, values, others)
  return ofRun(run, given(values, others))
}

/** The steps of a workflow that wait for the event. Runs of earlier versions do not say it: the last one is open. */
const stepsFor = ({ step_requirements: all = [] }: PausedWorkflowRun, event: string): ReadonlyArray<WaitingStep> => {
  const found = all.filter(({ executor_requirements: calls, resolved }) =>
    resolved !== true && eventsIn(calls).includes(event)
  )
  return found.some(({ resolved }) => resolved === false) ? found : found.slice(-1)
}

const isFor = (run: AnyPaused, event: string): boolean =>
  isWorkflow(run) ? stepsFor(run, event).length > 0 : eventsIn(run.requirements).includes(event)

/** Whether a run, as it was read, waits for the event. */
export const awaits = (run: object, event: string): run is AnyPaused => isFor(run, event)

/** Sends an event to all that waits for it by `waitFor`. Throws an error if nothing does. */
export const sent: {
  (run: PausedRun, event: string, value?: unknown): ContinueInput
  (run: PausedWorkflowRun, event: string, value?: unknown): WorkflowContinueInput
  (run: AnyPaused, event: string, value?: unknown): ContinueInput & WorkflowContinueInput
} = (run: AnyPaused, event: string, value: unknown = null, ...more: ReadonlyArray<unknown>): object => {
  checkWhole(run)
  DecisionArguments.checkEvent(event, more)
  if (!isFor(run, event)) {
    const names = eventsOf(run)
    const others = names.length === 0 ? "for no event" : `for ${quoted(names)}`
    throw new Error(`The run does not wait for the event '${event}'. It waits ${others}`)
  }
  const result = jsonText(value, "the event")
  const decided = (calls: ReadonlyArray<unknown> = []) =>
    (calls as ReadonlyArray<WaitingCall>).map((call) =>
      eventOf(call) === event ? { ...call, external_execution_result: result } : call
    )
  if (!isWorkflow(run)) return { requirements: decided(run.requirements) }
  const steps = stepsFor(run, event)
  return decideSteps({ step_requirements: run.step_requirements }, {
    ofStep: (step) => steps.includes(step) ? { executor_requirements: decided(step.executor_requirements) } : undefined
  })
}
