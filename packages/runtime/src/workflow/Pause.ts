// Where a workflow waits for a person: for their agreement, for something they know, for their choice. What is not said
// is as the contract has it: a rejected step is left out, three retries, and a decision that comes too late cancels.
import type { StepRequirement } from "@svc/domain"
import type { Duration } from "effect"
import * as Validate from "../usercode/Validate.ts"

export interface Options {
  /** Tells the person what it is about. */
  readonly message?: string | undefined
  /** What a rejection does. `else` is for conditions: their other branch is run. */
  readonly onReject?: StepRequirement.OnReject | undefined
  /** How often a rejection may have it done again. */
  readonly maxRetries?: number | undefined
  /** How long the decision may take. As long as it wants, when left out. */
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
  /** True when left out. */
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
  /** Whether more than one may be chosen. */
  readonly multiple?: boolean | undefined
}

export interface Selection extends Pause {
  readonly multiple: boolean
}

export const make = (owner: string, options: Options | true | undefined): Pause | undefined => {
  if (options === undefined) return undefined
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
  const pause = make(owner, options)
  if (options === undefined || pause === undefined) return undefined
  const names = options.fields.map(({ name }) => name)
  const twice = names.find((name, index) => names.indexOf(name) !== index)
  if (twice !== undefined) throw new Error(`${owner}: userInput asks for '${twice}' twice`)
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
  const pause = make(owner, rest)
  return pause === undefined ? undefined : { ...pause, multiple }
}
