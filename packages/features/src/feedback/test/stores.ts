// The store of feedback, for the tests that call all stores.
import * as Owner from "@svc-runtime/domain/Owner"
import type { CheckedStores } from "@svc-runtime/test-support/stores/CheckedStores"
import { runId, userId } from "@svc-runtime/test-support/suites/Samples"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { FeedbackStore } from "../FeedbackStore.ts"
import * as FeedbackStoreSuite from "./FeedbackStoreSuite.ts"

const fill = Effect.fnUntraced(function*(rows: number) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    insert into svc_feedback (
      id, run_id, session_id, kind, component_id, owner_id, user_id, source, key, score, created_at, updated_at
    )
    select 'feedback-' || number, 'run-' || number, 'session-' || number, 'agent', 'a-' || number % 100,
      'user-' || number % 100, 'user-' || number % 100, 'user', 'rating', '1', 1, 1
    from generate_series(1, ${rows}::int) as number`
})

const calls = Effect.gen(function*() {
  const feedback = yield* FeedbackStore
  const first = { page: 1, limit: 1 }
  return {
    "feedback.put": feedback.put(FeedbackStoreSuite.given(), Owner.anyone),
    "feedback.ofRun": feedback.ofRun(runId(), Owner.user(userId())),
    "feedback.list, of an owner": feedback.list({ owner: Owner.user(userId()), key: "rating" }, first),
    "feedback.list, of a component": feedback.list({
      owner: Owner.anyone,
      component: { kind: "agent", id: "a-2" }
    }, first),
    "feedback.remove": feedback.remove(FeedbackStoreSuite.given().id, Owner.user(userId())),
    "feedback.removeOf": feedback.removeOf(userId())
  }
})

export const stores: CheckedStores = {
  history: { feedback: ["tables"] },
  tables: ["svc_feedback"],
  calls,
  fill
}
