// The questions of a paused run, from its last event or from its stored form. Both have the same requirements.
import * as Json from "@svc-runtime/domain/Json"
import * as NameList from "@svc-runtime/domain/NameList"
import * as Requirement from "@svc-runtime/domain/Requirement"
import * as StepPlace from "@svc-runtime/domain/StepPlace"
import type * as StepRequirement from "@svc-runtime/domain/StepRequirement"
import type * as ToolExecution from "@svc-runtime/domain/ToolExecution"
import { DateTime, Option, Schema } from "effect"
import type { Field, Kind, Question, Target } from "./Question.ts"

// The JSON schema of the answer to a question, for clients that make a form of it.

const object = (properties: Json.Object, required: ReadonlyArray<string>): Json.Object => ({
  type: "object",
  properties,
  required: [...required]
})

const note = { type: "string", description: "Why" }
const accepted = { type: "boolean" }

const fieldSchema = ({ allowed, description, type }: Field): Json.Object => ({
  type,
  ...(description === undefined ? {} : { description }),
  ...(allowed === undefined ? {} : { enum: [...allowed] })
})

const valuesSchema = (fields: ReadonlyArray<Field>): Json.Object =>
  object(
    Object.fromEntries(fields.map((field) => [field.name, fieldSchema(field)])),
    fields.filter(({ isRequired }) => isRequired).map(({ name }) => name)
  )

const answerSchemaOf = (
  { allowsSeveral, choices, fields, kind }: Pick<Question, "kind" | "fields" | "choices" | "allowsSeveral">
): Json.Object => {
  switch (kind) {
    case "confirmation":
      return object({ accepted, note, editedArgs: { type: "object" } }, ["accepted"])
    case "step_confirmation":
      return object({ accepted, note }, ["accepted"])
    case "user_input":
    case "step_input":
      return object({ accepted, note, values: valuesSchema(fields) }, ["values"])
    case "external_execution":
      return object({ result: {}, accepted, note }, ["result"])
    case "unknown_outcome":
      return object({ result: {}, accepted, note }, [])
    case "route_choice": {
      const items = { type: "string", enum: [...choices] }
      return object({ choices: { type: "array", items, minItems: 1, ...(allowsSeveral ? {} : { maxItems: 1 }) } }, [
        "choices"
      ])
    }
    case "output_review":
      return object({ accepted, note, output: {} }, ["accepted"])
    case "failed_step":
      return object({ decision: { type: "string", enum: ["retry", "skip"] } }, ["decision"])
  }
}

export interface Waiting {
  readonly requirements?: ReadonlyArray<Requirement.Requirement>
  readonly step_requirements?: ReadonlyArray<StepRequirement.StepRequirement>
  readonly error_requirements?: ReadonlyArray<StepRequirement.ErrorRequirement>
}

const types: ReadonlyMap<string, Field["type"]> = new Map([
  ["str", "string"],
  ["int", "integer"],
  ["float", "number"],
  ["bool", "boolean"],
  ["list", "array"],
  ["dict", "object"]
])

const ToolField = Schema.Struct({
  name: Schema.String,
  field_type: Schema.String,
  description: Schema.NullOr(Schema.String),
  value: Schema.NullOr(Schema.Json),
  required: Schema.optionalKey(Schema.Boolean),
  allowed_values: Schema.optionalKey(Schema.Array(Schema.Json))
})
const toolFields = Schema.decodeUnknownOption(Schema.Array(ToolField))

const fieldOf = (
  { description, field_type, name, value }: typeof ToolField.Type,
  more: Pick<Field, "isRequired" | "allowed">
): Field => ({
  name,
  type: types.get(field_type) ?? "string",
  description: description ?? undefined,
  value,
  ...more
})

const fieldsOfTool = ({ user_input_schema }: ToolExecution.ToolExecution): ReadonlyArray<Field> =>
  Option.getOrElse(toolFields(user_input_schema), () => []).map((field) =>
    fieldOf(field, { isRequired: field.value === null && field.required !== false, allowed: field.allowed_values })
  )

const fieldsOfStep = ({ user_input_schema = [] }: StepRequirement.StepRequirement): ReadonlyArray<Field> =>
  user_input_schema.map((field) =>
    fieldOf(field, { isRequired: field.required, allowed: field.allowed_values ?? undefined })
  )

const make = (
  question: Pick<Question, "id" | "kind" | "name" | "args" | "message" | "target"> & Partial<Question>
): Question => {
  const whole = {
    toolCallId: question.id,
    calledAs: question.id,
    fields: [],
    choices: [],
    allowsSeveral: false,
    needsApproval: false,
    approval: undefined,
    isOfClient: false,
    ...question
  }
  return { ...whole, schema: answerSchemaOf(whole) }
}

const kindOf = (tool: ToolExecution.ToolExecution): Kind => {
  if (tool.outcome_unknown === true) return "unknown_outcome"
  if (tool.external_execution_required === true) return "external_execution"
  return tool.requires_user_input === true ? "user_input" : "confirmation"
}

