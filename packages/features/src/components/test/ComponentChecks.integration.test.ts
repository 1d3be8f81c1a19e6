// Changes of one stored component by two nodes at a time.
import { assert, it } from "@effect/vitest"
import { ComponentStore } from "@svc-runtime/agents/component/ComponentStore"
import type * as Component from "@svc-runtime/domain/Component"
import * as StoreLimits from "@svc-runtime/engine/limits/StoreLimits"
import * as Postgres from "@svc-runtime/postgres/Postgres"
import * as PostgresLayer from "@svc-runtime/test-support/PostgresLayer"
import { Context, Effect, Layer, Option } from "effect"
import * as SqlStores from "../../SqlStores.ts"
import { component } from "./ComponentStoreSuite.ts"

const node = Effect.fnUntraced(function*(url: Effect.Success<typeof PostgresLayer.url>) {
  const database = Layer.merge(Postgres.layer({ url }), StoreLimits.layerWith())
  const stores = yield* Layer.build(Layer.fresh(Layer.provide(SqlStores.layer, database)))
  return Context.get(stores, ComponentStore)
})

/** What is changed depends on what was read. */
const changed = Effect.fnUntraced(function*(store: ComponentStore["Service"], id: Component.Id) {
  const { metadata, revision } = Option.getOrThrow(yield* store.find(id))
  const count = Number(metadata?.["count"] ?? 0) + 1
  yield* store.change(id, { at: 2_000, revision, fields: { metadata: { count } } })
})

it.live("a change that is alone is made, whatever else changes the component", () =>
  Effect.gen(function*() {
    const url = yield* PostgresLayer.url
    const [first, second] = [yield* node(url), yield* node(url)]
    const one = component()
    const id = one.component_id
    yield* first.create(one)
    const changes = [first, second].flatMap((store) =>
      Array.from({ length: 15 }, () => [
        Effect.asVoid(store.alone(id, changed(store, id))),
        Effect.asVoid(store.change(id, { at: 2_000, fields: { description: "changed" } })),
        Effect.asVoid(store.change(id, { at: 2_000, fields: { description: "changed" } }, Effect.void))
      ]).flat()
    )
    yield* Effect.all(changes, { concurrency: "unbounded" })
    const stored = Option.getOrThrow(yield* first.find(id))
    assert.deepInclude(stored, { metadata: { count: 30 }, revision: 91 })
  }))
