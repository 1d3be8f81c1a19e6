// Service accounts, and who did what to them. A name is free again once its account is revoked. Entries of the audit
// are only ever added.
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    create table svc_service_accounts (
      id text collate "C" primary key,
      seq bigint generated always as identity,
      name text collate "C" not null,
      user_id text collate "C",
      token_hash text collate "C" not null unique,
      token_prefix text not null,
      scopes json not null,
      created_at bigint not null,
      expires_at bigint,
      last_used_at bigint,
      revoked_at bigint,
      created_by text
    )`
  yield* sql`create unique index svc_service_accounts_by_name on svc_service_accounts (name) where revoked_at is null`
  yield* sql`
    create table svc_audit (
      seq bigint generated always as identity primary key,
      at bigint not null,
      actor text,
      credential text not null,
      action text not null,
      subject_kind text not null,
      subject_id text collate "C" not null
    )`
  yield* sql`create index svc_audit_by_subject on svc_audit (subject_kind, subject_id, seq)`
})
