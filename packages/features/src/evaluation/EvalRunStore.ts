// Where evaluation runs are kept. The results of the runs of one are stored one by one, so that an evaluation which is
// resumed repeats none; they are removed when it ends.
import type { ComponentKind } from "@svc-runtime/domain/ComponentKind"
import type * as Ids from "@svc-runtime/domain/Ids"
import type * as Json from "@svc-runtime/domain/Json"
import type * as Pagination from "@svc-runtime/domain/Pagination"
import * as Sort from "@svc-runtime/domain/Sort"
import type { StorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import type * as Time from "@svc-runtime/domain/Time"
import type * as Job from "@svc-runtime/engine/jobs/Job"
import type { ResponseTooLarge } from "@svc-runtime/engine/limits/ResponseLimit"
import { Context, type Effect, type Option } from "effect"
import type * as EvalRun from "./EvalRun.ts"

export const isSortable = Sort.isOneOf([
  "id",
  "name",
  "eval_type",
  "agent_id",
  "team_id",
  "workflow_id",
  "model_id",
  "model_provider",
  "evaluated_component_name",
  "created_at",
  "updated_at"
])

export interface EvalRunFilter {
  readonly agent_id?: string | undefined
  readonly team_id?: string | undefined
  readonly workflow_id?: string | undefined
  readonly model_id?: string | undefined
  /** Evaluations of components of this kind. */
  readonly kind?: ComponentKind | undefined
  readonly types?: ReadonlyArray<EvalRun.Type> | undefined
  readonly statuses: ReadonlyArray<EvalRun.Status>
}

export interface EvalRunPage {
  readonly evalRuns: ReadonlyArray<EvalRun.Stored>
  readonly total: number
}

export interface End extends Pick<EvalRun.Stored, "eval_data" | "eval_input" | "error"> {
  readonly status: "COMPLETED" | "FAILED" | "CANCELLED"
}

/** Of an evaluation that has not ended and whose job has ended or was removed. */
export interface Orphaned {
  /** Only evaluations that were made before. */
  readonly before: Time.EpochSeconds
  readonly error: string
}

/** A user whose evaluations may not continue. */
export interface FailedUser {
  readonly user_id: Ids.UserId
  readonly at: Time.EpochSeconds
  readonly error: string
}

export class EvalRunStore extends Context.Service<EvalRunStore, {
  /**
   * With its job. False, and nothing is stored, if as many evaluations as the limit have not ended, or as many of its
   * user as their share. True, and nothing changes, if it is stored already: the reply to an earlier call was lost.
   */
  readonly create: (
    evalRun: EvalRun.Stored,
    job: Job.NewJob,
    limit: number
  ) => Effect.Effect<boolean, StorageUnavailable>
  readonly find: (id: EvalRun.Id) => Effect.Effect<Option.Option<EvalRun.Stored>, StorageUnavailable>
  readonly list: (
    filter: EvalRunFilter,
    page: Pagination.Request,
    sort: Sort.Sort
  ) => Effect.Effect<EvalRunPage, StorageUnavailable | ResponseTooLarge>
  readonly rename: (
    id: EvalRun.Id,
    name: string,
    at: Time.EpochSeconds
  ) => Effect.Effect<Option.Option<EvalRun.Stored>, StorageUnavailable>
  /** Returns the job ids of removed evaluations that had not ended. */
  readonly remove: (ids: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<string>, StorageUnavailable>
  /** Makes it `RUNNING`. None if it has ended, or was removed. */
  readonly begin: (id: EvalRun.Id) => Effect.Effect<Option.Option<EvalRun.Stored>, StorageUnavailable>
  /** Of the runs that have ended, in their order. */
  readonly results: (id: EvalRun.Id) => Effect.Effect<ReadonlyArray<Json.Object>, StorageUnavailable>
  /** The first result of a place counts. False if the evaluation has ended, or was removed. */
  readonly record: (
    id: EvalRun.Id,
    place: number,
    result: Json.Object
  ) => Effect.Effect<boolean, StorageUnavailable>
  /** False if it had ended. */
  readonly finish: (id: EvalRun.Id, end: End) => Effect.Effect<boolean, StorageUnavailable>
  /** Ends the unfinished evaluations of a user as `FAILED`, and counts them. */
  readonly failAll: (failed: FailedUser) => Effect.Effect<number, StorageUnavailable>
  /** Ends evaluations without a job as `FAILED`, some at a time, and counts them. */
  readonly failOrphaned: (orphaned: Orphaned) => Effect.Effect<number, StorageUnavailable>
}>()("@svc-runtime/features/evaluation/EvalRunStore") {}
