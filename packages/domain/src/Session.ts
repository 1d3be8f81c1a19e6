// A session: the row that groups runs. On the wire it has one of three shapes, by the kind of its component. Items of a
// list are shorter and have one shape.
import { Schema } from "effect"
import { ComponentKind } from "./ComponentKind.ts"
import { exact, IdInput, UserId, UserIdInput } from "./Ids.ts"
import * as Json from "./Json.ts"
import { Message } from "./Message.ts"
import { optional } from "./schema/optional.ts"
import { DateTime, type EpochSeconds, toDateTime } from "./Time.ts"
import { SessionMetrics, zero } from "./Usage.ts"

export const Id = Schema.String.check(exact).pipe(Schema.brand("SessionId"))
export type Id = typeof Id.Type

export const Summary = Schema.Struct({
  summary: Schema.String,
  topics: Schema.optionalKey(Schema.Array(Schema.String)),
  updated_at: Schema.optionalKey(Schema.String)
}).annotate({ identifier: "SessionSummary" })
export type Summary = typeof Summary.Type

/** A stored session. The three shapes are derived from it and from its runs. */
export interface Session {
  readonly session_id: Id
  readonly session_type: ComponentKind
  readonly agent_id: string | null
  readonly team_id: string | null
  readonly workflow_id: string | null
  readonly user_id: UserId | null
  /** The given name. A session without one has its `derived_name`. */
  readonly session_name: string | null
  /** The input of the first run, shortened; null before the first run. */
  readonly derived_name: string | null
  readonly session_state: Json.Object | null
  readonly session_metrics: SessionMetrics | null
  /** Name, id and model of the component of the last run. */
  readonly component_data: Json.Object | null
  readonly metadata: Json.Object | null
  readonly summary: Summary | null
  readonly created_at: EpochSeconds
  readonly updated_at: EpochSeconds
}

/** A new session with copies of another session's runs. */
export const Forked = Schema.Struct({ session_id: Id, forked_from_session_id: Id })
  .annotate({ identifier: "SessionForked" })
export type Forked = typeof Forked.Type

const shared = {
  session_id: Id,
  session_name: Schema.String,
  user_id: optional(UserId),
  session_summary: optional(Summary),
  session_state: optional(Json.Object),
  metadata: optional(Json.Object),
  created_at: optional(DateTime),
  updated_at: optional(DateTime),
  /** The last run of the path; null while the path is empty. */
  current_run_id: optional(Schema.String)
}

const conversation = {
  total_tokens: optional(Schema.Int),
  metrics: optional(SessionMetrics),
  chat_history: optional(Schema.Array(Message))
}

const componentData = optional(Json.Object)
const componentId = optional(Schema.String)

export const AgentSession = Schema.Struct({
  agent_session_id: Id,
  ...shared,
  ...conversation,
  agent_id: componentId,
  agent_data: componentData
}).annotate({ identifier: "AgentSessionDetailSchema" })
export type AgentSession = typeof AgentSession.Type

export const TeamSession = Schema.Struct({
  ...shared,
  ...conversation,
  team_id: componentId,
  team_data: componentData
}).annotate({ identifier: "TeamSessionDetailSchema" })
export type TeamSession = typeof TeamSession.Type

/** Distinguishes the shape of workflows, which has no required key of its own. */
const workflowKeys = ["workflow_id", "workflow_name", "session_data", "workflow_data"]
const isOfWorkflow = Schema.makeFilter((session: object) => workflowKeys.some((key) => key in session))

export const WorkflowSession = Schema.Struct({
  ...shared,
  workflow_id: componentId,
  workflow_name: optional(Schema.String),
  session_data: optional(Json.Object),
  workflow_data: componentData
}).check(isOfWorkflow).annotate({ identifier: "WorkflowSessionDetailSchema" })
export type WorkflowSession = typeof WorkflowSession.Type

// The team's shape comes last: it has no required key of its own, and would match the others.
export const Detail = Schema.Union([AgentSession, WorkflowSession, TeamSession])
export type Detail = typeof Detail.Type

export const Item = Schema.Struct({
  session_id: Id,
  session_name: Schema.String,
  session_state: Schema.optionalKey(Json.Object),
  created_at: Schema.optionalKey(DateTime),
  updated_at: Schema.optionalKey(DateTime),
  session_type: Schema.optionalKey(ComponentKind),
  user_id: Schema.optionalKey(UserId),
  agent_id: Schema.optionalKey(Schema.String),
  team_id: Schema.optionalKey(Schema.String),
  workflow_id: Schema.optionalKey(Schema.String),
  session_summary: Schema.optionalKey(Summary),
  metrics: Schema.optionalKey(SessionMetrics),
  total_tokens: Schema.optionalKey(Schema.Int),
  metadata: Schema.optionalKey(Json.Object)
}).annotate({ identifier: "SessionSchema" })
export type Item = typeof Item.Type

export const Create = Schema.Struct({
  session_id: optional(IdInput),
  session_name: optional(Schema.String),
  session_state: optional(Json.Input),
  metadata: optional(Json.Input),
  user_id: optional(UserIdInput),
  agent_id: optional(IdInput),
  team_id: optional(IdInput),
  workflow_id: optional(IdInput)
}).annotate({ identifier: "CreateSessionRequest" })
export type Create = typeof Create.Type

