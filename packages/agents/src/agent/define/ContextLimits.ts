// How much of the conversation the requests of an agent have.
import * as Validate from "@svc-runtime/engine/userCode/Validate"

export interface Options {
  /** The number of messages of the history, at most. */
  readonly numHistoryMessages?: number | undefined
  /** Requests leave out the oldest messages, then the oldest results of tools, beyond about this number of tokens. */
  readonly maxContextTokens?: number | undefined
  /** The number of results of tools that requests have, the latest ones. */
  readonly numToolResults?: number | undefined
}

export interface Settings {
  readonly numHistoryMessages: number | undefined
  readonly maxContextTokens: number | undefined
  readonly numToolResults: number | undefined
}

export const settings = (owner: string, options: Options): Settings => {
  const whole = (name: keyof Options, minimum: number) => {
    const value = options[name]
    return value === undefined ? undefined : Validate.wholeNumber(owner, name, minimum, value)
  }
  return {
    numHistoryMessages: whole("numHistoryMessages", 0),
    maxContextTokens: whole("maxContextTokens", 1),
    numToolResults: whole("numToolResults", 0)
  }
}
