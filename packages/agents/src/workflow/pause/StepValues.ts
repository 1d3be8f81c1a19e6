// Checks the values that a decision has for a step: user input and selected choices.
import * as Json from "@svc-runtime/domain/Json"
import type * as StepRequirement from "@svc-runtime/domain/StepRequirement"
import * as Form from "@svc-runtime/engine/tool/Form"
import { Predicate } from "effect"

const isOfType: Readonly<Record<StepRequirement.FieldType, (value: Json.Value) => boolean>> = {
  str: (value) => typeof value === "string",
  int: (value) => Number.isInteger(value),
  float: (value) => typeof value === "number",
  bool: (value) => typeof value === "boolean",
  list: Json.isList,
  dict: Json.isObject
}

const problemOf = (
  { allowed_values, field_type, name, required }: StepRequirement.InputField,
  value: Json.Value | undefined,
  /** A JSON Schema says more than the type. */
  hasType: boolean
): string | undefined => {
  if (value === undefined || value === null) return required ? `'${name}' is missing` : undefined
  if (hasType && !isOfType[field_type](value)) return `'${name}' has to be of type ${field_type}`
  return allowed_values === undefined || allowed_values.includes(value)
    ? undefined
    : `'${name}' has to be one of ${allowed_values.map((allowed) => JSON.stringify(allowed)).join(", ")}`
}

const valuesIn = (
  { user_input_json_schema: schema }: StepRequirement.StepRequirement,
  given: Json.Object
): Json.Object => schema === undefined ? given : Form.valuesOf(schema, given)

/** The fields that need values and have none. */
export const missingIn = (step: StepRequirement.StepRequirement, given: Json.Object): ReadonlyArray<string> => {
  const values = valuesIn(step, given)
  return (step.user_input_schema ?? []).flatMap(({ name, required }) =>
    required && Predicate.isNullish(values[name]) ? [name] : []
  )
}

/** Why the values do not fit the fields of the step. */
export const userInputProblem = (
  step: StepRequirement.StepRequirement,
  given: Json.Object
): string | undefined => {
  const { user_input_json_schema: schema, user_input_schema = [] } = step
  const unknown = Object.keys(given).find((key) => !user_input_schema.some(({ name }) => name === key))
  if (unknown !== undefined) return `'${unknown}' is not a requested field`
  const values = valuesIn(step, given)
  const problems = user_input_schema.map((field) => problemOf(field, values[field.name], schema === undefined))
  return problems.find((problem) => problem !== undefined) ?? (schema && Form.problemIn(schema, values))
}

/** Why the choices do not fit those of the step. */
export const choicesProblem = (
  { allow_multiple_selections, available_choices }: StepRequirement.StepRequirement,
  selected: ReadonlyArray<string>
): string | undefined => {
  const unknown = selected.find((choice) => !available_choices?.includes(choice))
  if (unknown !== undefined) return `there is no choice '${unknown}'`
  if (new Set(selected).size < selected.length) return "a choice is made twice"
  return selected.length > 1 && !allow_multiple_selections ? "only one choice can be made" : undefined
}
