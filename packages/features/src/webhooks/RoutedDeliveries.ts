// The deliveries of webhooks in all databases of a service: each is in the database of its event.
import { firstFound, whileReplying } from "@svc-runtime/agents/database/firstFound"
import { ServedDatabases } from "@svc-runtime/agents/database/ServedDatabases"
import type * as Pagination from "@svc-runtime/domain/Pagination"
import type { StorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import * as MergedPage from "@svc-runtime/engine/database/MergedPage"
import { Context, Effect, Layer } from "effect"
import type { DeliveryPage, DeliveryStore } from "./DeliveryStore.ts"
import type * as Webhook from "./Webhook.ts"
import type * as WebhookDelivery from "./WebhookDelivery.ts"

type Store = DeliveryStore["Service"]

export class RoutedDeliveries extends Context.Service<RoutedDeliveries, {
  /** In the service's own database. */
  readonly add: Store["add"]
  /** Fails while one of the databases does not reply. */
  readonly list: (
    webhook: Webhook.Id,
    filter: { readonly status: WebhookDelivery.Status | undefined },
    page: Pagination.Request
  ) => Effect.Effect<DeliveryPage, StorageUnavailable>
  readonly find: Store["find"]
  readonly again: Store["again"]
  /** After the webhook is removed. Deliveries in databases that do not reply are removed by their next attempt. */
  readonly removeOf: (webhook: Webhook.Id) => Effect.Effect<void>
  /** After a change of webhooks. Databases that do not reply learn of it within a minute. */
  readonly follow: Effect.Effect<void>
}>()("@svc-runtime/features/webhooks/RoutedDeliveries") {
  static readonly layer: Layer.Layer<RoutedDeliveries, never, ServedDatabases> = Layer.effect(
    RoutedDeliveries,
    Effect.map(ServedDatabases, (databases) => RoutedDeliveries.of(route(databases)))
  )
}

const route = (databases: ServedDatabases["Service"]): RoutedDeliveries["Service"] => {
  const { ids, own } = databases

  const inEach = (ask: (store: Store) => Effect.Effect<void, StorageUnavailable>, isAsked = (_: string) => true) =>
    Effect.forEach(
      databases.opened().filter(({ database: { id } }) => isAsked(id)),
      ({ database }) =>
        ask(database.deliveries).pipe(
          Effect.tapError((error) => Effect.logWarning("The deliveries of webhooks in a database are behind", error)),
          Effect.ignore,
          Effect.annotateLogs({ database: database.id })
        ),
      { concurrency: "unbounded", discard: true }
    )

  return {
    add: (addition) => Effect.tap(own.database.deliveries.add(addition), () => own.jobs.signal),
    list: (webhook, filter, request) =>
      ids.length === 1 ? own.database.deliveries.list(webhook, filter, request) : MergedPage.read(request, {
        count: ids.length,
        createdAt: ({ created_at }: WebhookDelivery.Delivery) => created_at,
        ask: (pages) =>
          Effect.forEach(ids, (id) =>
            whileReplying(databases, id, ({ database }) =>
              Effect.map(
                Effect.forEach(pages(id), (page) => database.deliveries.list(webhook, filter, page)),
                (read) => ({
                  database: id,
                  total: read[0]?.total ?? 0,
                  rows: read.flatMap(({ deliveries }) => deliveries)
                })
              )), { concurrency: "unbounded" })
      }).pipe(Effect.map(({ rows: deliveries, total }) => ({ deliveries, total }))),
    find: (webhook, id) => firstFound(databases, ids, ({ database }) => database.deliveries.find(webhook, id)),
    again: (webhook, id, repetition) =>
      firstFound(
        databases,
        ids,
        ({ database, jobs }) => Effect.tap(database.deliveries.again(webhook, id, repetition), () => jobs.signal)
      ),
    removeOf: (webhook) => inEach((store) => store.removeOf(webhook)),
    follow: Effect.gen(function*() {
      if (databases.opened().length < 2) return
      const wanted = yield* own.database.webhooks.wanted()
      yield* inEach((store) => store.follow(wanted), (id) => id !== own.database.id)
    }).pipe(Effect.ignore)
  }
}
