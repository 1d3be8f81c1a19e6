// Stores an upload: the row of its content, its bytes and its jobs.
import type * as Json from "@svc-runtime/domain/Json"
import type * as Job from "@svc-runtime/engine/jobs/Job"
import * as JobStatements from "@svc-runtime/postgres/jobs/JobStatements"
import { jsonbOrNull, text, textOrNull, texts, unchecked } from "@svc-runtime/postgres/sql/rows"
import { Effect, Option, Schema } from "effect"
import { type SqlClient, SqlSchema } from "effect/sql"
import * as ContentBodies from "./ContentBodies.ts"
import type { ContentWork, NewContent } from "./ContentStore.ts"
import * as Knowledge from "./Knowledge.ts"
import { ContentExists, ContentStoredBefore } from "./KnowledgeErrors.ts"
import { contentColumns, isPresent } from "./knowledgeRows.ts"

export const make = (sql: SqlClient.SqlClient) => {
  const jobs = JobStatements.make(sql)
  const bodies = ContentBodies.make(sql)
  const columns = sql.literal(contentColumns)

  const insert = SqlSchema.findOneOption({
    Request: unchecked<
      NewContent & {
        readonly at: number
        readonly folder: Json.Object | null
        readonly folder_id: Knowledge.ContentId | null
      }
    >(),
    Result: Schema.Struct({ ...Knowledge.Content.fields, seq: Schema.Int }),
    execute: ({ at, ...content }) =>
      sql`
        insert into svc_contents as s (
          instance, content_id, user_id, name, description, type, size, metadata, origin, digest, status, generation,
          folder, folder_id, created_at, updated_at
        ) values (
          ${text(content.instance)}, ${text(content.content_id)}, ${textOrNull(content.user_id)},
          ${textOrNull(content.name)}, ${textOrNull(content.description)}, ${textOrNull(content.type)},
          ${content.size}, ${jsonbOrNull(content.metadata)}::jsonb, ${textOrNull(content.origin)},
          ${textOrNull(content.digest)}, 'processing', nextval('svc_content_generations'),
          ${jsonbOrNull(content.folder)}::jsonb, ${textOrNull(content.folder_id)}, ${at}, ${at}
        )
        on conflict (instance, content_id) do update set
          name = excluded.name, description = excluded.description, type = excluded.type, size = excluded.size,
          metadata = excluded.metadata, origin = excluded.origin, digest = excluded.digest, status = 'processing',
          status_message = null, done = null, total = null, generation = nextval('svc_content_generations'),
          updated_at = excluded.updated_at, folder = excluded.folder,
          folder_id = coalesce(excluded.folder_id, s.folder_id)
        where s.user_id is not distinct from excluded.user_id and ${sql.literal(isPresent)}
        returning ${columns}, s.seq::float8 as seq`
  })

  /** What is left of a removed content of this id would be in the way. */
  const removeRest = ({ content_id, instance }: NewContent) =>
    sql`
      delete from svc_contents s
      where s.instance = ${text(instance)} and s.content_id = ${text(content_id)} and not (${sql.literal(isPresent)})`

  const areStored = (wanted: ReadonlyArray<Job.NewJob>) =>
    Effect.map(
      sql`select 1 from svc_jobs where id = any(${texts(wanted.map(({ id }) => id))}::text[])`,
      (rows) => rows.length > 0
    )

  const store = Effect.fnUntraced(function*(
    given: NewContent,
    { body, folder, jobs: wanted = [] }: ContentWork,
    at: number,
    folder_id: Knowledge.ContentId | null
  ) {
    const row = { ...given, at, folder: folder ?? null, folder_id }
    let inserted = yield* insert(row)
    if (Option.isNone(inserted)) inserted = yield* Effect.andThen(removeRest(given), insert(row))
    if (Option.isNone(inserted)) return yield* new ContentExists({ content_id: given.content_id })
    const { seq, ...content } = inserted.value
    // equal requests wait for the row: the later one sees the jobs of the earlier one
    if (yield* areStored(wanted)) return yield* new ContentStoredBefore({ content_id: given.content_id })
    yield* bodies.replace(seq, body)
    yield* Effect.forEach(wanted, jobs.enqueue, { discard: true })
    return content
  })

  return { store }
}
