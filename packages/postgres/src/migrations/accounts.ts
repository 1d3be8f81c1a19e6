// Service accounts, the audit, and what clients of the MCP endpoint were given.
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { migrationSet } from "../sql/MigrationSet.ts"

const tables = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  // A name is free again once its account is revoked. Revoked accounts are found by name as well: what they made belongs to the
  // name.
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
  yield* sql`
    create unique index svc_service_accounts_by_name on svc_service_accounts (name) where revoked_at is null`
  yield* sql`create index svc_service_accounts_by_former_name on svc_service_accounts (name)`

  // Who did what to accounts and data. Entries are only added. `counts`: how many rows of each kind an act removed.
  yield* sql`
    create table svc_audit (
      seq bigint generated always as identity primary key,
      at bigint not null,
      actor text,
      credential text not null,
      action text not null,
      subject_kind text not null,
      subject_id text collate "C" not null,
      counts json
    )`
  yield* sql`create index svc_audit_by_subject on svc_audit (subject_kind, subject_id, seq)`

  // What the authorization server of the MCP endpoint gave out. Requests, codes and tokens are hashes. So is the address of a
  // client: one address cannot take all places.
  yield* sql`
    create table svc_oauth_clients (
      id text collate "C" primary key,
      name text,
      redirect_uris text[] not null,
      created_at bigint not null check (created_at between 0 and 253402300799),
      expires_at bigint check (expires_at between 0 and 253402300799),
      address_hash text collate "C" not null default ''
    )`
  yield* sql`
    create index svc_oauth_clients_pending on svc_oauth_clients (expires_at) where expires_at is not null`
  yield* sql`
    create table svc_oauth_requests (
      id_hash text collate "C" primary key,
      client_id text collate "C" not null,
      client_name text,
      redirect_uri text not null,
      state text,
      scopes text[] not null,
      code_challenge text not null,
      expires_at bigint not null check (expires_at between 0 and 253402300799),
      address_hash text collate "C" not null default ''
    )`
  yield* sql`create index svc_oauth_requests_by_expiry on svc_oauth_requests (expires_at)`
  yield* sql`
    create table svc_oauth_grants (
      id text collate "C" primary key,
      client_id text collate "C" not null,
      user_id text collate "C" not null,
      account_hash text,
      scopes text[] not null,
      created_at bigint not null check (created_at between 0 and 253402300799),
      expires_at bigint not null check (expires_at between 0 and 253402300799),
      revoked_at bigint check (revoked_at between 0 and 253402300799),
      code_hash text collate "C" not null unique,
      code_challenge text not null,
      redirect_uri text not null,
      code_expires_at bigint not null check (code_expires_at between 0 and 253402300799),
      code_used_at bigint check (code_used_at between 0 and 253402300799)
    )`
  yield* sql`create index svc_oauth_grants_by_expiry on svc_oauth_grants (expires_at)`
  yield* sql`
    create table svc_oauth_tokens (
      token_hash text collate "C" primary key,
      grant_id text collate "C" not null references svc_oauth_grants (id) on delete cascade,
      kind text collate "C" not null check (kind in ('access', 'refresh')),
      expires_at bigint not null check (expires_at between 0 and 253402300799),
      used_at bigint check (used_at between 0 and 253402300799)
    )`
  yield* sql`create index svc_oauth_tokens_by_grant on svc_oauth_tokens (grant_id)`
  yield* sql`create index svc_oauth_tokens_by_expiry on svc_oauth_tokens (expires_at)`
})

/** Changes that requests make, with the request and the status of its response. */
const requests = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    alter table svc_audit
      add column path text, add column request_id text,
      add column status integer check (status between 100 and 599)`
  yield* sql`create index svc_audit_by_time on svc_audit (at, seq)`
  yield* sql`create index svc_audit_by_actor on svc_audit (actor, at, seq)`
})

/** The tenants of service accounts. */
const tenants = Effect.flatMap(
  SqlClient.SqlClient,
  (sql) => sql`alter table svc_service_accounts add column tenant text`
)

export const accounts = migrationSet("accounts", [["tables", tables], ["requests", requests], ["tenants", tenants]])
