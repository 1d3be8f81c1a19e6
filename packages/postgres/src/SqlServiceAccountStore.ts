// `ServiceAccountStore` in PostgreSQL. Every method is one statement, except for a page past the end of a list. A
// change of an account and its audit entry are one statement.
import {
  type AccountFilter,
  ServiceAccountNameTaken,
  ServiceAccountNotFound,
  ServiceAccountStore
} from "@svc-runtime/auth"
import * as Ids from "@svc-runtime/domain/Ids"
import * as ServiceAccount from "@svc-runtime/domain/ServiceAccount"
import { Effect, Layer, Option, Predicate, Schema } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import { ShortStatements } from "./ShortStatements.ts"
import * as Batched from "./sql/Batched.ts"
import { orUnavailable, readOrUnavailable } from "./sql/orUnavailable.ts"
import * as Page from "./sql/Page.ts"
import { logRejected } from "./sql/rejectedStatements.ts"
import { json, text, textOrNull, texts, unchecked } from "./sql/rows.ts"

const AccountRow = Schema.Struct({
  id: ServiceAccount.Id,
  name: Schema.String,
  tenant: Schema.NullOr(Schema.String),
  user_id: Schema.NullOr(Ids.UserId),
  token_hash: Schema.String,
  token_prefix: Schema.String,
  scopes: Schema.Array(Schema.String),
  created_at: Schema.Int,
  expires_at: Schema.NullOr(Schema.Int),
  last_used_at: Schema.NullOr(Schema.Int),
  revoked_at: Schema.NullOr(Schema.Int),
  created_by: Schema.NullOr(Schema.String)
})

const decodeAccount = Schema.decodeUnknownEffect(AccountRow)

const RevokedRow = Schema.Struct({ name: Schema.String, tenant: Schema.NullOr(Schema.String), isNew: Schema.Boolean })

/** Null: there is none. */
const OthersRow = Schema.Struct({ isActive: Schema.NullOr(Schema.Boolean) })

interface Naming {
  readonly name: string
  readonly user_id: Ids.UserId | null
}

const EntryRow = Schema.Struct({
  account_id: ServiceAccount.Id,
  action: Schema.Literals(["minted", "revoked"]),
  actor: Schema.NullOr(Schema.String),
  credential: Schema.String,
  at: Schema.Int
})

const columnsOf =
  `a.id, a.name, a.tenant, a.user_id, a.token_hash, a.token_prefix, a.scopes, a.created_at::float8 as created_at,
  a.expires_at::float8 as expires_at, a.last_used_at::float8 as last_used_at, a.revoked_at::float8 as revoked_at,
  a.created_by`

const subjectKind = "service_account"

interface Insertion {
  readonly account: ServiceAccount.ServiceAccount
  readonly entry: ServiceAccount.AuditEntry
}

interface Revoking {
  readonly id: ServiceAccount.Id
  readonly at: number
  readonly entry: ServiceAccount.AuditEntry
}

