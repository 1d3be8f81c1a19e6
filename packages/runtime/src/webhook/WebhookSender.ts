// What calls the address of a webhook. The server has it: it reaches what callers may have called, and nothing else.
import type * as Time from "@svc/domain/Time"
import { Context, type Effect, type Redacted, Schema } from "effect"

/** The address may not be called. */
export class AddressRefused extends Schema.TaggedError<AddressRefused>()("AddressRefused", {
  message: Schema.String
}) {}

export interface Call {
  readonly url: string
  /** Of the event. */
  readonly id: string
  readonly at: Time.EpochSeconds
  readonly body: string
  /** Each signs the call. */
  readonly secrets: ReadonlyArray<Redacted.Redacted>
  readonly timeoutSeconds: number
}

export interface Answer {
  readonly isSuccess: boolean
  /** Null: there was no answer. */
  readonly status_code: number | null
  /** Why it is no success. It does not have the address, which can have a secret. */
  readonly error: string | null
  /** The seconds that the receiver wants until the next attempt. */
  readonly retryAfter: number
}

export class WebhookSender extends Context.Service<WebhookSender, {
  /** What is known of an address before its host is looked up. */
  readonly check: (url: string) => Effect.Effect<void, AddressRefused>
  readonly send: (call: Call) => Effect.Effect<Answer>
}>()("@svc/runtime/webhook/WebhookSender") {}
