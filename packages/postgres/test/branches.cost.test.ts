// What statements read in a session with many branches: the path is found once, and not for each run.
import { assert, layer } from "@effect/vitest"
import type * as Agent from "@svc-runtime/domain/Agent"
import * as Owner from "@svc-runtime/domain/Owner"
import * as Run from "@svc-runtime/domain/Run"
import * as Session from "@svc-runtime/domain/Session"
import type * as Team from "@svc-runtime/domain/Team"
import { RunStore } from "@svc-runtime/engine/run/store/RunStore"
import * as PgliteLayer from "@svc-runtime/test-support/PgliteLayer"
import { newRun, sessionId } from "@svc-runtime/test-support/suites/Samples"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { pagesOfCall } from "./pagesOf.ts"
import { Stores } from "./Stores.ts"

Tier.oneIn(3)

const component = { kind: "team", id: "team" as Team.Id } as const

/** Two conversations in turns: each run comes after the one before the last. Each has a run of a member. */
const branched = Effect.fnUntraced(function*(count: number) {
  const sql = yield* SqlClient.SqlClient
  const session = Session.Id.make(`branched-${count}`)
  yield* sql`
    insert into svc_sessions (session_id, session_type, team_id, is_branched, created_at, updated_at)
    values (${session}, 'team', 'team', true, 1, 1)`
  yield* sql`
    insert into svc_runs (
      run_id, session_id, parent_run_id, outermost_run_id, kind, component_id, node, status, created_at, updated_at, output,
      history_bytes
    )
    select ${session}::text || case when is_member then '-member-' else '-' end || number, ${session}::text,
      case when is_member then ${session}::text || '-' || number end,
      case when is_member then ${session}::text || '-' || number end,
      case when is_member then 'agent' else 'team' end, case when is_member then 'member' else 'team' end,
      'node', 'COMPLETED', 1, 1, '{}', 0
    from generate_series(1, ${count}::int) as number, (values (false), (true)) as kinds (is_member)
    order by number, is_member`
  yield* sql`
    update svc_runs r set after_run = earlier.seq from svc_runs earlier
    where r.session_id = ${session} and r.parent_run_id is null
      and earlier.run_id = ${session}::text || '-' || (substr(r.run_id, ${session.length + 2})::int - 2)`
  yield* sql`analyze`
  const runs = Array.from({ length: count }, (_, index) => Run.Id.make(`${session}-${index + 1}`))
  return { session, runs, last: runs.at(-1) as Run.Id }
})

layer(Stores.pipe(Layer.provideMerge(PgliteLayer.layerCopied)))("The cost of branches", (it) => {
  it.effect("each run of a session with many branches costs few pages", () =>
    Effect.gen(function*() {
      const store = yield* RunStore
      const count = 240
      const { last, runs, session } = yield* branched(count)
      const filter = { owner: Owner.anyone, component }
      const place = { known: [{ run_id: last }], otherwise: "notFound" } as const
      const member = { kind: "agent", id: "member" as Agent.Id } as const
      const next = newRun({ session_id: session, kind: "team", component_id: component.id, place, history: 5 })
      const recall = { run_id: last, component: member, team: component.id, limit: count }
      const pages = {
        start: yield* pagesOfCall(store.create(next)),
        places: yield* pagesOfCall(store.places(session, runs)),
        search: yield* pagesOfCall(store.search({ filter, session_id: session, isOnPath: true, limit: 9 })),
        members: yield* pagesOfCall(store.memberHistory(recall)),
        fork: yield* pagesOfCall(store.fork({ source: session, session_id: sessionId(), created_at: 1, filter }))
      }
      for (const read of Object.values(pages)) assert.isAtMost(read, count * 100, JSON.stringify(pages))
    }))
})
