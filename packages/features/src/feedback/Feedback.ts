// Feedback on runs: a score that a user or a scorer gave the answer of a run. Who may read the run may read all of its
// feedback.
import { ComponentKind, idsOf } from "@svc-runtime/domain/ComponentKind"
import { Name, UserId, UserIdInput } from "@svc-runtime/domain/Ids"
import * as Run from "@svc-runtime/domain/Run"
import { optional } from "@svc-runtime/domain/schema/optional"
import * as Session from "@svc-runtime/domain/Session"
import { DateTime, EpochSeconds, toDateTime } from "@svc-runtime/domain/Time"
import { Schema } from "effect"

export const Id = Schema.String.pipe(Schema.brand("FeedbackId"))
export type Id = typeof Id.Type

/** Scorers are part of the service: code of an agent, or a judge. */
export const Source = Schema.Literals(["user", "scorer"])
export type Source = typeof Source.Type

/** A number, a yes or no, or a label. */
export const Score = Schema.Union([Schema.Finite, Schema.Boolean, Schema.String])
export type Score = typeof Score.Type

/** The key of feedback that names none. */
export const defaultKey = "rating"

/** How many one run can have. */
export const maxPerRun = 200

/** How far a score can be from 0. Means of scores are computed without an overflow. */
export const maxScore = 1_000_000

export const maxComment = 4000

/** A caller gives one for each key; the next one of the same key replaces it. */
export const Create = Schema.Struct({
  score: Schema.Union([
    Schema.Finite.check(Schema.isBetween({ minimum: -maxScore, maximum: maxScore })),
    Schema.Boolean,
    Name
  ]),
  comment: optional(Schema.String.check(Schema.isMaxLength(maxComment))),
  /** The property that is rated. */
  key: optional(Name),
  /** Used if the credential names no user. */
  user_id: optional(UserIdInput)
}).annotate({ identifier: "FeedbackInput" })
export type Create = typeof Create.Type

const given = {
  id: Id,
  run_id: Run.Id,
  /** Who gave it. */
  user_id: Schema.NullOr(UserId),
  source: Source,
  key: Schema.String,
  score: Score,
  comment: Schema.NullOr(Schema.String)
}

/** Before its run is known. */
export const New = Schema.Struct({ ...given, at: EpochSeconds })
export type New = typeof New.Type

const of = { session_id: Session.Id, kind: ComponentKind, component_id: Schema.String }

/** In a database. */
export const Stored = Schema.Struct({ ...given, ...of, created_at: EpochSeconds, updated_at: EpochSeconds })
export type Stored = typeof Stored.Type

const text = Schema.NullOr(Schema.String)

export const Feedback = Schema.Struct({
  ...given,
  session_id: Session.Id,
  agent_id: text,
  team_id: text,
  workflow_id: text,
  created_at: DateTime,
  updated_at: DateTime
}).annotate({ identifier: "Feedback" })
export type Feedback = typeof Feedback.Type

export const toFeedback = ({ component_id, created_at, kind, updated_at, ...given }: Stored): Feedback => ({
  ...given,
  ...idsOf(kind, component_id),
  created_at: toDateTime(created_at),
  updated_at: toDateTime(updated_at)
})
