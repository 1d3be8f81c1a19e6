// What the authorization server of the MCP endpoint gave out. Requests, codes and tokens are hashes.
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    create table svc_oauth_clients (
      id text collate "C" primary key,
      name text,
      redirect_uris text[] not null,
      created_at bigint not null check (created_at between 0 and 253402300799),
      expires_at bigint check (expires_at between 0 and 253402300799)
    )`
  yield* sql`create index svc_oauth_clients_pending on svc_oauth_clients (expires_at) where expires_at is not null`
  yield* sql`
    create table svc_oauth_requests (
      id_hash text collate "C" primary key,
      client_id text collate "C" not null,
      client_name text,
      redirect_uri text not null,
      state text,
      scopes text[] not null,
      code_challenge text not null,
      expires_at bigint not null check (expires_at between 0 and 253402300799)
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
