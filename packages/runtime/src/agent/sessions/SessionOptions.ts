// The options `sessionSummaries` and `searchPastSessions` of agents and teams.
import { charactersOf } from "@svc/domain/Tokens"
import type { ModelRef } from "@svc/models/ModelCatalog"
import { pieceLimits, searchLimits, type SummaryThreshold } from "../../session/SessionSummaries.ts"
import * as Validate from "../../usercode/Validate.ts"

export interface SummaryOptions {
  /** A session is summarized after so many runs. Default: 5. */
  readonly afterRuns?: number | undefined
  /** The same after so many tokens of their messages, approximately. Default: 8000. */
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

export interface SummarySettings {
  readonly threshold: SummaryThreshold
  readonly model: ModelRef | undefined
  readonly instructions: string | undefined
  readonly context: boolean
  readonly inline: boolean
}

export interface SearchOptions {
  /** How many sessions a search gives; at most 10. Default: 2. */
  readonly sessions?: number | undefined
  /** How many runs of each; at most 10. Default: 3. */
  readonly runs?: number | undefined
}

export interface SearchSettings {
  readonly sessions: number
  readonly runs: number
}

/** Jobs keep them. */
const longestInstructions = 10_000

/** A number up to a maximum. */
const upTo = (owner: string, name: string, maximum: number, value: number): number => {
  if (value > maximum) throw new Error(`${owner}: ${name} is ${value}, and the maximum is ${maximum}`)
  return Validate.wholeNumber(owner, name, 1, value)
}

export const summaries = (owner: string, option: boolean | SummaryOptions): SummarySettings | undefined => {
  if (option === false) return undefined
  const options = option === true ? {} : option
  const { afterRuns = 5, afterTokens = 8000, context = true, inline = false, instructions, model } = options
  if (instructions !== undefined && instructions.length > longestInstructions) {
    throw new Error(`${owner}: sessionSummaries.instructions has more than ${longestInstructions} characters`)
  }
  const threshold = {
    runs: upTo(owner, "sessionSummaries.afterRuns", pieceLimits.runs, afterRuns),
    bytes: charactersOf(upTo(owner, "sessionSummaries.afterTokens", 1_000_000, afterTokens))
  }
  return { threshold, model: Validate.model(owner, "sessionSummaries.model", model), instructions, context, inline }
}

export const search = (owner: string, option: boolean | SearchOptions): SearchSettings | undefined => {
  if (option === false) return undefined
  const { runs = 3, sessions = 2 } = option === true ? {} : option
  return {
    sessions: upTo(owner, "searchPastSessions.sessions", searchLimits.foundSessions, sessions),
    runs: upTo(owner, "searchPastSessions.runs", searchLimits.foundRuns, runs)
  }
}
