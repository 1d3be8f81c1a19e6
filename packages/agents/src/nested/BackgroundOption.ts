// The option with which an author lets a component work in the background.
import type * as AuthorOptions from "@svc-runtime/engine/userCode/Options"
import * as Validate from "@svc-runtime/engine/userCode/Validate"
import { Duration } from "effect"

export interface Options {
  /**
   * Whether the result starts a run of the caller, so that its model reads it at once. With false, the next run of the
   * session shows it. Default: true.
   */
  readonly wake?: boolean | undefined
  /** The maximum number of unfinished tasks of a session. Default: `BACKGROUND_TASKS_PER_SESSION`. */
  readonly limit?: number | undefined
  /** The time after which the task is cancelled. Default: none. */
  readonly timeout?: Duration.Input | undefined
  /** Keep the task when the run that started it is cancelled. Default: false. */
  readonly detached?: boolean | undefined
}

export interface Settings {
  readonly wake: boolean
  readonly limit: number | undefined
  /** In seconds. */
  readonly timeout: number | undefined
  readonly isDetached: boolean
}

export const kinds: AuthorOptions.Kinds<keyof Options> = {
  wake: "flag",
  limit: "any",
  timeout: "any",
  detached: "flag"
}

/** That can be stored. */
const maxSeconds = 2 ** 31 - 2

/** Undefined: its calls are awaited. */
export const settings = (owner: string, options: Options | boolean | undefined): Settings | undefined => {
  if (options === undefined || options === false) return undefined
  const { detached = false, limit, timeout, wake = true } = options === true ? {} : options
  return {
    wake,
    limit: limit === undefined ? undefined : Validate.wholeNumber(owner, "background.limit", 1, limit),
    timeout: timeout === undefined
      ? undefined
      : Math.min(
        maxSeconds,
        Math.max(1, Math.ceil(Duration.toSeconds(Validate.storedDuration(owner, "background.timeout", timeout))))
      ),
    isDetached: detached
  }
}
