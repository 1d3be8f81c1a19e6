// What a search for the names of sessions reads: most sessions of a service have no given name.
import { assert, layer } from "@effect/vitest"
import * as Owner from "@svc-runtime/domain/Owner"
import { SessionStore } from "@svc-runtime/engine/session/SessionStore"
import * as PgliteLayer from "@svc-runtime/test-support/PgliteLayer"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { pagesOfCall } from "./pagesOf.ts"
import { Stores } from "./Stores.ts"

layer(Stores.pipe(Layer.provideMerge(PgliteLayer.layerCopied)))("What a search for names of sessions costs", (it) => {
  it.effect("a search by name reads the sessions with a name, and not those without", () =>
    Effect.gen(function*() {
      const [sessions, sql] = [yield* SessionStore, yield* SqlClient.SqlClient]
      yield* sql`
        insert into svc_sessions (session_id, session_type, agent_id, session_name, created_at, updated_at)
        select 's' || n, 'agent', 'a', case when n % 1000 = 0 then 'Name ' || n end, n, n
        from generate_series(1, 20000) n`
      yield* sql`vacuum analyze svc_sessions`
      const [page, sort] = [{ page: 1, limit: 20 }, { by: "created_at", order: "desc" }] as const
      const list = (name: string) => sessions.list({ owner: Owner.anyone, name }, page, sort)
      const found = yield* list("name 15")
      assert.deepStrictEqual(found.sessions.map(({ session_id }) => session_id), ["s15000"])
      assert.strictEqual(found.total, 1)
      assert.isBelow(yield* pagesOfCall(list("name 15")), 100)
      assert.isBelow(yield* pagesOfCall(list("unknown")), 100)
    }))
})
