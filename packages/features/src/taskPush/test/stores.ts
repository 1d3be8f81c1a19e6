// The store of the addresses of A2A clients, for the tests that call all stores.
import * as Owner from "@svc-runtime/domain/Owner"
import type { CheckedStores } from "@svc-runtime/test-support/stores/CheckedStores"
import { runId } from "@svc-runtime/test-support/suites/Samples"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TaskPushStore } from "../TaskPushStore.ts"
import { pushOf } from "./TaskPushStoreSuite.ts"

/** Each run has one. */
const fill = Effect.fnUntraced(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    insert into svc_task_pushes (run_id, id, session_id, version, url, created_at)
    select run_id, 'push', session_id, '1.0', 'https://a.example', 1 from svc_runs`
})

const calls = Effect.map(TaskPushStore, (pushes) => {
  const push = pushOf(runId())
  const { id, run_id } = push
  return {
    "taskPushes.put": pushes.put(push, Owner.anyone, 1),
    "taskPushes.list": pushes.list(run_id, Owner.anyone),
    "taskPushes.remove": pushes.remove(run_id, id, Owner.anyone),
    "taskPushes.oldSecrets": pushes.oldSecrets("sealed:1:key:", 0),
    "taskPushes.replaceSecrets": pushes.replaceSecrets({ seq: 1, row: "a", secrets: ["a", null] }, ["b", null]),
    "taskPushes.delivered": pushes.delivered(push, "completed")
  }
})

export const stores: CheckedStores = {
  history: { taskPushes: ["tables"] },
  tables: ["svc_task_pushes"],
  calls,
  fill,
  unbounded: { "taskPushes.oldSecrets": "reads all configs, once in an hour" }
}
