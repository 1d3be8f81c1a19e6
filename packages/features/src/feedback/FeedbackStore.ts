// Where feedback on runs is kept. It is removed with its run.
import type * as ComponentKind from "@svc-runtime/domain/ComponentKind"
import type * as Ids from "@svc-runtime/domain/Ids"
import type * as Owner from "@svc-runtime/domain/Owner"
import type * as Pagination from "@svc-runtime/domain/Pagination"
import type * as Run from "@svc-runtime/domain/Run"
import type { StorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import { Context, type Effect, type Option, Schema } from "effect"
import type * as Feedback from "./Feedback.ts"

/** The run has as much feedback as it may have. */
export class FeedbackFull extends Schema.TaggedError<FeedbackFull>()("FeedbackFull", {}) {}

export interface FeedbackFilter {
  /** Of the runs. */
  readonly owner: Owner.Owner
  readonly run_id?: string | undefined
  readonly session_id?: string | undefined
  readonly key?: string | undefined
  readonly source?: Feedback.Source | undefined
  readonly component?: { readonly kind: ComponentKind.ComponentKind; readonly id: string } | undefined
}

export interface FeedbackPage {
  readonly feedback: ReadonlyArray<Feedback.Stored>
  readonly total: number
}

export class FeedbackStore extends Context.Service<FeedbackStore, {
  /**
   * Replaces feedback of the same author, source and key. None if the owner has no such run. `FeedbackFull`: the run
   * has `Feedback.maxPerRun` others.
   */
  readonly put: (
    feedback: Feedback.New,
    owner: Owner.Owner
  ) => Effect.Effect<Option.Option<Feedback.Stored>, FeedbackFull | StorageUnavailable>
  /** In the order of creation. None if the owner has no such run. */
  readonly ofRun: (
    run_id: Run.Id,
    owner: Owner.Owner
  ) => Effect.Effect<Option.Option<ReadonlyArray<Feedback.Stored>>, StorageUnavailable>
  /** Newest first. */
  readonly list: (
    filter: FeedbackFilter,
    page: Pagination.Request
  ) => Effect.Effect<FeedbackPage, StorageUnavailable>
  /** False if the owner has no run with this feedback. */
  readonly remove: (id: Feedback.Id, owner: Owner.Owner) => Effect.Effect<boolean, StorageUnavailable>
  /** What a user has given. */
  readonly removeOf: (user_id: Ids.UserId) => Effect.Effect<number, StorageUnavailable>
}>()("@svc-runtime/features/feedback/FeedbackStore") {}
