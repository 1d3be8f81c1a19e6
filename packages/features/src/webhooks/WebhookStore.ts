// Where webhooks are kept, with the secrets that sign their calls, as they are stored: sealed if there is a key. Only a
// target has secrets.
import type * as Ids from "@svc-runtime/domain/Ids"
import type * as Owner from "@svc-runtime/domain/Owner"
import type * as Pagination from "@svc-runtime/domain/Pagination"
import type { StorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import type * as Time from "@svc-runtime/domain/Time"
import { Context, type Effect, Layer, type Option, type Redacted } from "effect"
import type { SecretRows } from "../secrets/SecretRows.ts"
import type * as Webhook from "./Webhook.ts"
import type * as WebhookDelivery from "./WebhookDelivery.ts"

export interface WebhookPage {
  readonly webhooks: ReadonlyArray<Webhook.Webhook>
  readonly total: number
}

/** The maximum numbers of webhooks. */
export interface Room {
  readonly all: number
  /** Of one user. */
  readonly ofUser: number
}

export interface Rotation {
  readonly secret: Redacted.Redacted
  /** Calls are signed with the replaced secret until then. */
  readonly previousUntil: Time.EpochSeconds
  readonly at: Time.EpochSeconds
}

/** What a call needs. */
export interface Target {
  readonly url: string
  readonly enabled: boolean
  /** The current one, and a replaced one that signs as well. */
  readonly secrets: readonly [Redacted.Redacted, ...ReadonlyArray<Redacted.Redacted>]
}

export interface Failure {
  readonly at: Time.EpochSeconds
  /** Failures in a row after which the webhook is disabled. */
  readonly limit: number
  readonly reason: string
}

interface Store extends SecretRows {
  /** False: there are too many. */
  readonly create: (
    webhook: Webhook.Webhook,
    secret: Redacted.Redacted,
    room: Room
  ) => Effect.Effect<boolean, StorageUnavailable>
  readonly find: (
    id: Webhook.Id,
    owner: Owner.Owner
  ) => Effect.Effect<Option.Option<Webhook.Webhook>, StorageUnavailable>
  /** Newest first. */
  readonly list: (owner: Owner.Owner, page: Pagination.Request) => Effect.Effect<WebhookPage, StorageUnavailable>
  readonly patch: (
    id: Webhook.Id,
    owner: Owner.Owner,
    patch: Webhook.Patch,
    at: Time.EpochSeconds
  ) => Effect.Effect<Option.Option<Webhook.Webhook>, StorageUnavailable>
  /** False: there is none. */
  readonly rotate: (
    id: Webhook.Id,
    owner: Owner.Owner,
    rotation: Rotation
  ) => Effect.Effect<boolean, StorageUnavailable>
  /** False: there is none. */
  readonly remove: (id: Webhook.Id, owner: Owner.Owner) => Effect.Effect<boolean, StorageUnavailable>
  /** The enabled webhooks that want an event. */
  readonly matching: (
    event: Pick<WebhookDelivery.Event, "component" | "last_webhook" | "type">,
    user_id: Ids.UserId | null
  ) => Effect.Effect<ReadonlyArray<Webhook.Id>, StorageUnavailable>
  /** The events that enabled webhooks want. */
  readonly wanted: () => Effect.Effect<ReadonlyArray<Webhook.EventType>, StorageUnavailable>
  readonly target: (
    id: Webhook.Id,
    at: Time.EpochSeconds
  ) => Effect.Effect<Option.Option<Target>, StorageUnavailable>
  /** Sets the number of failures in a row to zero. */
  readonly succeeded: (id: Webhook.Id) => Effect.Effect<void, StorageUnavailable>
  /** Returns whether the webhook is disabled by this failure. */
  readonly failed: (id: Webhook.Id, failure: Failure) => Effect.Effect<boolean, StorageUnavailable>
  /** Those of a user who may no longer act. Returns how many were enabled. */
  readonly disableAll: (
    user_id: Ids.UserId,
    because: Pick<Failure, "at" | "reason">
  ) => Effect.Effect<number, StorageUnavailable>
  /** Counts an event that is not sent. */
  readonly dropped: (id: Webhook.Id) => Effect.Effect<void, StorageUnavailable>
}

export class WebhookStore extends Context.Service<WebhookStore, Store>()(
  "@svc-runtime/features/webhooks/WebhookStore"
) {}

/** The webhooks of the service, for the jobs of all of its databases: they are in the service's own database. */
export class ServiceWebhooks extends Context.Service<ServiceWebhooks, WebhookStore["Service"]>()(
  "@svc-runtime/features/webhooks/WebhookStore/ServiceWebhooks"
) {
  static readonly layer: Layer.Layer<ServiceWebhooks, never, WebhookStore> = Layer.effect(ServiceWebhooks, WebhookStore)
}
