// What summaries of sessions are made from, and what a search of past sessions gives. `SessionStore` has the methods.
import type * as ComponentKind from "@svc-runtime/domain/ComponentKind"
import type * as Ids from "@svc-runtime/domain/Ids"
import type * as Message from "@svc-runtime/domain/Message"
import type * as Run from "@svc-runtime/domain/Run"
import type * as Session from "@svc-runtime/domain/Session"
import type { EpochSeconds } from "@svc-runtime/domain/Time"

/** The maximum that one summary adds to the earlier one, whatever was not summarized yet. */
export const pieceLimits = { runs: 100, bytes: 32 * 1024, messageBytes: 256 * 1024 } as const

/** How many runs that have not completed before later ones were summarized are kept, the newest. */
export const maxPassedRuns = 100

/** A session is summarized if it has this many new runs, or this many bytes of their messages. */
export interface SummaryThreshold {
  readonly runs: number
  readonly bytes: number
}

export type ChatMessage = Pick<Message.Message, "role" | "content" | "from_history">

/** The oldest completed runs that the summary of a session does not cover, as many as `pieceLimits` allow. */
export interface Unsummarized {
  readonly user_id: Ids.UserId | null
  /** Does not cover the runs. Null, if there is none, or if it is damaged. */
  readonly summary: Session.Summary | null
  /** Changes with the summary, and with the runs that it covers. */
  readonly version: string
  /** The sequence numbers of the runs. */
  readonly covered: ReadonlyArray<number>
  /** The first number that counts for a removal: of a copy, that of the original. */
  readonly first: number
  /** With these runs, the session is covered up to this number. */
  readonly last: number
  /** The messages of the user and the assistant. */
  readonly messages: ReadonlyArray<ChatMessage>
  /** The given run is the last one. Its messages are not stored yet. */
  readonly isRunIncluded: boolean
}

export interface NewSummary extends Pick<Unsummarized, "user_id" | "version" | "covered" | "first" | "last"> {
  readonly session_id: Session.Id
  /** Null: the runs have no text, and there was none before. */
  readonly summary: Session.Summary | null
  readonly at: EpochSeconds
}

/** The maximum that a search reads, and gives. */
export const searchLimits = {
  /** The newest sessions, of each the newest runs, and of each the first messages. */
  sessions: 50,
  runs: 20,
  messages: 20,
  /** Longer messages are not searched. */
  messageBytes: 16 * 1024,
  /** The messages of all runs. */
  bytes: 2 * 1024 * 1024,
  words: 10,
  foundSessions: 10,
  foundRuns: 10,
  /** Characters of a run, and of a name. */
  runText: 2000,
  name: 200
} as const

export interface PastQuery {
  readonly user_id: Ids.UserId
  readonly kind: ComponentKind.ComponentKind
  readonly componentId: string
  /** Is not searched. */
  readonly current: Session.Id
  /** A session is found if it has one of them; without words the newest sessions are found. */
  readonly words: ReadonlyArray<string>
  /** How many are found. */
  readonly sessions: number
  readonly runs: number
}

export interface PastSession {
  readonly session_id: Session.Id
  readonly name: string
  readonly created_at: EpochSeconds
  readonly summary: Session.Summary | null
  /** The text of each run, those with the most words first. */
  readonly runs: ReadonlyArray<string>
}

/** The maximum that a search of the history of a session reads, and gives. */
export const historyLimits = {
  /** The newest runs on the path. */
  runs: 500,
  /** The messages of all runs. */
  bytes: 8 * 1024 * 1024,
  /** Longer messages are not searched. */
  messageBytes: 64 * 1024,
  found: 8,
  /** Characters of a message, and how many of them are before the first word. */
  text: 3000,
  before: 500
} as const

export interface HistoryQuery {
  readonly session_id: Session.Id
  /** Only what is before it on its path is searched. */
  readonly run_id: Run.Id
  /** A message is found if it has one of them. */
  readonly words: ReadonlyArray<string>
  /** Results of this tool are not found: they repeat what a search has found. */
  readonly except?: string | undefined
}

/** A message with the most words, the newest first. */
export interface FoundMessage {
  readonly role: string
  /** Empty if it is no result of a tool. */
  readonly tool_name: string
  readonly text: string
}

/** The words of a query, up to a limit. */
export const wordsOf = (query: string): ReadonlyArray<string> =>
  [...new Set(query.match(/[\p{L}\p{N}]+/gu) ?? [])].map((word) => word.slice(0, 50)).slice(0, searchLimits.words)
