// Calls the address of a webhook. The server provides it, with the rules for addresses that callers name.
import type * as Time from "@svc-runtime/domain/Time"
import { Context, type Effect, type Redacted, Schema } from "effect"

/** The address may not be called. */
export class AddressRejected extends Schema.TaggedError<AddressRejected>()("AddressRejected", {
  message: Schema.String
}) {}

export interface Call {
  readonly url: string
  /** The id of the event. */
  readonly id: string
  readonly at: Time.EpochSeconds
  readonly body: string
  /** The call has a signature with each of them, and no signature without one. */
  readonly secrets: ReadonlyArray<Redacted.Redacted>
  /** Further headers. */
  readonly headers?: Readonly<Record<string, string>> | undefined
}

export interface CallOutcome {
  readonly isSuccess: boolean
  /** Null: there was no response. */
  readonly status_code: number | null
  /** Why the call failed. The text does not contain the address, because its query can have a secret. */
  readonly error: string | null
  /** The seconds that the receiver wants until the next attempt. */
  readonly retryAfter: number
}

export class CallSender extends Context.Service<CallSender, {
  /** Refuses an address that is refused whatever its host resolves to. */
  readonly check: (url: string) => Effect.Effect<void, AddressRejected>
  /** How long a receiver may take to respond (WEBHOOK_TIMEOUT). */
  readonly timeoutSeconds: number
  readonly send: (call: Call) => Effect.Effect<CallOutcome>
}>()("@svc-runtime/http/calls/CallSender") {}
