// `PromptStore` in PostgreSQL. Every method is one statement, except for a page past the end of a list.
import { orUnavailable, readOrUnavailable } from "@svc-runtime/postgres/sql/orUnavailable"
import * as Page from "@svc-runtime/postgres/sql/Page"
import * as ReadableRows from "@svc-runtime/postgres/sql/ReadableRows"
import { readOne } from "@svc-runtime/postgres/sql/readOne"
import { text, textOrNull, texts, unchecked } from "@svc-runtime/postgres/sql/rows"
import { Effect, Layer, Option } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import { PromptStore } from "./PromptStore.ts"
import * as StoredPrompt from "./StoredPrompt.ts"

const about = "p.name, p.version, p.created_at::float8 as created_at, p.created_by"

const listed = ReadableRows.make(StoredPrompt.Listed, "name")
const heads = ReadableRows.make(StoredPrompt.Head, "name")
const readable = ReadableRows.make(StoredPrompt.Stored, "name")

const first = (rows: ReadonlyArray<object>) => Effect.map(readable(rows), ([stored]) => Option.fromUndefinedOr(stored))

/** The latest version without one. */
interface Wanted {
  readonly name: string
  readonly version: number | undefined
}

const make = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const pages = Page.make(sql)
  const shown = sql.literal(about)
  const all = sql.literal(`${about}, p.prompt_id, p.text`)
  const columns = sql.literal("name, version, latest, prompt_id, text, created_at, created_by")

  const valuesOf = (prompt: StoredPrompt.Stored) =>
    sql`${text(prompt.name)}::text, ${prompt.version}::int, true, ${text(prompt.prompt_id)}::text,
      ${text(prompt.text)}::text, ${prompt.created_at}::bigint, ${textOrNull(prompt.created_by)}::text`

  const find = SqlSchema.findOneOption({
    Request: unchecked<Wanted>(),
    Result: StoredPrompt.Stored,
    execute: ({ name, version }) => {
      const wanted = version === undefined ? sql`p.latest` : sql`p.version = ${version}::int`
      return sql`select ${all} from svc_prompts p where p.name = ${text(name)} and ${wanted}`
    }
  })

  return PromptStore.of({
    create: Effect.fn("SqlPromptStore.create")(function*(prompt) {
      const latest = sql`svc_prompts l where l.latest`
      return yield* first(
        yield* sql`
        insert into svc_prompts as p (${columns})
        select ${valuesOf(prompt)}
        where (select count(*) from (select from ${latest} limit ${StoredPrompt.maxStored}) l)
            < ${StoredPrompt.maxStored}
          and not exists (select from ${latest} and l.name = ${text(prompt.name)})
        on conflict (name, version) do nothing
        returning ${all}`
      )
    }, orUnavailable),
    addVersion: Effect.fn("SqlPromptStore.addVersion")(function*(prompt) {
      // a version that is stored at the same time waits for the row, and finds it changed
      return yield* first(
        yield* sql`
        with old as (
          update svc_prompts set latest = false
          where name = ${text(prompt.name)} and latest and version = ${prompt.version - 1}::int
            and prompt_id = ${text(prompt.prompt_id)}
          returning version
        )
        insert into svc_prompts as p (${columns}) select ${valuesOf(prompt)} from old
        returning ${all}`
      )
    }, orUnavailable),
    heads: Effect.flatMap(
      sql`select p.name, p.prompt_id, p.version from svc_prompts p where p.latest order by p.name`,
      heads
    ).pipe(readOrUnavailable, Effect.withSpan("SqlPromptStore.heads")),
    texts: Effect.fn("SqlPromptStore.texts")(function*(refs) {
      return yield* readable(
        yield* sql`
        select ${all} from svc_prompts p where (p.name, p.version) in (
          select * from unnest(${texts(refs.map(({ name }) => text(name)))}::text[],
            ${texts(refs.map(({ version }) => String(version)))}::int[])
        )`
      )
    }, readOrUnavailable),
    find: Effect.fn("SqlPromptStore.find")((name, version) =>
      readOne(find({ name, version }), { kind: "prompt", id: name })
    ),
    list: Effect.fn("SqlPromptStore.list")(function*(page) {
      const from = sql`svc_prompts p where p.latest`
      const rows = yield* pages.select({ columns: shown, from, order: sql.literal("p.name"), page })
      return { prompts: yield* listed(rows), total: yield* pages.totalOf(rows, { from, page }) }
    }, readOrUnavailable),
    versions: Effect.fn("SqlPromptStore.versions")(function*(name) {
      return yield* listed(
        yield* sql`select ${shown} from svc_prompts p where p.name = ${text(name)} order by p.version desc`
      )
    }, readOrUnavailable),
    remove: Effect.fn("SqlPromptStore.remove")((name) =>
      orUnavailable(Effect.map(
        sql`delete from svc_prompts where name = ${text(name)} returning 1`,
        (rows) => rows.length > 0
      ))
    )
  })
})

export const layer: Layer.Layer<PromptStore, never, SqlClient.SqlClient> = Layer.effect(PromptStore, make)