const messages: Readonly<Record<ReturnType<typeof kindOf>, (name: string) => string>> = {
  confirmation: (name) => `${name} needs a confirmation.`,
  user_input: (name) => `${name} needs user input.`,
  external_execution: (name) => `${name} is executed elsewhere, and its result is needed.`,
  unknown_outcome: (name) => `${name} was cut off: send its result, confirm to repeat it, or reject it.`,
  step_confirmation: (name) => `Step ${name} needs a confirmation.`,
  step_input: (name) => `Step ${name} needs user input.`,
  route_choice: (name) => `${name} needs a choice of the next step.`,
  output_review: (name) => `The output of step ${name} needs a review.`,
  failed_step: (name) => `Step ${name} failed: retry it, or skip it.`
}

/** With what is known of the call. */
const unknownOf = ({ asked, tool_name }: ToolExecution.ToolExecution): string =>
  `${asked === undefined ? "" : `${asked.message}. `}${messages.unknown_outcome(tool_name)}`

/** The run continues by itself then. */
const waiting = (name: string, wake_at: number): string =>
  `${name} ends at ${DateTime.formatIso(DateTime.makeUnsafe(wake_at * 1000))}. A result ends it before.`

const ofRequirement = (requirement: Requirement.Requirement, target: Target): Question => {
  const { approval_status: approval, asked_before, id, tool_execution: tool } = requirement
  const kind = kindOf(tool)
  return make({
    id,
    kind,
    toolCallId: asked_before === undefined ? tool.tool_call_id : `${tool.tool_call_id}.${asked_before}`,
    calledAs: tool.tool_call_id,
    name: tool.tool_name,
    args: tool.tool_args ?? {},
    message: kind === "unknown_outcome" ? unknownOf(tool) : tool.asked?.message ??
      (tool.wake_at === undefined ? messages[kind](tool.tool_name) : waiting(tool.tool_name, tool.wake_at)),
    fields: fieldsOfTool(tool),
    needsApproval: tool.approval_type === "required",
    approval,
    isOfClient: tool.client_tool === true,
    target
  })
}

const stepKindOf = (requirement: StepRequirement.StepRequirement): Kind => {
  if (requirement.requires_output_review) return "output_review"
  if (requirement.requires_route_selection) return "route_choice"
  return requirement.requires_user_input ? "step_input" : "step_confirmation"
}

const decodeRequirements = Schema.decodeUnknownOption(Schema.Array(Requirement.Requirement))

const namedBy = ({ id, step_id }: AnyStep) => ({
  step_id,
  ...(id === undefined ? {} : { id })
})

type AnyStep = StepRequirement.StepRequirement | StepRequirement.ErrorRequirement

const placeOf = (step: AnyStep): Json.Object => {
  const step_index = StepPlace.numbersOf(step)
  return { step: step.step_name, ...(step_index === undefined ? {} : { step_index: [...step_index] }) }
}

const titleOf = (step: AnyStep): string => StepPlace.title(step.step_name, step)

/** The own message of a step inside of others is the same for each of its items. */
const messageOf = (step: AnyStep, own: string): string =>
  StepPlace.of(step) === undefined ? own : `Step ${titleOf(step)}: ${own}`

/** What the step gets: an item of a list, the result of the step before, or the input of the workflow. */
const inputOf = ({ step_input = null }: StepRequirement.StepRequirement): Json.Object => {
  if (!Json.isObject(step_input)) return {}
  const { input = null, previous_step_content: previous = null } = step_input
  return { input: previous ?? input }
}

/** A step can ask again, and be executed several times. `former`: of requirements of earlier versions of Svc. */
export const idOf = ({ id, step_id }: Pick<AnyStep, "id" | "step_id">, former: number | string = ""): string =>
  `${step_id}.${id ?? former}`

const ofStep = (
  requirement: StepRequirement.StepRequirement,
  place: number,
  isTaken: (requirement: Requirement.Requirement) => boolean
): ReadonlyArray<Question> => {
  const { executor_requirements, step_id, step_name } = requirement
  if (executor_requirements !== undefined) {
    return Option.getOrElse(decodeRequirements(executor_requirements), () => []).filter(isTaken).map((each) => {
      const question = ofRequirement(each, { list: "executor_requirements", id: each.id, step_id })
      return { ...question, message: messageOf(requirement, question.message) }
    })
  }
  const kind = stepKindOf(requirement)
  const { allow_multiple_selections, available_choices, step_output } = requirement
  const own = requirement.output_review_message ?? requirement.user_input_message ?? requirement.confirmation_message
  return [make({
    id: idOf(requirement, place),
    kind,
    name: step_name,
    args: {
      ...placeOf(requirement),
      ...inputOf(requirement),
      ...(kind === "output_review" && step_output !== undefined ? { output: step_output } : {}),
      ...(available_choices === null ? {} : { choices: available_choices })
    },
    message: own === null ? messages[kind](titleOf(requirement)) : messageOf(requirement, own),
    fields: fieldsOfStep(requirement),
    choices: available_choices ?? [],
    allowsSeveral: allow_multiple_selections,
    target: { list: "step_requirements", ...namedBy(requirement) }
  })]
}

