// The statements on learnings with 1,000,000 of them: 200,000 of one user, 200,000 without an owner, and the others of
// 7,500 users.
import * as Ids from "@svc-runtime/domain/Ids"
import * as Owner from "@svc-runtime/domain/Owner"
import * as Session from "@svc-runtime/domain/Session"
import type { LearningFilter } from "@svc-runtime/features/learning/LearningFilter"
import { LearningStore } from "@svc-runtime/features/learning/LearningStore"
import { Effect } from "effect"
import type postgres from "postgres"
import { measure } from "./StatementTimes.ts"

const learnings = 1_000_000

export const seed = async (sql: postgres.Sql) => {
  await sql`
    insert into svc_learnings (
      learning_id, learning_type, namespace, user_id, agent_id, team_id, session_id, entity_id, entity_type, content,
      metadata, is_proposed, created_at, updated_at
    )
    select 'l' || n, (array['learned_knowledge', 'decision_log', 'entity_memory', 'user_memory'])[1 + n % 4],
      case when n % 5 = 0 then 'desk' || n % 50 else 'user:user' || n % 10000 end,
      case n % 5 when 0 then null when 1 then 'big' else 'user' || n % 10000 end,
      case n % 3 when 0 then 'agent' || n % 7 end, case n % 3 when 1 then 'team' || n % 7 end, 'session' || n % 100000,
      case n % 4 when 2 then 'entity' || n % 1000 end, case n % 4 when 2 then 'company' end,
      json_build_object('title', 'Thing ' || n, 'learning', repeat('It is so. ', 10)),
      case n % 21 when 0 then '{"status": "proposed"}'::json end, n % 21 = 0,
      1700000000 + n, 1700000000 + (n::bigint * 7919) % 1000003
    from generate_series(1, ${learnings}::int) n`
  await sql`vacuum analyze svc_learnings`
  await sql`vacuum analyze svc_learning_users`
  return learnings
}

const page = { page: 1, limit: 100 }
const newest = { by: undefined, order: "desc" } as const
const slow = 20

export const measured = Effect.gen(function*() {
  const store = yield* LearningStore
  const userOf = (index: number) => Ids.UserId.make(`user${2 + (index * 5) % 10_000}`)
  const list = (name: string, filter: Partial<LearningFilter>, at: { page: number; limit: number } = page) =>
    measure(
      `learnings: ${name}`,
      () => store.list({ owner: Owner.anyone, includesShared: true, fields: {}, ...filter }, at, newest),
      at === page ? undefined : slow
    )
  const big = { owner: Owner.user(Ids.UserId.make("big")) }
  yield* measure("learnings: what a run reads", (index) =>
    store.relevant({
      user_id: userOf(index),
      session_id: Session.Id.make(`session${index}`),
      namespace: "desk10",
      owner: null,
      types: ["user_profile", "user_memory", "session_context", "learned_knowledge"]
    }))
  yield* measure(
    "learnings: page of a user",
    (index) => store.list({ owner: Owner.user(userOf(index)), includesShared: false, fields: {} }, page, newest)
  )
  yield* list("page of a user with 200,000", { ...big, includesShared: false })
  yield* list("page 1,000 of a user with 200,000", { ...big, includesShared: false }, { page: 1000, limit: 100 })
  yield* list("page of an isolated user", big)
  yield* list("page of an isolated user, a namespace", { ...big, fields: { namespace: "desk10" } })
  yield* list("page of all", {})
  yield* list("page 5,000 of all", {}, { page: 5000, limit: 100 })
  yield* list("page of all, an agent", { fields: { agent_id: "agent3" } })
  yield* list("page of all, a team", { fields: { team_id: "team4" } })
  yield* list("page of all, an entity", { fields: { entity_id: "entity6" } })
  yield* list("page of all, an entity that is unknown", { fields: { entity_id: "unknown" } })
  yield* list("page of all, a type of entity", { fields: { entity_type: "company" } })
  yield* list("page of all, a namespace", { fields: { namespace: "desk10" } })
  yield* list("page of all, an agent and a type", { fields: { agent_id: "agent3", learning_type: "decision_log" } })
  yield* list("page of all, proposed", { isProposed: true })
  yield* measure(
    "learnings: users",
    () => store.listUsers({ owner: Owner.anyone, learning_type: undefined }, page, { by: "user_id", order: "asc" })
  )
})
