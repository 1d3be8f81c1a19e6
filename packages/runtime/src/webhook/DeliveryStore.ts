// Where the deliveries of webhooks are kept: in the database where the events happened, so that a removed session takes
// them with it. The end of a run and its announcement are stored in one transaction.
import type * as Ids from "@svc/domain/Ids"
import type * as Pagination from "@svc/domain/Pagination"
import type { StorageUnavailable } from "@svc/domain/StorageUnavailable"
import type * as Time from "@svc/domain/Time"
import type * as Webhook from "@svc/domain/Webhook"
import type * as WebhookDelivery from "@svc/domain/WebhookDelivery"
import { Context, Effect, Layer, type Option } from "effect"
import type * as Job from "../jobs/Job.ts"
import { MemoryDatabase } from "../MemoryDatabase.ts"
import type { DeliveryPending } from "./DeliveryPending.ts"
import * as MemoryDeliveries from "./MemoryDeliveries.ts"

export interface DeliveryPage {
  readonly deliveries: ReadonlyArray<WebhookDelivery.Delivery>
  readonly total: number
}

export interface Addition {
  readonly delivery: WebhookDelivery.Delivery
  readonly user_id: Ids.UserId | null
  readonly session_id: string | null
  /** Makes the first attempt. */
  readonly job: Job.NewJob
  /** Undefined: of a request. */
  readonly lease: Job.Lease | undefined
  /** The bytes that may wait for a webhook. */
  readonly queueBytes: number
}

/** `known`: the webhook has a delivery of the event. `full`: too much waits. `lost`: another node has the job. */
export type Added = "added" | "known" | "full" | "lost"

export interface Attempt {
  /** Of the job that made it: the record of an older one changes nothing. */
  readonly job: Job.Id
  readonly status: WebhookDelivery.Status
  readonly status_code: number | null
  readonly error: string | null
  readonly at: Time.EpochSeconds
  /** Makes the next attempt. */
  readonly next: Job.NewJob | undefined
}

export interface Pruning {
  /** Ended ones whose last attempt was before are removed. Undefined: none. */
  readonly endedBefore: Time.EpochSeconds | undefined
  /** Pending ones without an attempt since then have failed. */
  readonly pendingBefore: Time.EpochSeconds
  readonly at: Time.EpochSeconds
  readonly error: string
}

/** What happened, for `announce`. */
export interface Announcement extends Pick<WebhookDelivery.Event, "component" | "data" | "type"> {
  readonly user_id: Ids.UserId | null
  readonly session_id: string | null
}

export class DeliveryStore extends Context.Service<DeliveryStore, {
  /**
   * Stores what happened if a webhook wants such events. Uses the transaction of the caller, if any. Ends and pauses of
   * runs, approvals, evaluations, experiments and failed runs of schedules announce themselves.
   */
  readonly announce: (announcement: Announcement) => Effect.Effect<void, StorageUnavailable>
  /** The events that webhooks of another database want of this one. */
  readonly follow: (events: ReadonlyArray<Webhook.EventType>) => Effect.Effect<void, StorageUnavailable>
  readonly add: (addition: Addition) => Effect.Effect<Added, StorageUnavailable>
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
  /** False: it was not stored, because the delivery is gone, or another job makes its attempts. */
  readonly record: (id: WebhookDelivery.Id, attempt: Attempt) => Effect.Effect<boolean, StorageUnavailable>
  /** Makes an ended delivery pending again, with no attempts. */
  readonly again: (
    webhook: Webhook.Id,
    id: WebhookDelivery.Id,
    job: Job.NewJob
  ) => Effect.Effect<Option.Option<WebhookDelivery.Delivery>, DeliveryPending | StorageUnavailable>
  /** Those of a webhook that was removed. */
  readonly removeOf: (webhook: Webhook.Id) => Effect.Effect<void, StorageUnavailable>
  readonly removeOfUser: (user_id: Ids.UserId) => Effect.Effect<void, StorageUnavailable>
  /** Returns how many changed, at most `prunedAtOnce` of each. */
  readonly prune: (pruning: Pruning) => Effect.Effect<number, StorageUnavailable>
}>()("@svc/runtime/webhook/DeliveryStore") {
  static readonly layerMemory: Layer.Layer<DeliveryStore, never, MemoryDatabase> = Layer.effect(
    DeliveryStore,
    Effect.flatMap(
      MemoryDatabase,
      (database) => Effect.map(MemoryDeliveries.make(database), (store) => DeliveryStore.of(store))
    )
  )
}
