// The stores of webhooks and of deliveries, for the tests that call all stores.
import * as Owner from "@svc-runtime/domain/Owner"
import type { CheckedStores } from "@svc-runtime/test-support/stores/CheckedStores"
import { userId } from "@svc-runtime/test-support/suites/Samples"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { DeliveryStore } from "../DeliveryStore.ts"
import { WebhookStore } from "../WebhookStore.ts"
import { addition, additions, attemptJob } from "./DeliveryStoreSuite.ts"
import { room, secret, webhook } from "./WebhookStoreSuite.ts"

/** Each user has a hundred. Each webhook has one delivery, and one in a hundred of them waits. */
const fill = Effect.fnUntraced(function*(rows: number) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    insert into svc_webhooks (id, url, events, user_id, enabled, secret, created_at)
    select 'webhook-' || number, 'https://a.example', '{run.completed}', 'user-' || number % 100, true, 'a', 1
    from generate_series(1, ${rows}::int) as number`
  yield* sql`
    insert into svc_webhook_deliveries (
      id, webhook_id, event_id, event, user_id, session_id, payload, bytes, status, job_id, created_at
    )
    select 'delivery-' || number, 'webhook-' || number, 'event-' || number, 'run.completed', 'user-' || number % 100,
      'session-' || number, '{}', 512, case number % 100 when 0 then 'pending' else 'succeeded' end, 'job-' || number,
      number + 1000
    from generate_series(1, ${rows}::int) as number`
})

const calls = Effect.gen(function*() {
  const [webhooks, deliveries] = [yield* WebhookStore, yield* DeliveryStore]
  const one = webhook()
  const owner = Owner.anyone
  const added = addition(one.id)
  const { id } = added.delivery
  const page = { page: 1, limit: 1 }
  const attempt = {
    job: added.job.id,
    status: "succeeded",
    status_code: 200,
    error: null,
    attempts: 1,
    at: 1,
    next: undefined
  } as const
  return {
    "webhooks.create": webhooks.create(one, secret, room),
    "webhooks.find": webhooks.find(one.id, owner),
    "webhooks.list": webhooks.list(owner, page),
    "webhooks.patch": webhooks.patch(one.id, owner, { description: "a" }, 1),
    "webhooks.rotate": webhooks.rotate(one.id, owner, { secret, previousUntil: 1, at: 1 }),
    "webhooks.matching": webhooks.matching({ type: "run.completed", component: null }, null),
    "webhooks.wanted": webhooks.wanted(),
    "webhooks.target": webhooks.target(one.id, 1),
    "webhooks.succeeded": webhooks.succeeded(one.id),
    "webhooks.failed": webhooks.failed(one.id, { at: 1, limit: 5, reason: "It failed" }),
    "webhooks.dropped": webhooks.dropped(one.id),
    "webhooks.disableAll": webhooks.disableAll(userId(), { at: 1, reason: "It was revoked" }),
    "webhooks.oldSecrets": webhooks.oldSecrets("sealed:1:key:", 0),
    "webhooks.replaceSecrets": webhooks.replaceSecrets({ seq: 1, row: "a", secrets: ["a", null] }, ["b", null]),
    "webhooks.remove": webhooks.remove(one.id, owner),
    "deliveries.announce": deliveries.announce({
      type: "schedule.failed",
      component: null,
      data: {},
      user_id: null,
      session_id: null
    }),
    "deliveries.follow": deliveries.follow([]),
    "deliveries.add": deliveries.add(additions([added])),
    "deliveries.add, of a job": deliveries.add(additions([added], { lease: { id: added.job.id, lease: 1 } })),
    "deliveries.list": deliveries.list(one.id, { status: undefined }, page),
    "deliveries.list, of a status": deliveries.list(one.id, { status: "failed" }, page),
    "deliveries.find": deliveries.find(one.id, id),
    "deliveries.record": deliveries.record(id, attempt),
    "deliveries.again": deliveries.again(one.id, id, { job: attemptJob(), queueBytes: 1 }),
    "deliveries.removeOf": deliveries.removeOf(one.id),
    "deliveries.removeOfUser": deliveries.removeOfUser(userId()),
    "deliveries.prune": deliveries.prune({ endedBefore: 1, pendingBefore: 1, at: 1, error: "gone" })
  }
})

export const stores: CheckedStores = {
  history: { webhooks: ["tables"] },
  tables: ["svc_followed_events", "svc_webhook_deliveries", "svc_webhooks"],
  calls,
  ofOneRow: ["webhooks.find", "webhooks.patch", "webhooks.target", "deliveries.find", "deliveries.again"],
  fill,
  unbounded: {
    "webhooks.oldSecrets": "reads all webhooks, which are few",
    "webhooks.matching": "reads all webhooks, which are few",
    "webhooks.wanted": "reads all webhooks, which are few",
    "webhooks.create": "counts all webhooks, which are few"
  },
  small: ["svc_followed_events"]
}
