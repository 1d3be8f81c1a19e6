// Which memories a request is about, as SQL.
import type * as Owner from "@svc-runtime/domain/Owner"
import * as Ownership from "@svc-runtime/postgres/sql/Ownership"
import { jsonb, text } from "@svc-runtime/postgres/sql/rows"
import type { SqlClient } from "effect/sql"
import type { MemoryFilter } from "./MemoryStore.ts"

/** Of a memory `m`. */
export const memoryColumns = `m.memory_id, m.memory, m.topics, m.user_id, m.agent_id, m.team_id, m.run_id, m.session_id,
  m.created_at::float8 as created_at, m.updated_at::float8 as updated_at`

/** A pattern of LIKE that matches a part of a text. */
const containing = (part: string): string => `%${text(part).replaceAll(/[\\%_]/g, "\\$&")}%`

/** The condition on a memory `m`. */
export const matchesIn = (sql: SqlClient.SqlClient) => {
  // The memories of one user are few: indexes over the topics and texts of all users would cost more.
  const searched = (owner: Owner.Owner) =>
    owner._tag === "User"
      ? { topics: sql.literal("coalesce(m.topics, '[]')"), text: sql.literal("lower(m.memory || '')") }
      : { topics: sql.literal("m.topics"), text: sql.literal("lower(m.memory)") }

  return ({ agent_id, owner, search, team_id, topics = [] }: MemoryFilter) =>
    sql.and([
      Ownership.covers(sql, "m.user_id", owner),
      ...(agent_id === undefined ? [] : [sql`m.agent_id = ${text(agent_id)}`]),
      ...(team_id === undefined ? [] : [sql`m.team_id = ${text(team_id)}`]),
      ...(topics.length === 0 ? [] : [sql`${searched(owner).topics} @> ${jsonb(topics)}::jsonb`]),
      ...(search === undefined ? [] : [sql`${searched(owner).text} like lower(${containing(search)})`])
    ])
}
