// `WebhookStore` in memory.
import * as Owner from "@svc-runtime/domain/Owner"
import * as Pagination from "@svc-runtime/domain/Pagination"
import * as Webhook from "@svc-runtime/features/webhooks/Webhook"
import type { WebhookStore } from "@svc-runtime/features/webhooks/WebhookStore"
import { Effect, Option, Redacted } from "effect"
import { type MemoryDatabase, newestFirst } from "./MemoryDatabase.ts"
import { memorySecretRows } from "./memorySecretRows.ts"
import type { StoredWebhook } from "./StoredWebhooks.ts"

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
  const enabled = () => [...all.values()].flatMap(({ webhook }) => webhook.enabled ? [webhook] : [])
  const count = (id: Webhook.Id, counted: (webhook: Webhook.Webhook) => Partial<Webhook.Webhook>) =>
    Effect.sync(() => {
      const stored = all.get(id)
      if (stored !== undefined) change(stored, { webhook: { ...stored.webhook, ...counted(stored.webhook) } })
    })
  const secretRows = memorySecretRows(
    () =>
      newestFirst(all.values()).toReversed().map(({ previous, secret, sequence, webhook: { id } }) => ({
        seq: sequence,
        row: Webhook.rowOf(id),
        secrets: [Redacted.value(secret), previous === undefined ? null : Redacted.value(previous.secret)]
      })),
    (seq, [secret = null, previous = null]) => {
      const stored = [...all.values()].find(({ sequence }) => sequence === seq)
      if (stored === undefined || secret === null) return
      const until = stored.previous?.until ?? 0
      change(stored, {
        secret: Redacted.make(secret),
        previous: previous === null ? undefined : { secret: Redacted.make(previous), until }
      })
    }
  )
  return {
    ...secretRows,
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
    remove: (id, owner) => Effect.sync(() => found(id, owner) !== undefined && all.delete(id)),
    matching: ({ component, last_webhook = null, type }, user_id) =>
      Effect.sync(() =>
        enabled().flatMap((webhook) =>
          (last_webhook === null || (all.get(webhook.id)?.sequence ?? 0) <= last_webhook) &&
            webhook.events.includes(type) && (webhook.user_id === null || webhook.user_id === user_id) &&
            (webhook.component === null ||
              (webhook.component.kind === component?.kind && webhook.component.id === component.id))
            ? [webhook.id]
            : []
        )
      ),
    wanted: () => Effect.sync(() => [...new Set(enabled().flatMap(({ events }) => events))]),
    target: (id, at) =>
      Effect.sync(() =>
        Option.map(Option.fromUndefinedOr(all.get(id)), ({ previous, secret, webhook: { enabled, url } }) => ({
          url,
          enabled,
          secrets: previous === undefined || previous.until <= at ? [secret] : [secret, previous.secret]
        }))
      ),
    succeeded: (id) => count(id, () => ({ failures: 0 })),
    failed: (id, { at, limit, reason }) =>
      Effect.sync(() => {
        const stored = all.get(id)
        if (stored === undefined || !stored.webhook.enabled) return false
        const failures = stored.webhook.failures + 1
        const isDisabled = failures >= limit
        const fields = isDisabled ? { enabled: false, disabled_reason: reason, updated_at: at } : {}
        change(stored, { webhook: { ...stored.webhook, failures, ...fields } })
        return isDisabled
      }),
    disableAll: (user_id, { at, reason }) =>
      Effect.sync(() => {
        const disabled = [...all.values()].filter(({ webhook }) => webhook.user_id === user_id && webhook.enabled)
        for (const stored of disabled) {
          change(stored, { webhook: { ...stored.webhook, enabled: false, disabled_reason: reason, updated_at: at } })
        }
        return disabled.length
      }),
    dropped: (id) => count(id, ({ dropped }) => ({ dropped: dropped + 1 }))
  }
}
