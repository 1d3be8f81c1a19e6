// The statements with which agents read and change learnings.
import * as Owner from "@svc-runtime/domain/Owner"
import type { Limits } from "@svc-runtime/engine/limits/StoreLimits"
import { inTransaction } from "@svc-runtime/postgres/sql/inTransaction"
import { text, textOrNull, texts } from "@svc-runtime/postgres/sql/rows"
import { Effect, Option } from "effect"
import type { SqlClient } from "effect/sql"
import * as AppliedChanges from "../memory/AppliedChanges.ts"
import * as Learning from "./Learning.ts"
import { namespaceLimit, relevantLimits } from "./LearningLimit.ts"
import * as LearningRoom from "./LearningRoom.ts"
import { learningColumns, readable, toRow } from "./learningRows.ts"
import type * as LearningShape from "./LearningShape.ts"
import type { LearningScope, LearningUpdate } from "./LearningStore.ts"

// Which learnings belong to a run: the records of its user and session, by their ids, and those of its namespace.

const identified: ReadonlyArray<LearningShape.Type> = ["user_profile", "user_memory", "session_context"]

/** Whether learnings of the type are found by their namespace. */
export const isOfNamespace = (type: LearningShape.Type): boolean => !identified.includes(type)

/** The ids of the records that a run has by itself. */
export const identifiedIds = (
  { session_id, types, user_id }: Pick<LearningScope, "session_id" | "types" | "user_id">
): ReadonlyArray<Learning.Id> =>
  types.flatMap((learning_type) => {
    const identity = { learning_type, user_id, session_id }
    return isOfNamespace(learning_type) || Learning.missingFields(identity).length > 0
      ? []
      : Option.toArray(Learning.idOf(identity))
  })

