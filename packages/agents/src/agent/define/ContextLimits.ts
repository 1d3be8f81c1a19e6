// How much of the conversation the requests of an agent have.
import * as Validate from "@svc-runtime/engine/userCode/Validate"

export interface Options {
  /** The number of messages of the history, at most. */
  readonly numHistoryMessages?: number | undefined
  /** Requests leave out the oldest messages, then the oldest results of tools, beyond about this number of tokens. */
  readonly maxContextTokens?: number | undefined
  /** The number of results of tools that requests have, the latest ones. */
  readonly numToolResults?: number | undefined
  /** Whether runs that were cancelled or failed are part of the history: `messages`, or `none`. */
  readonly historyOfFailedRuns?: HistoryOfFailedRuns | undefined
}

const failedRuns = ["messages", "none"] as const
export type HistoryOfFailedRuns = (typeof failedRuns)[number]

export interface Settings {
  readonly numHistoryMessages: number | undefined
  readonly maxContextTokens: number | undefined
  readonly numToolResults: number | undefined
  readonly historyOfFailedRuns: HistoryOfFailedRuns
}

type Numbers = "maxContextTokens" | "numHistoryMessages" | "numToolResults"

export const settings = (owner: string, options: Options): Settings => {
  const whole = (name: Numbers, minimum: number) => {
    const value = options[name]
    return value === undefined ? undefined : Validate.wholeNumber(owner, name, minimum, value)
  }
  return {
    numHistoryMessages: whole("numHistoryMessages", 0),
    maxContextTokens: whole("maxContextTokens", 1),
    numToolResults: whole("numToolResults", 0),
    historyOfFailedRuns: Validate.oneOf(
      owner,
      "historyOfFailedRuns",
      failedRuns,
      options.historyOfFailedRuns ?? "messages"
    )
  }
}
