// The statements of folders and their files, and of the removal of one content. A file is stored under a lock of its
// folder. A removal deletes the folder first, so the later statements see each file that was stored under the lock.
import * as Json from "@svc-runtime/domain/Json"
import { EpochSeconds } from "@svc-runtime/domain/Time"
import { inTransaction } from "@svc-runtime/postgres/sql/inTransaction"
import * as ReadableRows from "@svc-runtime/postgres/sql/ReadableRows"
import { text, textOrNull, unchecked } from "@svc-runtime/postgres/sql/rows"
import { Effect, Schema } from "effect"
import { type SqlClient, SqlSchema, type Statement } from "effect/sql"
import type { DueFolders } from "./ContentStore.ts"
import * as Knowledge from "./Knowledge.ts"
import { contentsRemovedAtOnce, folderLimits } from "./KnowledgeLimits.ts"
import { contentColumns, isPresent } from "./knowledgeRows.ts"

type FolderKey = Pick<Knowledge.Version, "content_id" | "instance">

interface Gone {
  readonly content_id: Knowledge.ContentId
  readonly generation: number
  readonly is_folder: boolean
  readonly user_id: string | null
}

const status = `case when s.status like '%failed%' then 'failed' when s.status like '%completed%' then 'completed'
  else 'processing' end as status`

const removedOf = (gone: ReadonlyArray<Pick<Gone, "generation">>) => ({
  count: gone.length,
  generation: gone.reduce((last, { generation }) => Math.max(last, generation), 0)
})

const readable = ReadableRows.make(
  Schema.Struct({ ...Knowledge.Content.fields, folder: Json.Object }),
  "content_id"
)

export const make = (sql: SqlClient.SqlClient) => {
  const deleted = (condition: Statement.Fragment) =>
    sql<Gone>`
      delete from svc_contents s where ${condition}
      returning s.content_id, s.generation::float8 as generation, s.folder is not null as is_folder, s.user_id`

  /** In pieces, so that no statement blocks the embedded database for long. */
  const deletedFiles = Effect.fnUntraced(function*(isFile: Statement.Fragment) {
    const all: Array<Gone> = []
    for (;;) {
      const piece = yield* deleted(sql`s.seq = any(array(
        select s.seq from svc_contents s where ${isFile} order by s.content_id limit ${contentsRemovedAtOnce}
      ))`)
      all.push(...piece)
      if (piece.length < contentsRemovedAtOnce) return all
    }
  })

  const filesOf = SqlSchema.findAll({
    Request: unchecked<FolderKey & { readonly after: Knowledge.ContentId | undefined }>(),
    Result: Schema.Struct({
      content_id: Knowledge.ContentId,
      digest: Schema.NullOr(Schema.String),
      status: Knowledge.Status,
      updated_at: EpochSeconds
    }),
    execute: ({ after, content_id, instance }) =>
      sql`
        select s.content_id, s.digest, ${sql.literal(status)}, s.updated_at::float8 as updated_at from svc_contents s
        where s.instance = ${text(instance)} and s.folder_id = ${text(content_id)} and ${sql.literal(isPresent)}
          ${after === undefined ? sql.literal("") : sql`and s.content_id > ${text(after)}`}
        order by s.content_id limit ${folderLimits.files}`
  })

  const due = ({ before, instance, knowledge_id, source_id }: DueFolders) =>
    sql`
      select ${sql.literal(contentColumns)}, s.folder from svc_contents s
      where s.instance = ${text(instance)} and s.folder is not null and s.updated_at < ${before}
        and s.status in ('completed', 'failed') and s.folder ->> 'knowledge_id' = ${text(knowledge_id)}
        and s.folder ->> 'source_id' = ${text(source_id)} and ${sql.literal(isPresent)}
      order by s.updated_at limit ${folderLimits.due}`

  return {
    filesOf: (folder: FolderKey, after: Knowledge.ContentId | undefined) => filesOf({ ...folder, after }),
    due: (request: DueFolders) =>
      Effect.map(
        Effect.flatMap(due(request), readable),
        (rows) => rows.map(({ folder, ...content }) => ({ content, folder }))
      ),
    remove: ({ content_id, instance }: FolderKey, condition: Statement.Fragment) =>
      inTransaction(sql)(Effect.gen(function*() {
        const [gone] = yield* deleted(condition)
        if (gone === undefined || !gone.is_folder) return { ...removedOf(gone === undefined ? [] : [gone]), files: [] }
        const files = yield* deletedFiles(sql`
          s.instance = ${text(instance)} and s.folder_id = ${text(content_id)}
          and s.user_id is not distinct from ${textOrNull(gone.user_id)}::text and ${sql.literal(isPresent)}`)
        return { ...removedOf([gone, ...files]), files: files.map(({ content_id }) => content_id) }
      }))
  }
}
