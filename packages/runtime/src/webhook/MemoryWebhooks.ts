// `WebhookStore` in memory.
import * as Owner from "@svc/domain/Owner"
import * as Pagination from "@svc/domain/Pagination"
import * as Webhook from "@svc/domain/Webhook"
import { Effect, Option } from "effect"
import type { MemoryDatabase, StoredWebhook } from "../MemoryDatabase.ts"
import { newestFirst } from "../newestFirst.ts"
import type { WebhookStore } from "./WebhookStore.ts"

export const make = ({ next, webhooks: all }: MemoryDatabase["Service"]): WebhookStore["Service"] => {
  const found = (id: Webhook.Id, owner: Owner.Owner) => {
    const stored = all.get(id)
    return stored !== undefined && Owner.covers(owner, stored.webhook.user_id) ? stored : undefined
  }
  const change = (stored: StoredWebhook, fields: Partial<StoredWebhook>) => {
    const changed = { ...stored, ...fields }
    all.set(changed.webhook.id, changed)
    return changed.webhook
  }
  return {
    create: (webhook, secret, room) =>
      Effect.sync(() => {
        const ofUser = [...all.values()].filter(({ webhook: { user_id } }) => user_id === webhook.user_id)
        if (all.size >= room.all || (webhook.user_id !== null && ofUser.length >= room.ofUser)) return false
        all.set(webhook.id, { sequence: next(), webhook, secret, previous: undefined })
        return true
      }),
    find: (id, owner) => Effect.sync(() => Option.fromUndefinedOr(found(id, owner)?.webhook)),
    list: (owner, page) =>
      Effect.sync(() => {
        const listed = newestFirst(all.values()).filter(({ webhook }) => Owner.covers(owner, webhook.user_id))
        return { webhooks: Pagination.slice(page, listed).map(({ webhook }) => webhook), total: listed.length }
      }),
    patch: (id, owner, patch, at) =>
      Effect.sync(() => {
        const stored = found(id, owner)
        return stored === undefined
          ? Option.none()
          : Option.some(change(stored, { webhook: Webhook.patched(stored.webhook, patch, at) }))
      }),
    rotate: (id, owner, { at, previousUntil, secret }) =>
      Effect.sync(() => {
        const stored = found(id, owner)
        if (stored === undefined) return false
        const webhook = { ...stored.webhook, updated_at: at }
        change(stored, { webhook, secret, previous: { secret: stored.secret, until: previousUntil } })
        return true
      }),
    remove: (id, owner) => Effect.sync(() => found(id, owner) !== undefined && all.delete(id))
  }
}
