// Deliveries: calls of webhooks about events, with the attempts that were made.
import * as Json from "@svc-runtime/domain/Json"
import { EpochSeconds, toDateTime } from "@svc-runtime/domain/Time"
import { Schema } from "effect"
import * as Webhook from "./Webhook.ts"

export const Id = Schema.String.pipe(Schema.brand("WebhookDeliveryId"))
export type Id = typeof Id.Type

export const Status = Schema.Literals(["pending", "succeeded", "failed"])
export type Status = typeof Status.Type

/** The event that a test of a webhook sends. */
export const testEvent = "webhook.test"

export const Delivery = Schema.Struct({
  id: Id,
  webhook_id: Webhook.Id,
  /** The same for all deliveries of one event, and for repetitions: the receiver leaves out what it has had. */
  event_id: Schema.String,
  event: Schema.String,
  status: Status,
  attempts: Schema.Natural,
  /** The status of the last response. */
  status_code: Schema.NullOr(Schema.Int),
  /** Why the last attempt failed. */
  error: Schema.NullOr(Schema.String),
  /** The body that is sent. */
  payload: Json.Object,
  created_at: EpochSeconds,
  /** The time of the last attempt. */
  updated_at: Schema.NullOr(EpochSeconds)
}).annotate({ identifier: "WebhookDelivery" })
export type Delivery = typeof Delivery.Type

/** As it is stored in the database where something happened, until the deliveries of it are. */
export const Event = Schema.Struct({
  id: Schema.String,
  type: Webhook.EventType,
  at: EpochSeconds,
  /** Null: it has none. */
  component: Schema.NullOr(Webhook.Source),
  data: Json.Object,
  /** The place of the newest webhook at that time: later ones do not get it. Null: no webhook is in that database. */
  last_webhook: Schema.optionalKey(Schema.NullOr(Schema.Natural))
})
export type Event = typeof Event.Type

/** The body, as Standard Webhooks has it. */
export const payloadOf = (
  { at, data, type }: { readonly type: string; readonly at: EpochSeconds; readonly data: Json.Object }
): Json.Object => ({ type, timestamp: toDateTime(at), data })

/** A new one. */
export const make = (
  { event_id, id, webhook_id, ...event }: Pick<Delivery, "event_id" | "id" | "webhook_id"> & {
    readonly type: string
    readonly at: EpochSeconds
    readonly data: Json.Object
  },
  created_at: EpochSeconds
): Delivery => ({
  id,
  webhook_id,
  event_id,
  event: event.type,
  status: "pending",
  attempts: 0,
  status_code: null,
  error: null,
  payload: payloadOf(event),
  created_at,
  updated_at: null
})
