// Changes the model of the vectors of an instance, and finds what has to be embedded again.
import { inTransaction } from "@svc-runtime/postgres/sql/inTransaction"
import * as ReadableRows from "@svc-runtime/postgres/sql/ReadableRows"
import { text } from "@svc-runtime/postgres/sql/rows"
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import type * as Knowledge from "./Knowledge.ts"
import { embeddedAgainAtOnce } from "./KnowledgeLimits.ts"
import { contentColumns, foundColumns, FoundRow, isPresent } from "./knowledgeRows.ts"

/** Of one statement. */
const chunksAtOnce = 200

const readable = ReadableRows.make(FoundRow)

export const make = (sql: SqlClient.SqlClient) => {
  const change = (instance: string, { dimensions, model }: Knowledge.Embedding) =>
    inTransaction(sql)(Effect.gen(function*() {
      const [stored] = yield* sql<{ readonly isSame: boolean }>`
        select m.model is not distinct from ${text(model)}::text and m.dimensions is not distinct from ${dimensions}
          as "isSame"
        from svc_knowledge_models m where m.instance = ${text(instance)} for update`
      if (stored?.isSame !== false) return
      yield* sql`
        update svc_knowledge_models set model = ${text(model)}, dimensions = ${dimensions},
          since = nextval('svc_content_generations')
        where instance = ${text(instance)}`
    }))

  /** A content that could not be embedded again has a later generation, and is not tried once more. */
  const outdated = (instance: string) =>
    sql<object>`
      select ${sql.literal(contentColumns)} from svc_contents s
      join svc_knowledge_models m on m.instance = s.instance and s.published < m.since and s.generation < m.since
      where s.instance = ${text(instance)} and s.status <> 'processing' and ${sql.literal(isPresent)}
      order by s.seq limit ${embeddedAgainAtOnce}`

  const publishedChunks = Effect.fnUntraced(function*({ content_id, generation, instance }: Knowledge.Version) {
    const all: Array<Knowledge.Chunk> = []
    for (let last = -1;;) {
      const rows = yield* sql<{ readonly index: number }>`
        select ${sql.literal(foundColumns)} from svc_contents s
        join svc_chunks c on c.content_seq = s.seq and c.generation = s.published
        join svc_chunk_texts t on t.chunk_no = c.chunk_no
        where s.instance = ${text(instance)} and s.content_id = ${text(content_id)} and s.generation = ${generation}
          and ${sql.literal(isPresent)} and c.place > ${last}
        order by c.place limit ${chunksAtOnce}`
      for (const { id, index, metadata, name, size, text } of yield* readable(rows)) {
        all.push({ id, index, metadata, name, size, text })
      }
      last = rows.at(-1)?.index ?? last
      if (rows.length < chunksAtOnce) return all
    }
  })

  return { change, outdated, publishedChunks }
}
