// The options `sessionSummaries`, `summarizeHistory` and `searchPastSessions` of agents and teams.
import { charactersOf } from "@svc-runtime/domain/Tokens"
import { pieceLimits, searchLimits, type SummaryThreshold } from "@svc-runtime/engine/session/SessionSummaries"
import { Mistake } from "@svc-runtime/engine/userCode/Mistake"
import type * as AuthorOptions from "@svc-runtime/engine/userCode/Options"
import * as Validate from "@svc-runtime/engine/userCode/Validate"
import type { ModelRef } from "@svc-runtime/models/ModelCatalog"

export interface SummaryOptions {
  /** A session is summarized after this many runs. Default: 5. */
  readonly afterRuns?: number | undefined
  /** The same after this many tokens of their messages, approximately. Default: 8000. */
  readonly afterTokens?: number | undefined
  /** The model that writes summaries. Default: that of the agent. */
  readonly model?: ModelRef | undefined
  /** What is worth keeping, for that model. */
  readonly instructions?: string | undefined
  /** Show the summary to the model in later runs of the session. Default: true. */
  readonly context?: boolean | undefined
  /** Before the end of the run, with a pair of events, instead of in a job. Default: false. */
  readonly inline?: boolean | undefined
}

/** Its default of `afterRuns` is `numHistoryRuns`, at most 5: the summary then has all that the history lacks. */
export type HistorySummaryOptions = Omit<SummaryOptions, "context" | "inline">

const historyKinds: AuthorOptions.Kinds<keyof HistorySummaryOptions> = {
  afterRuns: "any",
  afterTokens: "any",
  model: "any",
  instructions: "text"
}

export interface SummarySettings {
  readonly threshold: SummaryThreshold
  readonly model: ModelRef | undefined
  readonly instructions: string | undefined
  /** `history`: instead of what requests leave out of the history. */
  readonly context: boolean | "history"
  readonly inline: boolean
}

export interface SearchOptions {
  /** How many sessions a search gives; at most 10. Default: 2. */
  readonly sessions?: number | undefined
  /** How many runs of each; at most 10. Default: 3. */
  readonly runs?: number | undefined
}

const summaryKinds: AuthorOptions.Kinds<keyof SummaryOptions> = { ...historyKinds, context: "flag", inline: "flag" }

const searchKinds: AuthorOptions.Kinds<keyof SearchOptions> = { sessions: "any", runs: "any" }

/** What the options take. */
export const kinds: AuthorOptions.Kinds<
  "searchHistory" | "searchPastSessions" | "sessionSummaries" | "summarizeHistory"
> = {
  searchHistory: "flag",
  sessionSummaries: { options: summaryKinds, orFlag: true },
  summarizeHistory: { options: historyKinds, orFlag: true },
  searchPastSessions: { options: searchKinds, orFlag: true }
}

export interface SearchSettings {
  readonly sessions: number
  readonly runs: number
}

/** Of `afterRuns`, by default. */
const maxRuns = 5

/** Jobs keep them. */
const maxInstructionsLength = 10_000

/** A number up to a maximum. */
const upTo = (owner: string, name: string, maximum: number, value: number): number => {
  if (value > maximum) throw new Mistake(`${owner}: ${name} is ${value}, and the maximum is ${maximum}`)
  return Validate.wholeNumber(owner, name, 1, value)
}

const settingsOf = (
  owner: string,
  name: string,
  options: Omit<SummaryOptions, "context">,
  context: SummarySettings["context"]
): SummarySettings => {
  const { afterRuns = maxRuns, afterTokens = 8000, inline = false, instructions, model } = options
  if (instructions !== undefined && instructions.length > maxInstructionsLength) {
    throw new Mistake(`${owner}: ${name}.instructions has more than ${maxInstructionsLength} characters`)
  }
  const threshold = {
    runs: upTo(owner, `${name}.afterRuns`, pieceLimits.runs, afterRuns),
    bytes: charactersOf(upTo(owner, `${name}.afterTokens`, 1_000_000, afterTokens))
  }
  return { threshold, model: Validate.model(owner, `${name}.model`, model), instructions, context, inline }
}

const chosen = <A extends object>(option: boolean | A | undefined): A | undefined =>
  option === true ? {} as A : option === false ? undefined : option

export interface Summarizing {
  readonly sessionSummaries?: boolean | SummaryOptions | undefined
  readonly summarizeHistory?: boolean | HistorySummaryOptions | undefined
  readonly numHistoryRuns?: number | undefined
}

/** A session has one summary, so one option says how it is made and where it is shown. */
export const summaries = (owner: string, options: Summarizing): SummarySettings | undefined => {
  const [always, history] = [chosen(options.sessionSummaries), chosen(options.summarizeHistory)]
  if (always !== undefined && history !== undefined) {
    throw new Mistake(`${owner} has sessionSummaries and summarizeHistory, and can have one of them`)
  }
  if (always !== undefined) return settingsOf(owner, "sessionSummaries", always, always.context ?? true)
  if (history === undefined) return undefined
  const { afterRuns = Math.min(maxRuns, Math.max(1, options.numHistoryRuns ?? maxRuns)) } = history
  return settingsOf(owner, "summarizeHistory", { ...history, afterRuns }, "history")
}

export const search = (owner: string, option: boolean | SearchOptions): SearchSettings | undefined => {
  if (option === false) return undefined
  const { runs = 3, sessions = 2 } = option === true ? {} : option
  return {
    sessions: upTo(owner, "searchPastSessions.sessions", searchLimits.foundSessions, sessions),
    runs: upTo(owner, "searchPastSessions.runs", searchLimits.foundRuns, runs)
  }
}
