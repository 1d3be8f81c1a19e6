// What webhooks may take from the service.
import { Context } from "effect"
import type { Room } from "./WebhookStore.ts"

export interface WebhookLimits {
  /** Webhooks of the service (MAX_WEBHOOKS), and of one user (MAX_WEBHOOKS_PER_USER). */
  readonly room: Room
}

export const defaultLimits: WebhookLimits = {
  room: { all: 100, ofUser: 10 }
}

export const WebhookLimits = Context.Reference<WebhookLimits>("@svc/runtime/webhook/WebhookLimits", {
  defaultValue: () => defaultLimits
})
