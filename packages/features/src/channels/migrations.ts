// What arrives on channels, which session a conversation has, and what is written there.
import { migrationSet } from "@svc-runtime/postgres/sql/MigrationSet"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const tables = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  // An event that was handled keeps its id, so that another delivery of it is known.
  yield* sql`
    create table svc_channel_events (
      seq bigint generated always as identity primary key,
      channel text collate "C" not null,
      event_id text collate "C" not null,
      thread text collate "C" not null,
      sender text collate "C" not null,
      event json,
      run_id text collate "C" not null,
      session_id text collate "C" not null,
      received_at bigint not null check (received_at between 0 and 253402300799),
      handled_at bigint check (handled_at between 0 and 253402300799),
      error text
    )`
  yield* sql`create unique index svc_channel_events_once on svc_channel_events (channel, event_id)`
  yield* sql`
    create index svc_channel_events_waiting on svc_channel_events (channel, thread, seq) where handled_at is null`
  yield* sql`
    create index svc_channel_events_by_sender on svc_channel_events (channel, sender) where handled_at is null`
  yield* sql`
    create index svc_channel_events_handled on svc_channel_events (handled_at) where handled_at is not null`

  yield* sql`
    create table svc_channel_sessions (
      channel text collate "C" not null,
      thread text collate "C" not null,
      user_id text collate "C" not null,
      session_id text collate "C" not null,
      sender text collate "C" not null,
      place json not null,
      is_direct boolean not null,
      updated_at bigint not null check (updated_at between 0 and 253402300799),
      primary key (channel, thread, user_id)
    )`
  yield* sql`create index svc_channel_sessions_by_session on svc_channel_sessions (session_id)`
  yield* sql`create index svc_channel_sessions_by_user on svc_channel_sessions (user_id)`
  yield* sql`create index svc_channel_sessions_by_age on svc_channel_sessions (updated_at)`

  yield* sql`
    create table svc_channel_replies (
      seq bigint generated always as identity primary key,
      id text collate "C" not null unique,
      channel text collate "C" not null,
      thread text collate "C" not null,
      cause text collate "C" not null,
      place json not null,
      is_direct boolean not null,
      sender json,
      user_id text collate "C",
      run json,
      text json,
      posts json not null,
      prompt_id text collate "C",
      pending json,
      asks text,
      edits text collate "C",
      decided_at bigint check (decided_at between 0 and 253402300799),
      error text,
      created_at bigint not null check (created_at between 0 and 253402300799),
      written_at bigint check (written_at between 0 and 253402300799)
    )`
  yield* sql`create unique index svc_channel_replies_once on svc_channel_replies (channel, cause)`
  yield* sql`
    create index svc_channel_replies_open on svc_channel_replies (channel, thread, seq) where written_at is null`
  yield* sql`
    create unique index svc_channel_replies_prompt on svc_channel_replies (channel, prompt_id)
    where prompt_id is not null`
  yield* sql`
    create index svc_channel_replies_asking on svc_channel_replies (channel, thread, seq)
    where prompt_id is not null and decided_at is null`
  yield* sql`create index svc_channel_replies_written on svc_channel_replies (written_at) where written_at is not null`

  // What was done last on each channel, and what failed last: for its health.
  yield* sql`create index svc_channel_events_by_channel on svc_channel_events (channel, received_at)`
  yield* sql`
    create index svc_channel_replies_by_channel on svc_channel_replies (channel, written_at)
    where written_at is not null and error is null`
  yield* sql`
    create table svc_channel_errors (
      channel text collate "C" not null,
      kind text collate "C" not null check (kind in ('receive', 'post', 'connect')),
      message text not null,
      at bigint not null check (at between 0 and 253402300799),
      primary key (channel, kind)
    )`

  // People on a platform who are users of the service, with the scopes that they have there. A code is stored as its
  // hash.
  yield* sql`
    create table svc_channel_links (
      id text collate "C" not null unique,
      seq bigint generated always as identity unique,
      channel text collate "C" not null,
      sender text collate "C" not null,
      name text,
      user_id text collate "C" not null,
      scopes json not null,
      created_at bigint not null check (created_at between 0 and 253402300799),
      primary key (channel, sender)
    )`
  yield* sql`create index svc_channel_links_by_user on svc_channel_links (user_id, seq)`
  yield* sql`
    create table svc_channel_codes (
      channel text collate "C" not null,
      sender text collate "C" not null,
      name text,
      hash text collate "C" not null unique,
      expires_at bigint not null check (expires_at between 0 and 253402300799),
      primary key (channel, sender)
    )`
  yield* sql`create index svc_channel_codes_by_age on svc_channel_codes (expires_at)`
})

// The channels that requests make.
const stored = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    create table svc_channels (
      id text collate "C" primary key,
      seq bigint generated always as identity unique,
      revision text collate "C" not null,
      platform text collate "C" not null,
      component_kind text collate "C" not null check (component_kind in ('agent', 'team', 'workflow')),
      component_id text collate "C" not null,
      access json not null,
      when_busy text collate "C" not null check (when_busy in ('queue', 'interrupt', 'reject')),
      tenant text collate "C",
      settings json not null,
      secrets text not null,
      secret_names text[] not null,
      created_at bigint not null check (created_at between 0 and 253402300799),
      updated_at bigint check (updated_at between 0 and 253402300799)
    )`
})

export const channels = migrationSet("channels", [["tables", tables], ["stored", stored]])
