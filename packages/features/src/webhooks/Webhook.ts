// Webhooks: addresses that the service calls when something happened. Their secrets sign the calls. Only the
// response that creates or replaces a secret has it.
import * as ComponentKind from "@svc-runtime/domain/ComponentKind"
import { exact, IdInput, UserId, UserIdInput } from "@svc-runtime/domain/Ids"
import { EpochSeconds } from "@svc-runtime/domain/Time"
import { Schema, Struct } from "effect"

export const Id = Schema.String.pipe(Schema.brand("WebhookId"))
export type Id = typeof Id.Type

/** What its secrets are sealed for. */
export const rowOf = (id: Id): string => `webhook:${id}`

export const EventType = Schema.Literals([
  "run.completed",
  "run.failed",
  "run.cancelled",
  "run.paused",
  "approval.created",
  "approval.resolved",
  "schedule.failed",
  "evaluation.completed",
  "experiment.completed",
  "budget.warned",
  "budget.exhausted",
  "rollout.stopped"
])
export type EventType = typeof EventType.Type

/** The component whose events are sent. */
export const Source = Schema.Struct({ kind: ComponentKind.ComponentKind, id: IdInput }).annotate({
  identifier: "WebhookComponent"
})
export type Source = typeof Source.Type

const isDistinct = Schema.makeFilter((events: ReadonlyArray<string>) => new Set(events).size === events.length, {
  message: "Input should name each event once",
  problem: "value_error"
})

// oxlint-disable-next-line no-control-regex
const isUnbroken = Schema.makeFilter((url: string) => !/[\s\u0000-\u001f\u007f]/.test(url), {
  message: "Input should have no spaces or control characters",
  problem: "value_error"
})

const fields = {
  url: Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(2048), exact, isUnbroken),
  events: Schema.Array(EventType).check(Schema.isMinLength(1), isDistinct)
}

const optional = {
  description: Schema.optionalKey(Schema.NullOr(Schema.String.check(Schema.isMaxLength(1024), exact))),
  component: Schema.optionalKey(Schema.NullOr(Source)),
  enabled: Schema.optionalKey(Schema.Boolean)
}

export const Create = Schema.Struct({
  ...fields,
  ...optional,
  /** The user whose events are sent. All events, when left out. */
  user_id: Schema.optionalKey(Schema.NullOr(UserIdInput))
}).annotate({ identifier: "WebhookCreate" })
export type Create = typeof Create.Type

export const Patch = Schema.Struct({
  url: Schema.optionalKey(fields.url),
  events: Schema.optionalKey(fields.events),
  ...optional
}).annotate({ identifier: "WebhookUpdate" })
export type Patch = typeof Patch.Type

export const Webhook = Schema.Struct({
  id: Id,
  url: Schema.String,
  description: Schema.NullOr(Schema.String),
  events: Schema.Array(EventType),
  /** Null: all components. */
  component: Schema.NullOr(Source),
  /** Whose events are sent. Null: those of all users. */
  user_id: Schema.NullOr(UserId),
  enabled: Schema.Boolean,
  /** Why the service has disabled it. */
  disabled_reason: Schema.NullOr(Schema.String),
  /** Deliveries that failed since the last one that succeeded. */
  failures: Schema.Natural,
  /** Events that were not sent, because too many waited. */
  dropped: Schema.Natural,
  created_at: EpochSeconds,
  updated_at: Schema.NullOr(EpochSeconds)
})
export type Webhook = typeof Webhook.Type

/** In responses. */
export const Shown = Schema.Struct({
  ...Webhook.fields,
  /** The code of the service declares it, so requests only enable and disable it. */
  declared: Schema.Boolean,
  /** Why calls cannot be signed. Null: they can be. */
  secret_problem: Schema.NullOr(Schema.String)
}).annotate({ identifier: "Webhook" })

export const Created = Schema.Struct({
  ...Shown.fields,
  /** Only this response has it. */
  secret: Schema.String
}).annotate({ identifier: "WebhookCreated" })

/** The response to a request that replaces the secret. */
export const Rotated = Schema.Struct({
  ...Struct.pick(Webhook.fields, ["id"]),
  secret: Schema.String,
  /** Until then calls are signed with the replaced secret as well. */
  previous_until: EpochSeconds
}).annotate({ identifier: "WebhookSecret" })

/** A new webhook. */
export const make = (
  { component, description, enabled, events, url }: Create,
  { at, id, user_id }: { readonly at: EpochSeconds; readonly id: Id; readonly user_id: UserId | null }
): Webhook => ({
  id,
  url,
  description: description ?? null,
  events,
  component: component ?? null,
  user_id,
  enabled: enabled ?? true,
  disabled_reason: null,
  failures: 0,
  dropped: 0,
  created_at: at,
  updated_at: null
})

/** The events without a user. Those without a component are among them. */
const withoutUser: ReadonlyArray<EventType> = ["schedule.failed", "evaluation.completed"]
const withoutComponent: ReadonlyArray<EventType> = ["schedule.failed"]

/** Why none of its events would be sent. */
export const problemOf = (
  { component, events, user_id }: Pick<Webhook, "component" | "events" | "user_id">
): string | undefined => {
  const isNever = (without: ReadonlyArray<EventType>) => events.every((event) => without.includes(event))
  const owner = user_id !== null && isNever(withoutUser)
    ? "user_id"
    : component !== null && isNever(withoutComponent)
    ? "component"
    : undefined
  return owner && `A webhook with a ${owner} gets no event that has none: ${events.join(", ")}`
}

/** Enabling a webhook sets the number of its failures to zero. */
export const patched = (webhook: Webhook, patch: Patch, at: EpochSeconds): Webhook => ({
  ...webhook,
  ...patch,
  ...(patch.enabled === true ? { disabled_reason: null, failures: 0 } : {}),
  updated_at: at
})
