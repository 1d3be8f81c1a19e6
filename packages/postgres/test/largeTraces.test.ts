import { assert, layer } from "@effect/vitest"
import * as Owner from "@svc-runtime/domain/Owner"
import * as StoreLimits from "@svc-runtime/engine/limits/StoreLimits"
import * as SqlTraceStore from "@svc-runtime/features/traces/SqlTraceStore"
import { at, root } from "@svc-runtime/features/traces/test/SampleTraces"
import type * as TraceFilter from "@svc-runtime/features/traces/TraceFilter"
import { TraceStore } from "@svc-runtime/features/traces/TraceStore"
import * as PgliteLayer from "@svc-runtime/test-support/PgliteLayer"
import { Effect, Layer } from "effect"
import * as Migrations from "../src/Migrations.ts"

const database = SqlTraceStore.layer.pipe(
  Layer.provide(StoreLimits.layerWith({ response: 10_000 })),
  Layer.provide(Migrations.layer),
  Layer.provide(PgliteLayer.layer)
)

layer(database)("Traces that are larger than a response", (it) => {
  it.effect("a refusal of several traces names the search with fewer, and one of a single trace its spans", () =>
    Effect.gen(function*() {
      const store = yield* TraceStore
      const [small, large] = ["x".repeat(6000), "x".repeat(11_000)].map((value) => ({ attributes: { value } }))
      const [first, second, single] = [root(small), root(small), root(large)]
      yield* store.write([first, second, single], at(1))
      const found = (ids: ReadonlyArray<string>, limit: number) => {
        const filter: TraceFilter.Filter = { _tag: "In", key: "trace_id", values: ids }
        return store.search({ owner: Owner.anyone, filter }, { page: 1, limit })
      }
      const both = yield* Effect.flip(found([first.trace_id, second.trace_id], 2))
      assert.match(
        both.message,
        /^The traces of this page take .* Ask for fewer at a time: POST \/traces\/search with a smaller limit$/
      )
      assert.lengthOf((yield* found([first.trace_id, second.trace_id], 1)).found, 1)
      const ofSearch = yield* Effect.flip(found([single.trace_id], 2))
      const ofTrace = yield* Effect.flip(store.find(single.trace_id, Owner.anyone))
      for (const { message } of [ofSearch, ofTrace]) {
        assert.match(
          message,
          /^The spans of the trace take .* Ask for one of them: GET \/traces\/\{trace_id\}\?span_id=/
        )
      }
    }))
})
