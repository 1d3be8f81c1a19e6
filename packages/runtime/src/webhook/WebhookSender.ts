// What calls the address of a webhook. The server has it: it reaches what callers may have called, and nothing else.
import { Context, type Effect, Schema } from "effect"

/** The address may not be called. */
export class AddressRefused extends Schema.TaggedError<AddressRefused>()("AddressRefused", {
  message: Schema.String
}) {}

export class WebhookSender extends Context.Service<WebhookSender, {
  /** What is known of an address before its host is looked up. */
  readonly check: (url: string) => Effect.Effect<void, AddressRefused>
}>()("@svc/runtime/webhook/WebhookSender") {}
