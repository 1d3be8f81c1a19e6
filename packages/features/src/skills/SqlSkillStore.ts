// `SkillStore` in PostgreSQL. Every method is one statement, except for a page past the end of a list.
import { orUnavailable, readOrUnavailable } from "@svc-runtime/postgres/sql/orUnavailable"
import * as Page from "@svc-runtime/postgres/sql/Page"
import * as ReadableRows from "@svc-runtime/postgres/sql/ReadableRows"
import { readOne } from "@svc-runtime/postgres/sql/readOne"
import { json, text, textOrNull, texts, unchecked } from "@svc-runtime/postgres/sql/rows"
import { Effect, Layer, Option } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import * as Skill from "./Skill.ts"
import { type NewVersion, SkillStore } from "./SkillStore.ts"

const about = "s.name, s.version, s.description, s.license, s.compatibility, s.allowed_tools, s.metadata, " +
  "s.created_at::float8 as created_at, s.created_by"
const whole = `${about}, s.instructions, s.files`

const listed = ReadableRows.make(Skill.Listed, "name")
const readable = ReadableRows.make(Skill.Stored, "name")

interface Row {
  readonly name: string | null
}

/** The latest version without one. */
interface Wanted {
  readonly name: string
  readonly version: number | undefined
}

const make = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const pages = Page.make(sql)
  const shown = sql.literal(about)
  const all = sql.literal(whole)
  const columns = sql.literal(
    "name, version, latest, description, license, compatibility, allowed_tools, metadata, instructions, files, " +
      "created_at, created_by"
  )

  const valuesOf = ({ created_at, created_by, skill }: NewVersion) =>
    sql`true, ${text(skill.description)}::text, ${textOrNull(skill.license)}::text,
      ${textOrNull(skill.compatibility)}::text, ${json(skill.allowed_tools)}::json, ${json(skill.metadata)}::json,
      ${text(skill.instructions)}::text, ${json(skill.files)}::json, ${created_at}::bigint,
      ${textOrNull(created_by)}::text`

  const first = Effect.fnUntraced(function*(rows: ReadonlyArray<Row>) {
    const [stored] = yield* readable(rows.filter(({ name }) => name !== null))
    return Option.fromUndefinedOr(stored)
  })

  const find = SqlSchema.findOneOption({
    Request: unchecked<Wanted>(),
    Result: Skill.Stored,
    execute: ({ name, version }) => {
      const wanted = version === undefined ? sql`s.latest` : sql`s.version = ${version}::int`
      return sql`select ${all} from svc_skills s where s.name = ${text(name)} and ${wanted}`
    }
  })

  return SkillStore.of({
    create: Effect.fn("SqlSkillStore.create")(function*(given) {
      const latest = sql`svc_skills l where l.latest`
      return yield* first(
        yield* sql<Row>`
        insert into svc_skills as s (${columns})
        select ${text(given.skill.name)}::text, 1, ${valuesOf(given)}
        where (select count(*) from (select from ${latest} limit ${Skill.maxStored}) l) < ${Skill.maxStored}
          and not exists (select from ${latest} and l.name = ${text(given.skill.name)})
        on conflict (name, version) do nothing
        returning ${all}`
      )
    }, orUnavailable),
    addVersion: Effect.fn("SqlSkillStore.addVersion")(function*(given) {
      const name = text(given.skill.name)
      // a version that is stored at the same time waits for the row, and finds it changed
      return yield* first(
        yield* sql<Row>`
        with old as (
          update svc_skills set latest = false where name = ${name} and latest returning version
        ), pruned as (
          delete from svc_skills using old where name = ${name} and svc_skills.version < old.version
            and svc_skills.version <= old.version + 1 - ${Skill.maxVersions}
        )
        insert into svc_skills as s (${columns})
        select ${name}::text, old.version + 1, ${valuesOf(given)} from old
        returning ${all}`
      )
    }, orUnavailable),
    about: Effect.fn("SqlSkillStore.about")(function*(names) {
      const rows = yield* sql`
        select ${shown} from svc_skills s where s.latest and s.name = any(${texts(names)}::text[])
        order by s.name`
      return yield* listed(rows)
    }, readOrUnavailable),
    find: Effect.fn("SqlSkillStore.find")((name, version) =>
      readOne(find({ name, version }), { kind: "skill", id: name })
    ),
    list: Effect.fn("SqlSkillStore.list")(function*(page) {
      const from = sql`svc_skills s where s.latest`
      const rows = yield* pages.select({ columns: shown, from, order: sql.literal("s.name"), page })
      return { skills: yield* listed(rows), total: yield* pages.totalOf(rows, { from, page }) }
    }, readOrUnavailable),
    versions: Effect.fn("SqlSkillStore.versions")(function*(name) {
      return yield* listed(
        yield* sql`
        select ${shown} from svc_skills s where s.name = ${text(name)} order by s.version desc`
      )
    }, readOrUnavailable),
    remove: Effect.fn("SqlSkillStore.remove")((name) =>
      orUnavailable(Effect.map(
        sql`delete from svc_skills where name = ${text(name)} returning 1`,
        (rows) => rows.length > 0
      ))
    )
  })
})

export const layer: Layer.Layer<SkillStore, never, SqlClient.SqlClient> = Layer.effect(SkillStore, make)
