// `LearningStore` in PostgreSQL. Every read is one statement, except for a list, whose size is measured first.
import type * as Ids from "@svc-runtime/domain/Ids"
import * as Owner from "@svc-runtime/domain/Owner"
import { admit } from "@svc-runtime/engine/limits/ResponseLimit"
import { StoreLimits } from "@svc-runtime/engine/limits/StoreLimits"
import { inTransaction } from "@svc-runtime/postgres/sql/inTransaction"
import { orUnavailable, readOrUnavailable } from "@svc-runtime/postgres/sql/orUnavailable"
import * as Ownership from "@svc-runtime/postgres/sql/Ownership"
import * as Page from "@svc-runtime/postgres/sql/Page"
import * as ReadableRows from "@svc-runtime/postgres/sql/ReadableRows"
import { changeOne } from "@svc-runtime/postgres/sql/readOne"
import { jsonOrNull, text, unchecked } from "@svc-runtime/postgres/sql/rows"
import { Effect, Layer, Option, Schema } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import * as Learning from "./Learning.ts"
import { LearningExists, LearningNotFound } from "./LearningErrors.ts"
import * as LearningPages from "./LearningPages.ts"
import * as LearningRoom from "./LearningRoom.ts"
import { learningColumns, readable, toRow } from "./learningRows.ts"
import * as LearningStatements from "./LearningStatements.ts"
import { type LearningPatch, LearningStore } from "./LearningStore.ts"

interface Key {
  readonly id: Learning.Id
  readonly owner: Owner.Owner
}

interface Creation {
  readonly learning: Learning.Learning
  readonly by: Ids.UserId | undefined
}

const readableUsers = ReadableRows.make(Learning.User)

const make = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const pages = Page.make(sql)
  const lists = LearningPages.make(sql)
  const columns = sql.literal(learningColumns)
  const { learnings: limits, response: responseLimit } = yield* StoreLimits
  const room = LearningRoom.make(sql, limits)

  const isCovered = (owner: Owner.Owner) => Ownership.covers(sql, "l.user_id", owner)
  const isAt = ({ id, owner }: Key) => sql.and([sql`l.learning_id = ${text(id)}`, isCovered(owner)])

  const isReadable = (owner: Owner.Owner) =>
    sql.and([
      Ownership.reads(sql, "l.user_id", owner),
      // proposals of a run can have what another tenant knows
      owner._tag === "User" && Owner.sharedWith(owner.user_id) !== undefined
        ? sql`(l.user_id is not null or not l.is_proposed)`
        : sql`true`
    ])

  const insert = SqlSchema.findOneOption({
    Request: unchecked<Creation>(),
    Result: Schema.Struct({ learning_id: Schema.String }),
    execute: ({ by, learning }) =>
      sql`
        insert into svc_learnings ${sql.insert(toRow(learning, by))}
        on conflict (learning_id) do nothing returning learning_id`
  })

  const find = SqlSchema.findOneOption({
    Request: unchecked<Key>(),
    Result: Learning.Learning,
    execute: ({ id, owner }) =>
      sql`select ${columns} from svc_learnings l where ${
        sql.and([sql`l.learning_id = ${text(id)}`, isReadable(owner)])
      }`
  })

  const update = SqlSchema.findOneOption({
    Request: unchecked<Key & { readonly patch: LearningPatch }>(),
    Result: Learning.Learning,
    execute: ({ patch: { content, metadata, updated_at }, ...key }) =>
      sql`
        update svc_learnings l set ${
        sql.update({
          updated_at,
          ...(content === undefined ? {} : { content: jsonOrNull(content) }),
          ...(metadata === undefined
            ? {}
            : { metadata: jsonOrNull(metadata), is_proposed: Learning.isProposed({ metadata }) }),
          ...(metadata === undefined || Learning.isProposed({ metadata }) ? {} : { proposed_by: null })
        })
      } where ${isAt(key)} returning ${columns}`
  })

  const remove = SqlSchema.findOneOption({
    Request: unchecked<Key>(),
    Result: Schema.Struct({ learning_id: Schema.String }),
    execute: (key) => sql`delete from svc_learnings l where ${isAt(key)} returning l.learning_id`
  })

  const removeOf = (user_id: Ids.UserId, learning_type: string | undefined) => {
    const isOfType = learning_type === undefined ? sql`true` : sql`l.learning_type = ${text(learning_type)}`
    return sql<{ readonly removed: number }>`
      with removed as (
        delete from svc_learnings l
        where (l.user_id = ${text(user_id)} or l.proposed_by = ${text(user_id)}) and ${isOfType} returning 1
      )
      select count(*)::int as removed from removed`
  }

  const statements = LearningStatements.make(sql, limits)

  const create = Effect.fnUntraced(function*({ by, learning }: Creation) {
    const { learning_id, learning_type } = learning
    const proposer = Learning.proposerOf(learning, by)
    yield* room.lock(proposer)
    if (Option.isNone(yield* insert({ learning, by }))) return yield* new LearningExists({ learning_id, learning_type })
    const tooMany = yield* room.exceeded(learning, proposer)
    if (tooMany !== undefined) return yield* tooMany
  })

  const notFound = (learning_id: Learning.Id) => new LearningNotFound({ learning_id })

  return LearningStore.of({
    create: Effect.fn("SqlLearningStore.create")((learning, by) =>
      orUnavailable(inTransaction(sql)(create({ learning, by })))
    ),
    find: Effect.fn("SqlLearningStore.find")((id, owner) => readOrUnavailable(find({ id, owner }))),
    list: Effect.fn("SqlLearningStore.list")(function*(filter, page, sort) {
      const keys = yield* lists.keysOf({ filter, page, sort })
      const { bytes, total } = keys
      yield* admit("learnings", bytes, responseLimit)
      return { learnings: yield* readable(yield* lists.rowsOf(keys, sort)), total }
    }, readOrUnavailable),
    update: Effect.fn("SqlLearningStore.update")(function*(id, owner, patch) {
      const changed = yield* changeOne(sql)(update({ id, owner, patch }), { kind: "learning", id })
      return Option.isSome(changed) ? changed.value : yield* notFound(id)
    }, orUnavailable),
    remove: Effect.fn("SqlLearningStore.remove")(function*(id, owner) {
      if (Option.isNone(yield* remove({ id, owner }))) return yield* notFound(id)
    }, orUnavailable),
    listUsers: Effect.fn("SqlLearningStore.listUsers")(function*(filter, page, { by, order }) {
      const from = lists.countsOf(filter)
      const rows = yield* pages.select({
        columns: sql`u.user_id, u.updated_at::float8 as last_learning_updated_at`,
        from,
        order: sql.literal(by === "user_id" ? `u.user_id ${order}` : `u.updated_at ${order}, u.user_id ${order}`),
        page
      })
      return { users: yield* readableUsers(rows), total: yield* pages.totalOf(rows, { from, page }) }
    }, readOrUnavailable),
    removeOf: Effect.fn("SqlLearningStore.removeOf")((user_id, learning_type) =>
      orUnavailable(Effect.map(removeOf(user_id, learning_type), ([row]) => row?.removed ?? 0))
    ),
    relevant: Effect.fn("SqlLearningStore.relevant")((scope) =>
      readOrUnavailable(Effect.flatMap(statements.relevant(scope), readable))
    ),
    apply: Effect.fn("SqlLearningStore.apply")((update, at) => orUnavailable(statements.apply(update, at)))
  })
})

export const layer: Layer.Layer<LearningStore, never, SqlClient.SqlClient | StoreLimits> = Layer.effect(
  LearningStore,
  make
)
