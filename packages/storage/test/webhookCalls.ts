// Calls of the store of webhooks, for the tests of plans and of faults.
import * as Owner from "@svc/domain/Owner"
import { WebhookStore } from "@svc/runtime/webhook/WebhookStore"
import { room, secret, webhook } from "@svc/testing/suites/WebhookStoreSuite"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** Each user has a hundred. */
export const fillWebhooks = Effect.fnUntraced(function*(rows: number) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    insert into svc_webhooks (id, url, events, user_id, enabled, secret, created_at)
    select 'webhook-' || number, 'https://a.example', '{run.completed}', 'user-' || number % 100, true, 'a', 1
    from generate_series(1, ${rows}::int) as number`
})

export const webhookCalls = Effect.gen(function*() {
  const webhooks = yield* WebhookStore
  const one = webhook()
  const owner = Owner.anyone
  return {
    "webhooks.create": webhooks.create(one, secret, room),
    "webhooks.find": webhooks.find(one.id, owner),
    "webhooks.list": webhooks.list(owner, { page: 1, limit: 1 }),
    "webhooks.patch": webhooks.patch(one.id, owner, { description: "a" }, 1),
    "webhooks.rotate": webhooks.rotate(one.id, owner, { secret, previousUntil: 1, at: 1 }),
    "webhooks.remove": webhooks.remove(one.id, owner)
  }
})
