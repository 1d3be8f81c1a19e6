// Calls of the store of the addresses of A2A clients, for the tests of plans and of faults.
import * as Owner from "@svc-runtime/domain/Owner"
import { TaskPushStore } from "@svc-runtime/features/taskPush/TaskPushStore"
import { pushOf } from "@svc-runtime/features/taskPush/test/TaskPushStoreSuite"
import { runId } from "@svc-runtime/test-support/suites/Samples"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** Each run has one. */
export const fillTaskPushes = Effect.fnUntraced(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    insert into svc_task_pushes (run_id, id, session_id, version, url, created_at)
    select run_id, 'push', session_id, '1.0', 'https://a.example', 1 from svc_runs`
})

export const taskPushCalls = Effect.map(TaskPushStore, (pushes) => {
  const push = pushOf(runId())
  const { id, run_id } = push
  return {
    "taskPushes.put": pushes.put(push, Owner.anyone, 1),
    "taskPushes.list": pushes.list(run_id, Owner.anyone),
    "taskPushes.remove": pushes.remove(run_id, id, Owner.anyone),
    "taskPushes.delivered": pushes.delivered(push, "completed")
  }
})
