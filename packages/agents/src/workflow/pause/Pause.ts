// A pause for a person. Defaults: a rejected step is skipped, three retries, and
// a late decision cancels the run.
import * as StepRequirement from "@svc-runtime/domain/StepRequirement"
import * as AuthorOptions from "@svc-runtime/engine/userCode/Options"
import * as Validate from "@svc-runtime/engine/userCode/Validate"
import type { Duration } from "effect"

export interface Options {
  /** The message for the person. */
  readonly message?: string | undefined
  /**
   * What a rejection does: `skip` (the default) skips the step, `cancel` ends the workflow, `retry` repeats the step,
   * `else` runs the other branch of a condition.
   */
  readonly onReject?: StepRequirement.OnReject | undefined
  /** The maximum number of repetitions after rejections. Default: 3. */
  readonly maxRetries?: number | undefined
  /** The time limit of the decision. Default: none. */
  readonly timeout?: Duration.Input | undefined
  /**
   * What is decided after the time limit, as soon as the run is continued: `cancel`, `skip` or `approve`. Another
   * decision is 409 then. Default: `cancel`.
   */
  readonly onTimeout?: StepRequirement.OnTimeout | undefined
}

export interface Pause {
  readonly message: string | undefined
  readonly onReject: StepRequirement.OnReject
  readonly maxRetries: number
  readonly timeout: Duration.Duration | undefined
  readonly onTimeout: StepRequirement.OnTimeout
}

export interface SelectionOptions extends Options {
  /** Whether several choices are allowed. */
  readonly multiple?: boolean | undefined
}

export interface Selection extends Pause {
  readonly multiple: boolean
}

const kinds: AuthorOptions.Kinds<keyof Options> = {
  message: "text",
  onReject: { oneOf: StepRequirement.OnReject.literals },
  maxRetries: "any",
  timeout: "any",
  onTimeout: { oneOf: StepRequirement.OnTimeout.literals }
}

export const make = (
  owner: string,
  options: Options | true | undefined,
  option = "confirmation",
  /** What it takes beside the options of every pause. */
  further: AuthorOptions.Kinds<string> = {}
): Pause | undefined => {
  if (options === undefined) return undefined
  if (options !== true) {
    AuthorOptions.check(`${owner}: ${option}`, options, { ...kinds, ...further })
  }
  const { maxRetries = 3, message, onReject = "skip", onTimeout = "cancel", timeout } = options === true ? {} : options
  return {
    message,
    onReject,
    maxRetries: Validate.wholeNumber(owner, "maxRetries", 0, maxRetries),
    timeout: timeout === undefined ? undefined : Validate.storedDuration(owner, "timeout", timeout),
    onTimeout
  }
}

export const selection = (
  owner: string,
  options: SelectionOptions | true | undefined
): Selection | undefined => {
  if (options === undefined) return undefined
  const pause = make(owner, options, "selection", { multiple: "flag" })
  const multiple = options !== true && options.multiple === true
  return pause === undefined ? undefined : { ...pause, multiple }
}
