// Statements that change several memories of one user at once. Each locks memories before the counts of their users:
// the triggers that count do the same, so no two of them wait for each other.
import type * as Ids from "@svc-runtime/domain/Ids"
import * as Memory from "@svc-runtime/domain/Memory"
import type { EpochSeconds } from "@svc-runtime/domain/Time"
import { jsonb, jsonbOrNull, text, textOrNull, texts } from "@svc-runtime/postgres/sql/rows"
import type { SqlClient } from "effect/sql"
import * as AppliedChanges from "./AppliedChanges.ts"
import type { MemorySource } from "./MemoryStore.ts"

export interface Application {
  readonly user_id: Ids.UserId
  readonly changes: ReadonlyArray<Memory.Change>
  readonly source: MemorySource
  readonly at: EpochSeconds
}

export interface Replacement {
  readonly user_id: Ids.UserId
  readonly expected: ReadonlyArray<Memory.Memory>
  readonly memory: Memory.Memory
  /** How many memories of the user stay. */
  readonly others: number
}

const columns = `memory_id, memory, topics, user_id, agent_id, team_id, run_id, session_id, created_at, updated_at`

export const make = (sql: SqlClient.SqlClient, memoryLimit: number) => {
  const applied = AppliedChanges.make(sql, "svc_memory_keys")

  const values = (memory: Memory.Memory) =>
    sql`${text(memory.memory_id)}::text, ${text(memory.memory)}::text, ${jsonbOrNull(memory.topics)}::jsonb,
      ${textOrNull(memory.user_id)}::text, ${textOrNull(memory.agent_id)}::text, ${textOrNull(memory.team_id)}::text,
      ${textOrNull(memory.run_id)}::text, ${textOrNull(memory.session_id)}::text, ${memory.created_at}::bigint,
      ${memory.updated_at}::bigint`

  /** Locks the count of the user. The row has its number before the statement. */
  const room = (user_id: Ids.UserId, at: EpochSeconds) =>
    sql`
      insert into svc_memory_users as u (user_id, memories, updated_at) select ${text(user_id)}, 0, ${at}
      on conflict (user_id) do update set user_id = excluded.user_id returning u.memories`

  const insert = (memory: Memory.Memory) =>
    memory.user_id === null
      ? sql`
        with created as (
          insert into svc_memories (${sql.literal(columns)}) select ${values(memory)}
          on conflict (memory_id) do nothing returning 1
        )
        select exists (select from created) as is_created, true as has_room`
      : sql`
        with room as (${room(memory.user_id, memory.updated_at)}), created as (
          insert into svc_memories (${sql.literal(columns)}) select ${values(memory)}
          from room where memories < ${memoryLimit} on conflict (memory_id) do nothing returning 1
        )
        select exists (select from created) as is_created, room.memories < ${memoryLimit} as has_room from room`

  const creation = (
    { at, source, user_id }: Application,
    creates: ReadonlyArray<Memory.Change>
  ) =>
    creates.length === 0 ? sql`` : sql`, room as (
      insert into svc_memory_users as u (user_id, memories, updated_at)
      select ${text(user_id)}, 0, ${at} from claimed
      where (select count(*) from updated) >= 0 and (select count(*) from removed) >= 0
      on conflict (user_id) do update set user_id = excluded.user_id returning u.memories
    ), created as (
      insert into svc_memories (${sql.literal(columns)})
      select c.memory_id, c.memory, c.topics, ${text(user_id)}, ${textOrNull(source.agent_id)}::text,
        ${textOrNull(source.team_id)}::text, ${textOrNull(source.run_id)}::text, ${textOrNull(source.session_id)}::text,
        ${at}::bigint, ${at}::bigint
      from room, rows from (
        jsonb_to_recordset(${jsonb(creates)}::jsonb) as (memory_id text, memory text, topics jsonb)
      ) with ordinality as c (memory_id, memory, topics, place)
      where c.place <= ${memoryLimit} - room.memories + (select count(*) from removed)
      order by c.place on conflict (memory_id) do nothing returning 1
    )`

  const apply = (application: Application) => {
    const { at, source, user_id } = application
    const changes = Memory.lastChanges(application.changes)
    const creates = changes.filter(({ _tag }) => _tag === "Create")
    const updates = changes.filter(({ _tag }) => _tag === "Update")
    const removed = changes.flatMap(({ _tag, memory_id }) => _tag === "Remove" ? [text(memory_id)] : [])
    return sql<{ readonly is_new: boolean; readonly is_erased: boolean; readonly created: number }>`
      with swept as (${applied.sweep(source)}), leased as (${applied.leased(source)}), erasure as (
        ${applied.erasure(user_id, at)}
      ), claimed as (
        insert into svc_memory_keys (key, user_id, session_id)
        select ${text(source.key)}, ${text(user_id)}, ${textOrNull(source.session_id)}::text
        from leased, erasure where not ${applied.isErased(source)}
        on conflict (key) do nothing returning 1
      ), removed as (
        delete from svc_memories m using claimed
        where m.user_id = ${text(user_id)} and m.memory_id = any(${texts(removed)}::text[]) returning 1
      ), updated as (
        update svc_memories m set memory = c.memory, topics = c.topics, updated_at = ${at}
        from claimed, jsonb_to_recordset(${jsonb(updates)}::jsonb) as c (memory_id text, memory text, topics jsonb)
        where m.user_id = ${text(user_id)} and m.memory_id = c.memory_id returning 1
      )${creation(application, creates)}
      select exists (select from claimed) as is_new, ${applied.isErased(source)} as is_erased,
        (${creates.length === 0 ? sql`0` : sql`select count(*) from created`})::int as created
      from erasure where (select count(*) from updated) >= 0 and (select count(*) from removed) >= 0`
  }

  /** No row if the memories are not the expected ones. */
  const replaceAll = ({ expected, memory, others, user_id }: Replacement) =>
    sql`
      with expected as (
        select * from jsonb_to_recordset(${jsonb(expected)}::jsonb)
          as e (memory_id text, memory text, topics jsonb, updated_at bigint)
      ), stored as (
        select m.memory_id, m.memory, m.topics, m.updated_at from svc_memories m
        where m.user_id = ${text(user_id)} order by m.seq for update
      ), same as (
        select 1 where (select count(*) from stored) = (select count(*) from expected) + ${others}::int and not exists (
          select from expected e left join stored s on s.memory_id = e.memory_id
          where s.memory_id is null or e.memory <> s.memory or e.updated_at <> s.updated_at
            or nullif(e.topics, 'null') is distinct from s.topics
        )
      ), removed as (
        delete from svc_memories m using same
        where m.user_id = ${text(user_id)} and m.memory_id in (select memory_id from expected) returning 1
      )
      insert into svc_memories (${sql.literal(columns)}) select ${values(memory)}
      from same where (select count(*) from removed) >= 0 returning memory_id`

  return { apply, insert, replaceAll }
}
