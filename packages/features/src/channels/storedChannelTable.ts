// The table of the channels that requests make.
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export const storedChannelTable = Effect.gen(function*() {
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