const ofError = (requirement: StepRequirement.ErrorRequirement): Question => {
  const { error_message, retry_count, step_name } = requirement
  return make({
    id: idOf(requirement, `error.${retry_count}`),
    kind: "failed_step",
    name: step_name,
    args: { ...placeOf(requirement), error: error_message },
    message: messages.failed_step(titleOf(requirement)),
    target: { list: "error_requirements", ...namedBy(requirement) }
  })
}

/** Open, or open until its approval was resolved. */
const isShown = (requirement: Requirement.Requirement): boolean =>
  requirement.approval_status !== undefined || Requirement.isOpen(requirement)

/**
 * How many questions of the run are decided. An approval counts when the run has resumed with it. Calls that sleep wake
 * by themselves, and failed steps are kept only as long as they wait.
 */
export const decidedIn = ({ requirements = [], step_requirements = [] }: Waiting): number =>
  requirements.filter((each) => !isShown(each) && each.tool_execution.wake_at === undefined).length +
  step_requirements.filter(({ resolved }) => resolved === true).length

/** By how many `decidedIn` grows when these are answered: a step is decided as a whole. */
export const decidedBy = (questions: ReadonlyArray<Question>): number =>
  new Set(
    questions.flatMap(({ id, target }) =>
      target.list === "error_requirements" ? [] : [target.list === "executor_requirements" ? target.step_id : id]
    )
  ).size

type Parts = ReadonlyArray<ReadonlyArray<Question>>

/** What a paused run waits for. The questions of one part are answered together, and the first part is shown. */
const partsOf = ({ error_requirements = [], requirements = [], step_requirements = [] }: Waiting): Parts => {
  if (error_requirements.length + step_requirements.length === 0) {
    return [requirements.filter(isShown).map((each) => ofRequirement(each, { list: "requirements", id: each.id }))]
  }
  const failed = error_requirements.map((each) => [ofError(each)])
  const last = failed.length === 0 ? step_requirements.length : undefined
  const steps = step_requirements.flatMap((each, index) =>
    each.resolved === false || index + 1 === last ? [ofStep(each, index + 1, isShown)] : []
  )
  return [...failed.toReversed(), ...steps.toReversed()]
}

/**
 * What a client answers: the parts with a question that is meant, or what is shown. The client was shown them before,
 * and something else can be shown since. With calls whose approvals are resolved since.
 */
export const meantOf = (waiting: Waiting, isMeant: (question: Question) => boolean): ReadonlyArray<Question> => {
  const parts = partsOf(waiting)
  const meant = parts.filter((questions) => questions.some(isMeant))
  return (meant.length === 0 ? parts.slice(0, 1) : meant).flat()
}

/** What a client of a paused run is shown: also calls whose approvals are resolved since. */
export const shownOf = (waiting: Waiting): ReadonlyArray<Question> => partsOf(waiting)[0] ?? []

const isOpen = ({ approval }: Question): boolean => approval === undefined

/** The open ones, of a run that is paused. */
export const of = (waiting: Waiting): ReadonlyArray<Question> => shownOf(waiting).filter(isOpen)

/** The open ones that a client answers. */
export const openOf = (...meant: Parameters<typeof meantOf>): ReadonlyArray<Question> =>
  meantOf(...meant).filter(isOpen)

/**
 * What is still open, for the text of an error about an answer to something else. Empty: nothing. `idOf`: by which id a
 * client answers it.
 */
export const openText = (
  questions: ReadonlyArray<Question>,
  idOf: (question: Question) => string = ({ id }) => id
): string => {
  const open = questions.filter(isOpen)
  return open.length === 0 ? "" : ` (open: ${NameList.first(open.map((each) => `${each.name} as '${idOf(each)}'`))})`
}

/** All calls that an agent or a team has asked for, open or not. */
export const ofAll = ({ requirements = [] }: Pick<Waiting, "requirements">): ReadonlyArray<Question> =>
  requirements.map((each) => ofRequirement(each, { list: "requirements", id: each.id }))

/** All that a run has asked for, open or not. */
export const ofAny = (
  { error_requirements = [], requirements = [], step_requirements = [] }: Waiting
): ReadonlyArray<Question> => [
  ...ofAll({ requirements }),
  ...step_requirements.flatMap((step, index) => ofStep(step, index + 1, () => true)),
  ...error_requirements.map(ofError)
]

/** Whether it has a call of its own, which has no result in the run. */
export const isFurther = ({ calledAs, toolCallId }: Question): boolean => toolCallId !== calledAs

/** The result of a call that shows a further question. */
export const answered = "Answered"

/** The arguments as an object: models also send other values. */
export const argsOf = ({ args }: Question): Json.Object => Json.isObject(args) ? args : { value: args }
