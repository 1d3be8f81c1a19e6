// The store of background tasks, for the tests that call all stores.
import * as Owner from "@svc-runtime/domain/Owner"
import type { CheckedStores } from "@svc-runtime/test-support/stores/CheckedStores"
import { sessionId, userId } from "@svc-runtime/test-support/suites/Samples"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { BackgroundTaskStore } from "../BackgroundTaskStore.ts"
import * as BackgroundTaskStoreSuite from "./BackgroundTaskStoreSuite.ts"

const fill = Effect.fnUntraced(function*(rows: number) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    insert into svc_background_tasks (
      id, key, session_id, user_id, parent_run_id, parent_kind, parent_id, tool_name, component_kind, component_id,
      run_id, run_session_id, result_run_id, input, inherited, wake, is_detached, status, created_at, ended_at
    )
    select 'task-' || number, 'key-' || number, 'session-' || number, 'user-' || number % 100, 'run-' || number, 'agent',
      'assistant', 'researcher', 'agent', 'researcher', 'inner-' || number, 'inner-session-' || number,
      'result-' || number, '"tea"', '{"options":{},"depth":1}', true, false, 'RUNNING', 1, case when number % 2 = 0 then 2 end
    from generate_series(1, ${rows}::int) as number`
})

const calls = Effect.gen(function*() {
  const tasks = yield* BackgroundTaskStore
  const task = BackgroundTaskStoreSuite.task(sessionId())
  return {
    "backgroundTasks.begin": tasks.begin(task, BackgroundTaskStoreSuite.jobOf(task), 10),
    "backgroundTasks.find": tasks.find(task.id),
    "backgroundTasks.list": tasks.list(task.session_id, Owner.anyone, { page: 1, limit: 1 }),
    "backgroundTasks.note": tasks.note(task.id, "RUNNING"),
    "backgroundTasks.finish": tasks.finish(task.id, { status: "COMPLETED", result: "", is_delivered: true, at: 1 }),
    "backgroundTasks.requestCancel, of a task": tasks.requestCancel({ task_id: task.id, session_id: task.session_id }),
    "backgroundTasks.requestCancel, of a run": tasks.requestCancel({ parent_run_id: task.parent_run_id }),
    "backgroundTasks.requestCancel, of a user": tasks.requestCancel({ user_id: userId() })
  }
})

export const stores: CheckedStores = {
  history: { backgroundTasks: ["tables"] },
  tables: ["svc_background_tasks"],
  calls,
  fill
}
