import { assert, describe, it } from "@effect/vitest"
import * as Postgres from "@svc-runtime/postgres/Postgres"
import * as PostgresLayer from "@svc-runtime/test-support/PostgresLayer"
import * as ServiceClient from "@svc-runtime/test-support/ServiceClient"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Context, Effect, Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Kills from "./Kills.ts"
import * as Points from "./Points.ts"
import * as Progress from "./Progress.ts"
import * as Subjects from "./Subjects.ts"

const uploadPoints = [
  "put.during.1",
  "put.after.1",
  "files.after.1",
  "file.during.1",
  "file.after.1",
  "file.during.3",
  "file.after.3",
  "finish.during.1",
  "finish.after.1"
]

/** Those after the sync has begun: before, nothing has happened yet. */
const syncPoints = [
  "restart.after.1",
  "files.after.1",
  "file.during.1",
  "file.after.1",
  "file.during.2",
  "file.after.2",
  "remove.during.1",
  "remove.after.1",
  "finish.during.1",
  "finish.after.1"
]

/** The attempt of a sync, whichever process begins it. */
const syncAttempt = 3

interface Row {
  readonly name: string
  readonly status: string
}

describe("a service on PostgreSQL that is killed while it stores a folder, or syncs it", () => {
  it.live("a killed service has each file of the folder once after its next start, and none that is gone", () =>
    Effect.scoped(Effect.gen(function*() {
      const url = yield* PostgresLayer.url
      const file = join(mkdtempSync(join(tmpdir(), "svc-folder-")), "files.json")
      const texts: Record<string, string> = {}
      const write = () => writeFileSync(file, JSON.stringify(texts))
      write()
      const { signs, start } = yield* Kills.world(Subjects.agent, {
        DATABASE_URL: Redacted.value(url),
        FOLDER_FILE: file
      })
      let service = yield* start
      const sql = Context.get(yield* Layer.build(Postgres.layer({ url, maxConnections: 1 })), SqlClient.SqlClient)

      /** Undefined when the service dies before it answers. */
      const upload = (name: string, path: string) =>
        Effect.promise(async () => {
          const body = new URLSearchParams({ config_id: "folder", path, name })
          const url = `${service.url}/knowledge/remote-content`
          const { status } = await ServiceClient.whileRefused(() =>
            ServiceClient.send(url, { init: { method: "POST", body } })
          )
          return status
        })

      const rowsOf = (name: string) =>
        sql<Row>`select name, status from svc_contents where name like ${`${name}%`} order by name`

      const whole = (name: string) =>
        rowsOf(name).pipe(
          Effect.tap(() => Effect.sleep("100 millis")),
          Effect.repeat({ until: (rows) => rows.every(({ status }) => status !== "processing") })
        )

      const check = Effect.fnUntraced(function*(name: string, path: string) {
        const rows = yield* whole(name)
        const wanted = Object.keys(texts).filter((key) => key.startsWith(path)).map((key) => key.slice(path.length))
        assert.deepStrictEqual(
          rows.map(({ name, status }) => `${name} ${status}`),
          [`${name} completed`, ...wanted.toSorted().map((key) => `${name}/${key} completed`)]
        )
        const found = yield* sql<{ readonly text: string }>`
          select t.text from svc_contents s join svc_chunks c on c.content_seq = s.seq and c.generation = s.published
          join svc_chunk_texts t on t.chunk_no = c.chunk_no where s.name like ${`${name}/%`}`
        assert.deepStrictEqual(
          found.map(({ text }) => text).toSorted(),
          wanted.map((key) => texts[`${path}${key}`]!).toSorted()
        )
      })

      const fill = (path: string) => {
        for (const key of ["a.md", "b/c.md", "d.md"]) texts[`${path}${key}`] = `${path} ${key}`
        write()
      }

      const restarted = Effect.fnUntraced(function*(point: string) {
        assert.strictEqual(yield* service.ended, "SIGKILL", point)
        service = yield* start
      })

      for (const [index, point] of Tier.some(uploadPoints, 1).entries()) {
        yield* Progress.watched(
          point,
          signs,
          Effect.gen(function*() {
            const [name, path] = [Points.runIdOf([1, point]), `upload${index}/`]
            fill(path)
            const status = yield* upload(name, path)
            yield* restarted(point)
            const stored = yield* rowsOf(name)
            // content that was not accepted may be missing
            if (status === undefined && stored.length === 0) return
            yield* check(name, path)
          })
        )
      }

      for (const [index, point] of Tier.some(syncPoints, 1).entries()) {
        yield* Progress.watched(
          point,
          signs,
          Effect.gen(function*() {
            const [name, path] = [Points.runIdOf([syncAttempt, point]), `sync${index}/`]
            fill(path)
            assert.strictEqual(yield* upload(name, path), 202)
            yield* check(name, path)
            delete texts[`${path}a.md`]
            texts[`${path}b/c.md`] = `${path} changed`
            texts[`${path}e.md`] = `${path} e.md`
            write()
            yield* sql`update svc_contents set updated_at = 1 where name = ${name}`
            yield* sql`update svc_jobs set is_due = true, run_at = now() where kind = 'knowledge_sync' and status = 'PENDING'`
            yield* restarted(point)
            yield* check(name, path)
          })
        )
      }
    })))
})