export const Rename = Schema.Struct({ session_name: Schema.String }).annotate({ identifier: "RenameSessionRequest" })
export type Rename = typeof Rename.Type

/** Each non-null value replaces the stored value as a whole, without merging. `current_run_id` moves the leaf. */
export const Patch = Schema.Struct({
  session_name: optional(Schema.String),
  session_state: optional(Json.Input),
  metadata: optional(Json.Input),
  summary: optional(Summary),
  current_run_id: optional(Schema.String)
}).annotate({ identifier: "UpdateSessionRequest" })
export type Patch = typeof Patch.Type

export const Remove = Schema.Struct({
  session_ids: Schema.Array(Id).check(Schema.isMinLength(1)),
  session_types: Schema.Array(ComponentKind).check(Schema.isMinLength(1))
}).annotate({ identifier: "DeleteSessionRequest" })
export type Remove = typeof Remove.Type

/** The given name (which can be empty), else the input of the first run, else nothing. */
export const nameOf = (session: Session): string => session.session_name ?? session.derived_name ?? ""

/** Null until a run was stored. Otherwise it has every integer counter. */
const metricsOf = (session: Session): SessionMetrics | null =>
  session.session_metrics === null && session.session_name === null && session.session_state === null
    ? null
    : { ...zero, ...session.session_metrics }

/** A summary without a time has the time of the session's last change. */
const summaryOf = ({ summary, updated_at }: Session): Summary | null =>
  summary === null ? null : { ...summary, updated_at: summary.updated_at ?? toDateTime(updated_at) }

/** The component of the session; null before its first run. */
export const componentIdOf = (session: Pick<Session, "agent_id" | "team_id" | "workflow_id">): string | null =>
  session.agent_id ?? session.team_id ?? session.workflow_id

const totalTokens = (session: Session): number | null => session.session_metrics?.total_tokens ?? null

/**
 * A detail without `chat_history`, which is stored with the runs and added when the response is written. Every read
 * makes one, so these are plain literals: spreading a common part takes longer than encoding them.
 */
export const toDetail = (session: Session, kind: ComponentKind): Detail => {
  switch (kind) {
    case "agent":
      return {
        agent_session_id: session.session_id,
        user_id: session.user_id,
        session_id: session.session_id,
        session_name: nameOf(session),
        session_summary: summaryOf(session),
        session_state: session.session_state,
        metadata: session.metadata,
        created_at: toDateTime(session.created_at),
        updated_at: toDateTime(session.updated_at),
        total_tokens: totalTokens(session),
        metrics: metricsOf(session),
        agent_id: session.agent_id,
        agent_data: session.component_data
      }
    case "team":
      return {
        user_id: session.user_id,
        session_id: session.session_id,
        session_name: nameOf(session),
        session_summary: summaryOf(session),
        session_state: session.session_state,
        metadata: session.metadata,
        created_at: toDateTime(session.created_at),
        updated_at: toDateTime(session.updated_at),
        total_tokens: totalTokens(session),
        metrics: metricsOf(session),
        team_id: session.team_id,
        team_data: session.component_data
      }
    case "workflow":
      return {
        user_id: session.user_id,
        session_id: session.session_id,
        session_name: nameOf(session),
        session_summary: summaryOf(session),
        session_state: session.session_state,
        metadata: session.metadata ?? {},
        created_at: toDateTime(session.created_at),
        updated_at: toDateTime(session.updated_at),
        workflow_id: session.workflow_id,
        workflow_name: nameIn(session.component_data),
        session_data: sessionData(session),
        workflow_data: session.component_data ?? {}
      }
  }
}

const nameIn = (data: Json.Object | null): string | null => typeof data?.["name"] === "string" ? data["name"] : null

/** Sessions of workflows have no chat. */
export const hasChat = (detail: Detail): boolean => !("workflow_id" in detail)

const sessionData = (session: Session): Json.Object => ({
  ...(session.session_name === null ? {} : { session_name: session.session_name }),
  ...(session.session_state === null ? {} : { session_state: session.session_state }),
  ...(session.session_metrics === null ? {} : { session_metrics: session.session_metrics as Json.Object })
})

export const toItem = (session: Session): Item => {
  const metrics = metricsOf(session)
  const summary = summaryOf(session)
  const tokens = totalTokens(session)
  return {
    session_id: session.session_id,
    session_name: nameOf(session),
    ...(session.session_state === null ? {} : { session_state: session.session_state }),
    created_at: toDateTime(session.created_at),
    updated_at: toDateTime(session.updated_at),
    session_type: session.session_type,
    ...(session.user_id === null ? {} : { user_id: session.user_id }),
    ...(session.agent_id === null ? {} : { agent_id: session.agent_id }),
    ...(session.team_id === null ? {} : { team_id: session.team_id }),
    ...(session.workflow_id === null ? {} : { workflow_id: session.workflow_id }),
    ...(summary === null ? {} : { session_summary: summary }),
    ...(metrics === null ? {} : { metrics }),
    ...(tokens === null ? {} : { total_tokens: tokens }),
    ...(session.metadata === null ? {} : { metadata: session.metadata })
  }
}