const make = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const short = (yield* ShortStatements)?.reads ?? sql
  const columns = sql.literal(columnsOf)
  const pages = Page.make(sql)

  const isListed = ({ includeRevoked }: AccountFilter) => sql.literal(includeRevoked ? "true" : "a.revoked_at is null")

  /** Recorded only if the statement changed the account. */
  const entryFor = (changed: string, { action, actor, at, credential }: ServiceAccount.AuditEntry) =>
    sql`
      insert into svc_audit (at, actor, credential, action, subject_kind, subject_id)
      select ${at}, ${textOrNull(actor)}, ${text(credential)}, ${action}, ${subjectKind}, id from ${
      sql.literal(changed)
    }`

  const insert = SqlSchema.findOne({
    Request: unchecked<Insertion>(),
    Result: Schema.Struct({ inserted: Schema.Natural }),
    execute: ({ account, entry }) =>
      sql`
        with made as (
          insert into svc_service_accounts ${
        sql.insert({
          id: text(account.id),
          name: text(account.name),
          tenant: textOrNull(account.tenant),
          user_id: textOrNull(account.user_id),
          token_hash: text(account.token_hash),
          token_prefix: text(account.token_prefix),
          scopes: json(account.scopes),
          created_at: account.created_at,
          expires_at: account.expires_at,
          last_used_at: account.last_used_at,
          revoked_at: account.revoked_at,
          created_by: textOrNull(account.created_by)
        })
      } on conflict (name) where revoked_at is null do nothing returning id
        ), written as (${entryFor("made", entry)})
        select count(*)::int as inserted from made`
  })

  const nameOfOthers = SqlSchema.findOne({
    Request: unchecked<Naming>(),
    Result: OthersRow,
    execute: ({ name, user_id }) =>
      sql`
        select bool_or(revoked_at is null) as "isActive" from svc_service_accounts
        where name = ${text(name)} and (user_id is null or user_id is distinct from ${textOrNull(user_id)})`
  })

  const isActive = (name: string, tenant: string | null, at: number) =>
    sql`
      select from svc_service_accounts
      where name = ${text(name)} and tenant is not distinct from ${textOrNull(tenant)}::text and revoked_at is null
        and (expires_at is null or expires_at > ${at})`

  const findByHashes = (connections: SqlClient.SqlClient) =>
    SqlSchema.findAll({
      Request: unchecked<ReadonlyArray<string>>(),
      Result: AccountRow,
      execute: (hashes) =>
        connections`select ${columns} from svc_service_accounts a where a.token_hash = any(${texts(hashes.map(text))})`
    })

  // Every request of a service account runs this look-up. Concurrent calls share a statement that starts after them, so
  // its result is current for each.
  const findTogether = findByHashes(short)
  const findAlone = findByHashes(sql)
  const findByHash = Batched.make({
    together: (hashes: ReadonlyArray<string>) =>
      Effect.map(findTogether(hashes), (rows) => {
        const byHash = new Map(rows.map((row) => [row.token_hash, row]))
        return hashes.map((hash) => Option.fromNullishOr(byHash.get(text(hash))))
      }),
    alone: (hash) => Effect.map(findAlone([hash]), ([row]) => Option.fromNullishOr(row)),
    bytesOf: ({ length }) => length
  })

  /** A damaged account is left out: the others must be listed to be revoked. */
  const readable = (account: object) =>
    Effect.catch(Effect.asSome(decodeAccount(account)), (rejected) =>
      Effect.as(
        Effect.annotateLogs(logRejected(rejected, []), {
          account_id: Predicate.hasProperty(account, "id") ? account.id : ""
        }),
        Option.none()
      ))

  const revoke = SqlSchema.findOneOption({
    Request: unchecked<Revoking>(),
    Result: RevokedRow,
    execute: ({ at, entry, id }) =>
      sql`
        with revoked as (
          update svc_service_accounts set revoked_at = ${at} where id = ${text(id)} and revoked_at is null returning id
        ), written as (${entryFor("revoked", entry)})
        select name, tenant, exists (select from revoked) as "isNew" from svc_service_accounts where id = ${text(id)}`
  })

  const findEntries = SqlSchema.findAll({
    Request: ServiceAccount.Id,
    Result: EntryRow,
    execute: (id) =>
      sql`
        select subject_id as account_id, action, actor, credential, at::float8 as at from svc_audit
        where subject_kind = ${subjectKind} and subject_id = ${text(id)} order by seq`
  })

  return ServiceAccountStore.of({
    insert: Effect.fn("SqlServiceAccountStore.insert")(function*(account, entry) {
      const { inserted } = yield* insert({ account, entry })
      if (inserted === 0) return yield* new ServiceAccountNameTaken({ name_taken: account.name })
    }, orUnavailable),
    nameOfOthers: Effect.fn("SqlServiceAccountStore.nameOfOthers")(function*(name, user_id) {
      const { isActive } = yield* nameOfOthers({ name, user_id })
      return isActive === null ? "none" : isActive ? "active" : "revoked"
    }, readOrUnavailable),
    isActive: Effect.fn("SqlServiceAccountStore.isActive")((name, tenant, at) =>
      readOrUnavailable(Effect.map(isActive(name, tenant, at), (rows) => rows.length > 0))
    ),
    findByHash: Effect.fnUntraced(function*(hash) {
      return yield* findByHash(hash)
    }, readOrUnavailable),
    list: Effect.fn("SqlServiceAccountStore.list")(function*(filter, page, sort) {
      const from = sql`svc_service_accounts a where ${isListed(filter)}`
      const order = sql.literal(`a.${sort.by} ${sort.order}, a.seq ${sort.order}`)
      const rows = yield* pages.select({ columns, from, order, page })
      const total = yield* pages.totalOf(rows, { from, page })
      const accounts = yield* Effect.forEach(rows, readable)
      return { accounts: accounts.flatMap(Option.toArray), total }
    }, readOrUnavailable),
    revoke: Effect.fn("SqlServiceAccountStore.revoke")(function*(id, at, entry) {
      const revoked = yield* revoke({ id, at, entry })
      return Option.isSome(revoked) ? revoked.value : yield* new ServiceAccountNotFound({ id })
    }, orUnavailable),
    remove: Effect.fn("SqlServiceAccountStore.remove")((id, entry) =>
      orUnavailable(Effect.map(
        sql<{ readonly name: string }>`
          with removed as (
            delete from svc_service_accounts where id = ${text(id)} and revoked_at is null returning id, name
          ), written as (${entryFor("removed", entry)})
          select name from removed`,
        ([removed]) => Option.fromUndefinedOr(removed?.name)
      ))
    ),
    touch: Effect.fn("SqlServiceAccountStore.touch")((id, at, notSince) =>
      orUnavailable(sql`
        update svc_service_accounts set last_used_at = ${at}
        where id = ${text(id)} and (last_used_at is null or last_used_at <= ${notSince})`.pipe(Effect.asVoid))
    ),
    audit: Effect.fn("SqlServiceAccountStore.audit")((id) => readOrUnavailable(findEntries(id)))
  })
})

export const layer: Layer.Layer<ServiceAccountStore, never, ShortStatements | SqlClient.SqlClient> = Layer.effect(
  ServiceAccountStore,
  make
)
