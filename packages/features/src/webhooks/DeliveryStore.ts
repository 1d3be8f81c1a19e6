// Where the deliveries of webhooks are kept: in the database where the events happened, so that a removed session takes
// them with it. The end of a run and its announcement are stored in one transaction.
import type * as Ids from "@svc-runtime/domain/Ids"
import type * as Pagination from "@svc-runtime/domain/Pagination"
import type { StorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import type * as Time from "@svc-runtime/domain/Time"
import type * as Job from "@svc-runtime/engine/jobs/Job"
import { Context, type Effect, type Option, Schema } from "effect"
import type * as Webhook from "./Webhook.ts"
import type * as WebhookDelivery from "./WebhookDelivery.ts"

/** The bytes that a delivery counts for at least. */
export const minBytes = 512

/** The deliveries that one call prunes. */
export const prunedAtOnce = 500

/** The kind of the jobs that make deliveries of events. */
export const eventKind = "webhook-event"

/** The attempts of a job of an event. */
export const eventAttempts = 100

/** Characters of the error in an event of a schedule. */
export const errorCharacters = 1000

/** An attempt waits. */
export class DeliveryPending extends Schema.TaggedError<DeliveryPending>()("DeliveryPending", {}) {
  override readonly message = "The delivery waits for its next attempt"
}

/** The deliveries that wait for the webhook have as many bytes as may wait. */
export class DeliveryQueueFull extends Schema.TaggedError<DeliveryQueueFull>()("DeliveryQueueFull", {}) {
  override readonly message = "Too many deliveries of the webhook wait (WEBHOOK_QUEUE_MAX_BYTES)"
}

export interface DeliveryPage {
  readonly deliveries: ReadonlyArray<WebhookDelivery.Delivery>
  readonly total: number
}

export interface Addition {
  readonly delivery: WebhookDelivery.Delivery
  /** The job of the first attempt. */
  readonly job: Job.NewJob
}

/** The deliveries of one event, each of another webhook. */
export interface Additions {
  readonly all: ReadonlyArray<Addition>
  readonly user_id: Ids.UserId | null
  readonly session_id: string | null
  /** The lease of the job that adds the deliveries. Undefined: a request adds them. */
  readonly lease: Job.Lease | undefined
  /** The bytes that may wait for a webhook. */
  readonly queueBytes: number
}

/** Of an ended delivery. */
export interface Repetition extends Pick<Additions, "queueBytes"> {
  /** The job of the first attempt. */
  readonly job: Job.NewJob
}

/** `known`: the webhook has a delivery of the event. `full`: too much waits. `lost`: another node has the job. */
export type Added = "added" | "known" | "full" | "lost"

export interface Attempt {
  /** The job that made the attempt. An attempt of an older job is not stored. */
  readonly job: Job.Id
  readonly status: WebhookDelivery.Status
  readonly status_code: number | null
  readonly error: string | null
  /** The calls that were made, this one included. */
  readonly attempts: number
  readonly at: Time.EpochSeconds
  /** The job of the next attempt. */
  readonly next: Job.NewJob | undefined
}

export interface Pruning {
  /** Removes ended deliveries whose last attempt was earlier. Undefined: removes none. */
  readonly endedBefore: Time.EpochSeconds | undefined
  /** Ends pending deliveries without an attempt since then as failed, if no job makes one. */
  readonly pendingBefore: Time.EpochSeconds
  readonly at: Time.EpochSeconds
  readonly error: string
}

/** An event before it has an id and a time. */
export interface Announcement extends Pick<WebhookDelivery.Event, "component" | "data" | "type"> {
  readonly user_id: Ids.UserId | null
  readonly session_id: string | null
}

export class DeliveryStore extends Context.Service<DeliveryStore, {
  /**
   * Stores an event if a webhook wants it. Uses the transaction of the caller, if any. Ends and pauses of
   * runs, approvals, evaluations, experiments and failed runs of schedules announce themselves.
   */
  readonly announce: (announcement: Announcement) => Effect.Effect<void, StorageUnavailable>
  /** Sets which events of this database the webhooks want. They are in the service's own database. */
  readonly follow: (events: ReadonlyArray<Webhook.EventType>) => Effect.Effect<void, StorageUnavailable>
  /** One statement. The outcome of each, in their order. */
  readonly add: (additions: Additions) => Effect.Effect<ReadonlyArray<Added>, StorageUnavailable>
  /** Newest first. */
  readonly list: (
    webhook: Webhook.Id,
    filter: { readonly status: WebhookDelivery.Status | undefined },
    page: Pagination.Request
  ) => Effect.Effect<DeliveryPage, StorageUnavailable>
  readonly find: (
    webhook: Webhook.Id,
    id: WebhookDelivery.Id
  ) => Effect.Effect<Option.Option<WebhookDelivery.Delivery>, StorageUnavailable>
  /** False: it was not stored, because the delivery was removed, or another job makes its attempts. */
  readonly record: (id: WebhookDelivery.Id, attempt: Attempt) => Effect.Effect<boolean, StorageUnavailable>
  /** Makes an ended delivery pending again, with no attempts. */
  readonly again: (
    webhook: Webhook.Id,
    id: WebhookDelivery.Id,
    repetition: Repetition
  ) => Effect.Effect<
    Option.Option<WebhookDelivery.Delivery>,
    DeliveryPending | DeliveryQueueFull | StorageUnavailable
  >
  /** Removes the deliveries of a removed webhook. */
  readonly removeOf: (webhook: Webhook.Id) => Effect.Effect<void, StorageUnavailable>
  readonly removeOfUser: (user_id: Ids.UserId) => Effect.Effect<void, StorageUnavailable>
  /** Returns how many deliveries it removed and ended, at most `prunedAtOnce` of each. */
  readonly prune: (pruning: Pruning) => Effect.Effect<number, StorageUnavailable>
}>()("@svc-runtime/features/webhooks/DeliveryStore") {}
