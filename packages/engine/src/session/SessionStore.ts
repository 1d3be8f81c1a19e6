// Where sessions are kept. A session and its runs are separate rows: nothing here reads or writes a run except to show
// the conversation.
//
// Every call says whose sessions it may touch. What its `Owner` does not cover is absent, in every method alike.
import type * as ComponentKind from "@svc-runtime/domain/ComponentKind"
import type * as Ids from "@svc-runtime/domain/Ids"
import type * as Owner from "@svc-runtime/domain/Owner"
import type * as Pagination from "@svc-runtime/domain/Pagination"
import type * as Run from "@svc-runtime/domain/Run"
import * as Session from "@svc-runtime/domain/Session"
import * as Sort from "@svc-runtime/domain/Sort"
import type { StorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import type * as Time from "@svc-runtime/domain/Time"
import type * as Usage from "@svc-runtime/domain/Usage"
import { Context, type Effect, type Option, Schema } from "effect"
import type { ResponseTooLarge } from "../limits/ResponseLimit.ts"
import type { RunNotFound } from "../run/RunErrors.ts"
import type {
  FoundMessage,
  HistoryQuery,
  NewSummary,
  PastQuery,
  PastSession,
  SummaryThreshold,
  Unsummarized
} from "./SessionSummaries.ts"

// The errors of requests that name a session.

/** Absent, or not the caller's: from outside the two look the same. */
export class SessionNotFound extends Schema.TaggedError<SessionNotFound>()("SessionNotFound", {
  session_id: Session.Id
}) {
  override get message() {
    return `Session with id '${this.session_id}' not found`
  }
}

export class SessionExists extends Schema.TaggedError<SessionExists>()("SessionExists", {
  session_id: Session.Id
}) {
  override get message() {
    return `Session with id '${this.session_id}' already exists. Use PATCH /sessions/${this.session_id} to update it.`
  }
}

/** The columns that a list can be sorted by. `updated_at` falls back to `created_at`. */
export const sortable = [
  "session_id",
  "session_type",
  "session_name",
  "agent_id",
  "team_id",
  "workflow_id",
  "user_id",
  "created_at",
  "updated_at"
] as const

export const isSortable = Sort.isOneOf(sortable)

export interface SessionFilter {
  readonly owner: Owner.Owner
  readonly kind?: ComponentKind.ComponentKind | undefined
  /** The agent, team or workflow that wrote the session. */
  readonly componentId?: string | undefined
  /** A part of the given name of the session, in any case. Derived names do not count. */
  readonly name?: string | undefined
}

export interface SessionComponent {
  readonly kind: ComponentKind.ComponentKind
  readonly id: string
}

export interface SessionPage {
  readonly sessions: ReadonlyArray<Session.Session>
  readonly total: number
  /** Otherwise the sessions beyond `StoreLimits.response` have no state, no metadata and no summary. */
  readonly isWhole: boolean
}

export interface Conversation {
  readonly session: Session.Session
  /** The last run of the path. Null: the path is empty. */
  readonly leaf: Run.Id | null
  /**
   * The chat messages of the runs on the path in their order: a JSON array as text. It is stored in the form it is
   * shown in, so reading a session parses and encodes none of it.
   */
  readonly chat: string
  /** Otherwise the messages of the newest runs, as many as fit into `StoreLimits.response`. */
  readonly isWhole: boolean
}

/** Fields that are given replace the stored ones whole; `updated_at` moves in any case. */
export interface SessionPatch {
  readonly session_name?: string | undefined
  readonly session_state?: Session.Session["session_state"] | undefined
  /** The fields that a replaced state keeps as they are stored. `session_state` has none of them. */
  readonly kept_state?: ReadonlyArray<string> | undefined
  readonly metadata?: Session.Session["metadata"] | undefined
  readonly summary?: Session.Session["summary"] | undefined
  /** The last run of the path from now on. Null: the next run is the first one of its path. */
  readonly leaf?: Run.Id | null | undefined
  readonly updated_at: number
}

export class SessionStore extends Context.Service<SessionStore, {
  readonly find: (
    id: Session.Id,
    owner: Owner.Owner
  ) => Effect.Effect<Option.Option<Session.Session>, StorageUnavailable>
  readonly getConversation: (
    id: Session.Id,
    owner: Owner.Owner
  ) => Effect.Effect<Conversation, SessionNotFound | StorageUnavailable>
  readonly list: (
    filter: SessionFilter,
    page: Pagination.Request,
    sort: Sort.Sort
  ) => Effect.Effect<SessionPage, StorageUnavailable | ResponseTooLarge>
  /** Fails on a used id, whatever its owner, and leaves the stored session untouched. */
  readonly create: (session: Session.Session) => Effect.Effect<void, SessionExists | StorageUnavailable>
  readonly update: (
    id: Session.Id,
    owner: Owner.Owner,
    patch: SessionPatch
  ) => Effect.Effect<Conversation, RunNotFound | SessionNotFound | StorageUnavailable>
  /**
   * Counts a request of a background job, which belongs to no run: in the metrics of the session and in the usage of
   * the hour. Returns the component of the session. None, and nothing is counted, if the session is absent.
   */
  readonly addUsage: (
    id: Session.Id,
    request: Usage.Request,
    at: Time.EpochSeconds
  ) => Effect.Effect<Option.Option<SessionComponent>, StorageUnavailable>
  /** The summary that the run is shown. None if it covers a run that is not on the path of the run. */
  readonly findSummary: (
    id: Session.Id,
    run: Run.Id
  ) => Effect.Effect<Option.Option<Session.Summary>, StorageUnavailable>
  /**
   * What the next summary of the path of a session is made from, if there is enough. An earlier summary that covers
   * another path does not count. Runs before a removal of the summaries of the
   * user do not count, nor do runs after one that has not ended, except for `including`.
   */
  readonly unsummarized: (
    id: Session.Id,
    threshold: SummaryThreshold,
    including?: Run.Id
  ) => Effect.Effect<Option.Option<Unsummarized>, StorageUnavailable>
  /** False, and nothing is stored, if the summary was changed or removed since, or covers the runs. */
  readonly summarize: (summary: NewSummary) => Effect.Effect<boolean, StorageUnavailable>
  /** Searches the newest sessions of a user with one component. Those from before a removal are not found. */
  readonly searchPast: (query: PastQuery) => Effect.Effect<ReadonlyArray<PastSession>, StorageUnavailable>
  /** Searches the messages of the runs before a run, on its path. Nothing is found if the session has no such run. */
  readonly searchHistory: (query: HistoryQuery) => Effect.Effect<ReadonlyArray<FoundMessage>, StorageUnavailable>
  /**
   * Removes the summaries of the sessions of a user, and counts them. Later summaries do not cover the runs that are
   * stored now. `updated_at` stays.
   */
  readonly removeSummaries: (user_id: Ids.UserId) => Effect.Effect<number, StorageUnavailable>
  /** Removes sessions with everything in them. Ids that are absent, or not covered, are passed over. */
  readonly remove: (
    ids: ReadonlyArray<Session.Id>,
    owner: Owner.Owner
  ) => Effect.Effect<void, StorageUnavailable>
}>()("@svc-runtime/engine/session/SessionStore") {}
