// How much of the conversation the requests of an agent have.
import type * as AuthorOptions from "@svc-runtime/engine/userCode/Options"
import * as Validate from "@svc-runtime/engine/userCode/Validate"

export interface Options {
  /** The number of messages of the history, at most. It begins with a message of the user. Default: unlimited. */
  readonly numHistoryMessages?: number | undefined
  /**
   * Requests leave out the oldest large results of tools, then the oldest messages of the history, then other results,
   * beyond about this number of tokens. Default: what the model takes.
   */
  readonly maxContextTokens?: number | undefined
  /** The number of results of tools that requests have, the latest ones. Default: unlimited. */
  readonly numToolResults?: number | undefined
  /**
   * Whether runs that were cancelled or failed, or that wait, are part of the history: `messages` (the default), or
   * `none`.
   */
  readonly historyOfFailedRuns?: HistoryOfFailedRuns | undefined
  /**
   * Whether the model gets the images and PDF documents that tools return. Default: if it is known to read them. True
   * or limits: always.
   */
  readonly showMedia?: boolean | MediaOptions | undefined
}

export const failedRuns = ["messages", "none"] as const
/** Which media of tools a model gets. */
export interface MediaOptions {
  /** The number of media in a request, the newest ones. Default: 5. */
  readonly newest?: number | undefined
  /** Their bytes together. Default: 8 MiB. */
  readonly maxBytes?: number | undefined
}

/** What `showMedia` takes. */
export const mediaKinds: AuthorOptions.Kinds<keyof MediaOptions> = { newest: "any", maxBytes: "any" }

export interface ShownMedia extends Readonly<Record<keyof MediaOptions, number>> {
  /** `known`: if the model is known to read them. */
  readonly shows: "known" | "all" | "none"
}

const shownMedia = (owner: string, given: boolean | MediaOptions | undefined): ShownMedia => {
  const limits: MediaOptions = typeof given === "object" ? given : {}
  const { maxBytes = 8 * 1024 * 1024, newest = 5 } = limits
  return {
    shows: given === undefined ? "known" : given === false ? "none" : "all",
    newest: Validate.wholeNumber(owner, "showMedia.newest", 0, newest),
    maxBytes: Validate.wholeNumber(owner, "showMedia.maxBytes", 0, maxBytes)
  }
}

export type HistoryOfFailedRuns = (typeof failedRuns)[number]

export interface Settings {
  readonly numHistoryMessages: number | undefined
  readonly maxContextTokens: number | undefined
  readonly numToolResults: number | undefined
  readonly historyOfFailedRuns: HistoryOfFailedRuns
  readonly showMedia: ShownMedia
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
    historyOfFailedRuns: options.historyOfFailedRuns ?? "messages",
    showMedia: shownMedia(owner, options.showMedia)
  }
}
