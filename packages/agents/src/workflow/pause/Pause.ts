// A pause for a person: confirmation, user input or selection. Defaults: a rejected step is skipped, three retries, and
// a late decision cancels the run.
import * as StepRequirement from "@svc-runtime/domain/StepRequirement"
import { Mistake } from "@svc-runtime/engine/userCode/Mistake"
import * as AuthorOptions from "@svc-runtime/engine/userCode/Options"
import * as Validate from "@svc-runtime/engine/userCode/Validate"
import { type Duration, Predicate } from "effect"

export interface Options {
  /** The message for the person. */
  readonly message?: string | undefined
  /** The effect of a rejection. `else` runs the other branch of a condition. */
  readonly onReject?: StepRequirement.OnReject | undefined
  /** The maximum number of repetitions after rejections. */
  readonly maxRetries?: number | undefined
  /** The time limit of the decision. Default: none. */
  readonly timeout?: Duration.Input | undefined
  readonly onTimeout?: StepRequirement.OnTimeout | undefined
}

export interface Pause {
  readonly message: string | undefined
  readonly onReject: StepRequirement.OnReject
  readonly maxRetries: number
  readonly timeout: Duration.Duration | undefined
  readonly onTimeout: StepRequirement.OnTimeout
}

export interface Field {
  readonly name: string
  readonly type: StepRequirement.FieldType
  readonly description?: string | undefined
  /** Default: true. */
  readonly required?: boolean | undefined
  readonly allowedValues?: ReadonlyArray<string | number | boolean> | undefined
}

export interface UserInputOptions extends Options {
  readonly fields: readonly [Field, ...ReadonlyArray<Field>]
}

export interface UserInput extends Pause {
  readonly fields: ReadonlyArray<StepRequirement.InputField>
}

export interface SelectionOptions extends Options {
  /** Whether several choices are allowed. */
  readonly multiple?: boolean | undefined
}

export interface Selection extends Pause {
  readonly multiple: boolean
}

const kinds: AuthorOptions.Kinds<keyof Options | "fields" | "multiple"> = {
  message: "text",
  onReject: "any",
  maxRetries: "any",
  timeout: "any",
  onTimeout: "any",
  fields: "list",
  multiple: "flag"
}

const checkField = (owner: string, { name, type }: Field): void => {
  if (!Predicate.isString(name)) throw new Mistake(`${owner}: a field of userInput has no name`)
  Validate.oneOf(owner, `the type of the field '${name}'`, StepRequirement.FieldType.literals, type)
}

export const make = (
  owner: string,
  options: Options | true | undefined,
  option = "confirmation"
): Pause | undefined => {
  if (options === undefined) return undefined
  if (options !== true) AuthorOptions.check(`${owner}: ${option}`, options, kinds, "docs/pauses.md")
  const { maxRetries = 3, message, onReject = "skip", onTimeout = "cancel", timeout } = options === true ? {} : options
  return {
    message,
    onReject,
    maxRetries: Validate.wholeNumber(owner, "maxRetries", 0, maxRetries),
    timeout: timeout === undefined ? undefined : Validate.duration(owner, "timeout", timeout),
    onTimeout
  }
}

const none: Options = {}

export const userInput = (owner: string, options: UserInputOptions | undefined): UserInput | undefined => {
  const pause = make(owner, options, "userInput")
  if (options === undefined || pause === undefined) return undefined
  for (const field of options.fields ?? []) checkField(owner, field)
  if ((options.fields ?? []).length === 0) throw new Mistake(`${owner}: userInput has no fields. Give it at least one`)
  const names = options.fields.map(({ name }) => name)
  const twice = names.find((name, index) => names.indexOf(name) !== index)
  if (twice !== undefined) throw new Mistake(`${owner}: userInput asks for '${twice}' twice`)
  return {
    ...pause,
    fields: options.fields.map(({ allowedValues, description, name, required, type }) => ({
      name,
      field_type: type,
      description: description ?? null,
      value: null,
      required: required ?? true,
      ...(allowedValues === undefined ? {} : { allowed_values: allowedValues })
    }))
  }
}

export const selection = (
  owner: string,
  options: SelectionOptions | true | undefined
): Selection | undefined => {
  if (options === undefined) return undefined
  const { multiple = false, ...rest } = options === true ? { ...none, multiple: false } : options
  const pause = make(owner, rest, "selection")
  return pause === undefined ? undefined : { ...pause, multiple }
}
