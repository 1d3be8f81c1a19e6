// What a session with many runs costs the database, in pages that are read and in rows of one statement.
import { assert, layer } from "@effect/vitest"
import * as Owner from "@svc/domain/Owner"
import { RunStore } from "@svc/runtime/run/RunStore"
import * as PgliteLayer from "@svc/testing/PgliteLayer"
import { beginning, ending, events, sessionId, talk } from "@svc/testing/suites/Samples"
import { Effect, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import { pagesOfCall } from "./pagesOf.ts"
import { Stores } from "./Stores.ts"

const anyone = { owner: Owner.anyone }

/** Ended runs, each with messages and with eight events. */
const sessionOf = Effect.fnUntraced(function*(count: number) {
  const sql = yield* SqlClient.SqlClient
  const runs = yield* RunStore
  const first = beginning({ session_id: sessionId() })
  yield* runs.create(first)
  yield* runs.finish(ending(first, { events: events(first, 6), run: { messages: talk("q", "a") } }))
  yield* sql`
    insert into svc_runs (
      run_id, session_id, kind, component_id, node, status, created_at, updated_at, output, history_bytes
    )
    select run_id || '-' || copy, session_id, kind, component_id, node, status, created_at, updated_at, output,
      history_bytes
    from svc_runs, generate_series(2, ${count}::int) as copy where run_id = ${first.run_id}`
  const others = sql`
    from svc_runs o join svc_runs r on r.run_id = ${first.run_id} and o.session_id = r.session_id and o.seq <> r.seq`
  yield* sql`
    insert into svc_messages (run_seq, position, role, from_history, body)
    select o.seq, position, role, from_history, body ${others} join svc_messages m on m.run_seq = r.seq`
  yield* sql`
    insert into svc_run_events (run_seq, event_index, kind, body)
    select o.seq, event_index, e.kind, body ${others} join svc_run_events e on e.run_seq = r.seq`
  return first.session_id
})

layer(Stores.pipe(Layer.provideMerge(PgliteLayer.layer)))("The cost of large sessions", (it) => {
  it.effect("a page of runs reads the messages and events of its own runs only", () =>
    Effect.gen(function*() {
      const runs = yield* RunStore
      const pages: Array<number> = []
      for (const count of [50, 2000]) {
        const id = yield* sessionOf(count)
        const page = runs.list(id, anyone, { page: 1, limit: 20 })
        assert.lengthOf(Option.getOrThrow(yield* page), 20)
        pages.push(yield* pagesOfCall(page))
      }
      const [short, long] = pages
      // the rows of the runs are read to count them, without what belongs to them
      assert.isAtMost(long!, short! + 300, JSON.stringify(pages))
    }))
})
