// Stores learnings. Every method takes an `Owner`: what it does not cover is absent. Users read learnings without an
// owner too, but never change them.
import type * as Ids from "@svc-runtime/domain/Ids"
import type * as Json from "@svc-runtime/domain/Json"
import type * as Owner from "@svc-runtime/domain/Owner"
import type * as Pagination from "@svc-runtime/domain/Pagination"
import type * as Session from "@svc-runtime/domain/Session"
import type * as Sort from "@svc-runtime/domain/Sort"
import type { StorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import type * as Time from "@svc-runtime/domain/Time"
import type { ResponseTooLarge } from "@svc-runtime/engine/limits/ResponseLimit"
import { Context, type Effect, type Option } from "effect"
import type { ChangeOutcome, ChangeSource } from "../memory/ChangeSource.ts"
import type * as Learning from "./Learning.ts"
import type { LearningExists, LearningNotFound, TooManyLearnings } from "./LearningErrors.ts"
import type { LearningFilter, LearningSort } from "./LearningFilter.ts"
import type * as LearningShape from "./LearningShape.ts"

export interface LearningPage {
  readonly learnings: ReadonlyArray<Learning.Learning>
  readonly total: number
}

export interface UserFilter {
  readonly owner: Owner.Owner
  readonly learning_type: string | undefined
}

export interface UserSort {
  readonly by: "user_id" | "last_learning_updated_at"
  readonly order: Sort.Order
}

export interface UserPage {
  readonly users: ReadonlyArray<Learning.User>
  readonly total: number
}

/** Given fields replace the stored ones. */
export interface LearningPatch {
  readonly content?: Json.Object | undefined
  readonly metadata?: Json.Object | null | undefined
  readonly updated_at: Time.EpochSeconds
}

/** Where a run finds learnings. */
export interface LearningScope {
  readonly user_id: Ids.UserId | undefined
  readonly session_id: Session.Id
  readonly namespace: string
  /** Whose the learnings of the namespace are; null for all users. */
  readonly owner: Ids.UserId | null
  readonly types: ReadonlyArray<LearningShape.Type>
}

export interface LearningUpdate
  extends ChangeSource, Pick<LearningScope, "namespace" | "owner" | "session_id" | "user_id">
{
  readonly session_id: Session.Id
  /** The learnings that the update reads and changes. No other update changes them meanwhile. */
  readonly ids: ReadonlyArray<Learning.Id>
  /** Makes of the stored learnings those to store. */
  readonly change: (found: ReadonlyMap<Learning.Id, Learning.Learning>) => ReadonlyArray<Learning.Learning>
}

export interface AppliedUpdate extends ChangeOutcome {
  /** Learnings that were not stored: the id belongs to another owner, or the namespace or the user has no room. */
  readonly refused: number
}

export class LearningStore extends Context.Service<LearningStore, {
  /** Fails on a used id, whatever its owner, and leaves the stored learning unchanged. */
  readonly create: (
    learning: Learning.Learning,
    /** Who proposes a learning without an owner. Default: a caller whose number of learnings is not limited. */
    proposed_by?: Ids.UserId
  ) => Effect.Effect<void, LearningExists | StorageUnavailable | TooManyLearnings>
  /** A learning that the owner may read: `Owner.reads`. */
  readonly find: (
    id: Learning.Id,
    owner: Owner.Owner
  ) => Effect.Effect<Option.Option<Learning.Learning>, StorageUnavailable>
  readonly list: (
    filter: LearningFilter,
    page: Pagination.Request,
    sort: LearningSort
  ) => Effect.Effect<LearningPage, StorageUnavailable | ResponseTooLarge>
  /** Of a learning that the owner covers. Never makes one. */
  readonly update: (
    id: Learning.Id,
    owner: Owner.Owner,
    patch: LearningPatch
  ) => Effect.Effect<Learning.Learning, LearningNotFound | StorageUnavailable>
  readonly remove: (id: Learning.Id, owner: Owner.Owner) => Effect.Effect<void, LearningNotFound | StorageUnavailable>
  /** The users who have learnings, each with the time of the last change. */
  readonly listUsers: (
    filter: UserFilter,
    page: Pagination.Request,
    sort: UserSort
  ) => Effect.Effect<UserPage, StorageUnavailable>
  /** Removes the learnings that a user has or has proposed, and returns how many there were. */
  readonly removeOf: (
    user_id: Ids.UserId,
    learning_type?: string
  ) => Effect.Effect<number, StorageUnavailable>
  /**
   * What a run may use, within `relevantLimits`: the records of its user and session, then the newest of its namespace.
   * Proposed learnings and those of other owners are left out.
   */
  readonly relevant: (scope: LearningScope) => Effect.Effect<ReadonlyArray<Learning.Learning>, StorageUnavailable>
  /** One transaction. Only learnings of the user, or of the owner of the namespace, change. */
  readonly apply: (
    update: LearningUpdate,
    at: Time.EpochSeconds
  ) => Effect.Effect<AppliedUpdate, StorageUnavailable>
}>()("@svc-runtime/features/learning/LearningStore") {}
