// `DeclarationStore` in PostgreSQL.
import { inTransaction } from "@svc-runtime/postgres/sql/inTransaction"
import { orUnavailable, readOrUnavailable } from "@svc-runtime/postgres/sql/orUnavailable"
import { text, textOrNull } from "@svc-runtime/postgres/sql/rows"
import { Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import * as Declaration from "./Declaration.ts"
import { DeclarationStore, type Declaring, enoughLooks, type Standing } from "./DeclarationStore.ts"

/** Of the advisory lock under which declarations are applied. */
const applyLock = 5_733_921_191

const decode = Schema.decodeUnknownEffect(Schema.Array(Declaration.Stored))

const make = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient

  const declare = Effect.fnUntraced(function*({ hash, isAlone, node }: Declaring) {
    yield* sql`insert into svc_declaration_sets (hash) values (${text(hash)}) on conflict (hash) do nothing`
    yield* sql`
      insert into svc_declaring_nodes as n (node, hash, seen_at) values (${text(node)}, ${
      text(hash)
    }, clock_timestamp())
      on conflict (node) do update set hash = excluded.hash, seen_at = excluded.seen_at, looks = n.looks + 1`
    yield* sql`
      delete from svc_declaring_nodes n using svc_declaring_nodes own
      where own.node = ${text(node)} and n.node <> own.node
        and (${isAlone} or (n.seen_at < own.started_at and own.looks >= ${enoughLooks}))`
    const [newest] = yield* sql<Standing>`
      select s.hash = ${text(hash)} as "isNewest", s.hash = ${text(hash)} and s.is_applied as "isApplied"
      from svc_declaration_sets s
      where exists (select from svc_declaring_nodes n where n.hash = s.hash)
      order by s.seq desc limit 1`
    return newest ?? { isNewest: false, isApplied: false }
  })

  return DeclarationStore.of({
    isUsed: readOrUnavailable(
      Effect.map(sql`select from svc_declaration_sets limit 1`, ({ length }) => length > 0)
    ),
    declare: Effect.fn("SqlDeclarationStore.declare")((declaring) =>
      orUnavailable(inTransaction(sql)(declare(declaring)))
    ),
    leave: Effect.fn("SqlDeclarationStore.leave")((node) =>
      orUnavailable(Effect.asVoid(sql`delete from svc_declaring_nodes where node = ${text(node)}`))
    ),
    exclusively: (effect) =>
      orUnavailable(
        inTransaction(sql)(Effect.andThen(sql`select pg_advisory_xact_lock(${applyLock}::bigint)::text`, effect))
      ),
    all: readOrUnavailable(
      Effect.flatMap(sql`select kind, name, id, hash from svc_declarations order by kind, name`, decode)
    ),
    ids: Effect.fn("SqlDeclarationStore.ids")((kind) =>
      readOrUnavailable(Effect.map(
        sql<{ readonly id: string }>`select id from svc_declarations where kind = ${kind} and hash is not null`,
        (rows) => new Set(rows.map(({ id }) => id))
      ))
    ),
    put: Effect.fn("SqlDeclarationStore.put")(({ hash, id, kind, name }) =>
      orUnavailable(Effect.asVoid(sql`
        insert into svc_declarations (kind, name, id, hash)
        values (${kind}, ${text(name)}, ${text(id)}, ${textOrNull(hash)})
        on conflict (kind, name) do update set id = excluded.id, hash = excluded.hash`))
    ),
    remove: Effect.fn("SqlDeclarationStore.remove")(({ kind, name }) =>
      orUnavailable(Effect.asVoid(sql`delete from svc_declarations where kind = ${kind} and name = ${text(name)}`))
    ),
    applied: Effect.fn("SqlDeclarationStore.applied")((hash) =>
      orUnavailable(Effect.asVoid(sql`
        update svc_declaration_sets set is_applied = hash = ${text(hash)} where is_applied or hash = ${text(hash)}`))
    )
  })
})

export const layer: Layer.Layer<DeclarationStore, never, SqlClient.SqlClient> = Layer.effect(DeclarationStore, make)
