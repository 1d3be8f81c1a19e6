// `WorkspaceStore` in PostgreSQL. Every method is one statement, but a save has some, in a transaction.
import type * as Owner from "@svc-runtime/domain/Owner"
import type * as Session from "@svc-runtime/domain/Session"
import { inTransaction } from "@svc-runtime/postgres/sql/inTransaction"
import { orUnavailable, readOrUnavailable } from "@svc-runtime/postgres/sql/orUnavailable"
import * as Ownership from "@svc-runtime/postgres/sql/Ownership"
import * as ReadableRows from "@svc-runtime/postgres/sql/ReadableRows"
import { booleans, byteStrings, integers, text, texts } from "@svc-runtime/postgres/sql/rows"
import { Effect, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import type { Quota } from "./SandboxPort.ts"
import * as WorkspaceFile from "./WorkspaceFile.ts"
import { type Changes, foldersOf, full, inTheWay, WorkspaceStore } from "./WorkspaceStore.ts"

const columns = "f.path, f.size, f.hash, f.executable, f.updated_at::float8 as updated_at"

const readable = ReadableRows.make(WorkspaceFile.Listed, "path")

/** Bytes and files of one statement. A larger file has one of its own. */
const maxBatch = { bytes: 1024 ** 2, files: 200 }

const batchesOf = (files: Changes["files"]): ReadonlyArray<Changes["files"]> => {
  const batches: Array<Array<Changes["files"][number]>> = []
  let bytes = 0
  for (const file of files) {
    const last = batches.at(-1)
    bytes += file.content.length
    if (last === undefined || bytes > maxBatch.bytes || last.length === maxBatch.files) {
      batches.push([file])
      bytes = file.content.length
    } else {
      last.push(file)
    }
  }
  return batches
}

interface Row {
  /** Null: the workspace has no file. */
  readonly path: string | null
  readonly revision: number | null
}

const make = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const shown = sql.literal(columns)

  const visible = (session: Session.Id, owner: Owner.Owner) =>
    sql`s.session_id = ${text(session)} and ${Ownership.isVisible(sql, owner)}`

  const check = Effect.fnUntraced(function*(session: Session.Id, changed: ReadonlyArray<string>, quota: Quota) {
    const [sums] = yield* sql<{ readonly files: number; readonly bytes: number }>`
      select count(*)::int as files, coalesce(sum(size), 0)::float8 as bytes from svc_workspace_files
      where session_id = ${text(session)}`
    if (sums !== undefined && (sums.files > quota.files || sums.bytes > quota.bytes)) return yield* full(quota)
    // each of them is a file, and another file is below it
    const files = [...new Set([...changed, ...changed.flatMap(foldersOf)])]
    const [conflict] = yield* sql<{ readonly path: string }>`
      select f.path from svc_workspace_files f where f.session_id = ${text(session)} and f.path = any(${texts(files)})
        and exists (
          select from svc_workspace_files b where b.session_id = f.session_id
            and b.path > f.path || '/' and b.path < f.path || '0'
        ) limit 1`
    if (conflict !== undefined) return yield* inTheWay(conflict.path)
  })

  return WorkspaceStore.of({
    state: Effect.fn("SqlWorkspaceStore.state")(function*(session, owner) {
      const rows = yield* sql<Row>`
        select w.revision::float8 as revision, ${shown} from svc_sessions s
          left join svc_workspaces w on w.session_id = s.session_id
          left join svc_workspace_files f on f.session_id = w.session_id
        where ${visible(session, owner)} order by f.path`
      const [first] = rows
      if (first === undefined) return Option.none()
      const files = yield* readable(rows.filter(({ path }) => path !== null))
      return Option.some({ revision: first.revision ?? 0, files })
    }, readOrUnavailable),
    read: Effect.fn("SqlWorkspaceStore.read")(function*(session, path, owner) {
      const rows = yield* sql<Row & { readonly content: Uint8Array }>`
        select f.content, ${shown} from svc_sessions s join svc_workspace_files f on f.session_id = s.session_id
        where ${visible(session, owner)} and f.path = ${text(path)}`
      const [file] = yield* readable(rows)
      const content = rows[0]?.content
      return file === undefined || content === undefined ? Option.none() : Option.some({ ...file, content })
    }, readOrUnavailable),
    save: Effect.fn("SqlWorkspaceStore.save")(
      function*(session, { at, files, removed }: Changes, quota, owner) {
        // the session stays until all is stored, and another save waits
        const [stored] = yield* sql<{ readonly revision: number }>`
          insert into svc_workspaces as w (session_id, revision, updated_at)
          select s.session_id, 1, ${at}::bigint
          from (select s.session_id from svc_sessions s where ${visible(session, owner)} for key share) s
          on conflict (session_id) do update set revision = w.revision + 1, updated_at = excluded.updated_at
          returning revision::float8 as revision`
        if (stored === undefined) return Option.none()
        if (removed.length > 0) {
          yield* sql`
            delete from svc_workspace_files where session_id = ${text(session)} and path = any(${texts(removed)})`
        }
        for (const batch of batchesOf(files)) {
          yield* sql`
            insert into svc_workspace_files (session_id, path, hash, size, executable, updated_at, content)
            select ${text(session)}, f.path, f.hash, f.size, f.executable, ${at}::bigint, f.content
            from unnest(
              ${texts(batch.map(({ path }) => text(path)))}::text[], ${texts(batch.map(({ hash }) => hash))}::text[],
              ${integers(batch.map(({ content }) => content.length))}::int[],
              ${booleans(batch.map(({ executable }) => executable))}::boolean[],
              ${byteStrings(batch.map(({ content }) => content))}::bytea[]
            ) as f (path, hash, size, executable, content)
            on conflict (session_id, path) do update set hash = excluded.hash, size = excluded.size,
              executable = excluded.executable, updated_at = excluded.updated_at, content = excluded.content`
        }
        if (files.length > 0) yield* check(session, files.map(({ path }) => path), quota)
        return Option.some(stored.revision)
      },
      inTransaction(sql),
      orUnavailable
    ),
    copySession: Effect.fn("SqlWorkspaceStore.copySession")(
      (from, to) =>
        orUnavailable(Effect.asVoid(sql`
          with copied as (
            insert into svc_workspaces (session_id, revision, updated_at)
            select s.session_id, 1, w.updated_at from svc_workspaces w, svc_sessions s
            where w.session_id = ${text(from)} and s.session_id = ${text(to)}
            on conflict do nothing returning session_id
          )
          insert into svc_workspace_files (session_id, path, hash, size, executable, updated_at, content)
          select c.session_id, f.path, f.hash, f.size, f.executable, f.updated_at, f.content
          from copied c, svc_workspace_files f where f.session_id = ${text(from)}`))
    )
  })
})

export const layer: Layer.Layer<WorkspaceStore, never, SqlClient.SqlClient> = Layer.effect(WorkspaceStore, make)