export const make = (sql: SqlClient.SqlClient, limits: Limits["learnings"]) => {
  const columns = sql.literal(learningColumns)
  const room = LearningRoom.make(sql, limits)
  const applied = AppliedChanges.make(sql, "svc_learning_keys")

  const isOf = (owner: LearningScope["owner"]) =>
    owner === null ? sql`l.user_id is null` : sql`l.user_id = ${text(owner)}`

  /** Two parts for the namespace of learnings without one, because each has an index. */
  const namespaces = (namespace: string) =>
    namespace === Learning.globalNamespace
      ? [sql`l.namespace = ${text(namespace)}`, sql`l.namespace is null`]
      : [sql`l.namespace = ${text(namespace)}`]

  /** Those of a shared namespace are without an owner, or of the tenant of the user. */
  const ownersOf = ({ owner, user_id }: LearningScope): ReadonlyArray<LearningScope["owner"]> => {
    const tenant = owner === null && user_id !== undefined ? Owner.sharedWith(user_id) : undefined
    return tenant === undefined ? [owner] : [owner, tenant]
  }

  const newest = (scope: LearningScope, types: ReadonlyArray<string>) =>
    ownersOf(scope).flatMap((owner) => namespaces(scope.namespace).map((isIn) => ({ isIn, owner }))).map((
      { isIn, owner }
    ) =>
      sql`
        (select l.*, 1 as part from svc_learnings l
        where ${isIn} and not l.is_proposed and ${isOf(owner)} and l.learning_type = any(${texts(types)}::text[])
        order by l.updated_at desc, l.seq desc limit ${relevantLimits.learnings})`
    ).reduce((all, part) => sql`${all} union all ${part}`)

  const relevant = (scope: LearningScope) => {
    const types = scope.types.filter(isOfNamespace)
    return sql<object>`
      with found as (
        (select l.*, 0 as part from svc_learnings l
        where l.learning_id = any(${texts(identifiedIds(scope).map(text))}::text[])
          and l.user_id is not distinct from ${textOrNull(scope.user_id ?? null)} and not l.is_proposed)
        union all
        ${newest(scope, types)}
      ), sized as (
        select l.*, sum(coalesce(octet_length(l.content::text), 0) + coalesce(octet_length(l.metadata::text), 0))
          over (order by l.part, l.updated_at desc, l.seq desc) as bytes
        from found l
      )
      select ${columns} from sized l where l.bytes <= ${relevantLimits.bytes}
      order by l.part, l.updated_at desc, l.seq desc limit ${relevantLimits.learnings}`
  }

  /** No other update of the user is applied before the end of the transaction, and no removal. */
  const claim = (update: LearningUpdate, at: number) =>
    sql<{ readonly is_new: boolean; readonly is_erased: boolean }>`
      with swept as (${applied.sweep(update)}), leased as (${applied.leased(update)}), erasure as (
        ${applied.erasure(update.user_id ?? null, at)}
      ), claimed as (
        insert into svc_learning_keys (key, session_id)
        select ${text(update.key)}, ${text(update.session_id)}
        from leased, erasure where not ${applied.isErased(update)}
        on conflict (key) do nothing returning 1
      )
      select exists (select from claimed) as is_new, ${applied.isErased(update)} as is_erased from erasure`

  /** Updates of one learning wait for each other, also if it is not stored yet. */
  const lock = (ids: ReadonlyArray<Learning.Id>) =>
    Effect.forEach(
      [...new Set(ids)].sort(),
      (id) => sql`select pg_advisory_xact_lock(hashtextextended(${text(id)}, 75))::text as locked`,
      { discard: true }
    )

  const find = ({ ids, owner, user_id }: LearningUpdate) =>
    sql<object>`
      select ${columns} from svc_learnings l
      where l.learning_id = any(${texts(ids.map(text))}::text[]) and (
        l.user_id is not distinct from ${textOrNull(user_id ?? null)}::text
        or l.user_id is not distinct from ${textOrNull(owner)}::text
      ) order by l.learning_id for update`

  const count = ({ namespace, owner }: LearningUpdate, isProposed: boolean) =>
    sql`select 1 from svc_learnings l
      where ${sql.or(namespaces(namespace))} and l.is_proposed = ${isProposed} and ${isOf(owner)}
      offset ${namespaceLimit - 1} limit 1`

  /** Whether the learning was stored. A new one that exceeds a limit is removed again. */
  const store = Effect.fnUntraced(function*(update: LearningUpdate, learning: Learning.Learning) {
    const row = toRow(learning, update.user_id)
    const hasRoom = learning.namespace === null
      ? sql`true`
      : sql`(
        exists (select from svc_learnings k where k.learning_id = ${row.learning_id})
        or not exists (${count(update, row.is_proposed)})
      )`
    const proposer = Learning.proposerOf(learning, update.user_id)
    yield* room.lock(proposer)
    const [stored] = yield* sql<{ readonly is_new: boolean }>`
        insert into svc_learnings as l (${sql.literal(Object.keys(row).join(", "))})
        select ${sql.csv(Object.values(row).map((value) => sql`${value}`))} where ${hasRoom}
        on conflict (learning_id) do update set
          content = excluded.content, updated_at = excluded.updated_at
        where l.user_id is not distinct from excluded.user_id
        returning l.xmax = 0 as is_new`
    if (stored?.is_new !== true) return stored !== undefined
    if ((yield* room.exceeded(learning, proposer)) === undefined) return true
    yield* sql`delete from svc_learnings where learning_id = ${row.learning_id}`
    return false
  })

  const apply = Effect.fnUntraced(function*(update: LearningUpdate, at: number) {
    const [{ is_erased: isErased = false, is_new: isNew = false } = {}] = yield* claim(update, at)
    if (!isNew) return { isNew, isErased, refused: 0 }
    yield* lock(update.ids)
    const found = yield* readable(yield* find(update))
    const changed = update.change(new Map(found.map((one) => [one.learning_id, one])))
    const stored = yield* Effect.forEach(changed, (one) => store(update, one))
    return { isNew, isErased, refused: stored.filter((isStored) => !isStored).length }
  })

  return { relevant, apply: (update: LearningUpdate, at: number) => inTransaction(sql)(apply(update, at)) }
}
