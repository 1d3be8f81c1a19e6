// The store of rollouts, for the tests that call all stores.
import * as Owner from "@svc-runtime/domain/Owner"
import type { CheckedStores } from "@svc-runtime/test-support/stores/CheckedStores"
import { userId } from "@svc-runtime/test-support/suites/Samples"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { RolloutStore } from "../RolloutStore.ts"
import * as RolloutStoreSuite from "./RolloutStoreSuite.ts"

const fill = Effect.fnUntraced(function*(rows: number) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    insert into svc_rollouts (id, component_id, state, revision, stops, body, created_at, updated_at)
    select 'rollout-' || number, 'component-' || number % 1000, 'ended', 1, 0, '{}', 1, 1
    from generate_series(1, ${rows}::int) as number`
})

const calls = Effect.gen(function*() {
  const [rollouts, one] = [yield* RolloutStore, RolloutStoreSuite.rollout("component-2")]
  const runs = { component: { id: "a-2", kind: "agent" as const }, since: 1, until: 2 }
  return {
    "rollouts.open": rollouts.open,
    "rollouts.latest": rollouts.latest(one.component_id),
    "rollouts.list": rollouts.list(one.component_id, { page: 1, limit: 1 }),
    "rollouts.create": rollouts.create(one),
    "rollouts.replace": rollouts.replace(one),
    "rollouts.figures": rollouts.figures({ ...runs, owner: Owner.anyone }),
    "rollouts.figures, of a user": rollouts.figures({ ...runs, owner: Owner.user(userId()) }),
    "rollouts.scores": rollouts.scores({ ...runs, owner: Owner.anyone })
  }
})

export const stores: CheckedStores = {
  history: { rollouts: ["tables"] },
  tables: ["svc_rollouts"],
  calls,
  fill,
  small: ["svc_rollouts_open"]
}
