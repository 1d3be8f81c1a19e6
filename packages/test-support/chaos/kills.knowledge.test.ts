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

const points = [
  "put.during.1",
  "put.after.1",
  "body.before.1",
  "body.after.1",
  "add.during.1",
  "add.after.1",
  "add.during.2",
  "add.after.2",
  "publish.during.1",
  "publish.after.1",
  "finish.during.1",
  "finish.after.1"
]

/** Points of a file that the job fetches, which uploads do not have. */
const fetchedPoints = [
  "renew.during.1",
  "renew.after.1",
  "storeBody.before.1",
  "storeBody.during.1",
  "storeBody.after.1",
  "add.during.1",
  "add.after.1",
  "publish.during.1",
  "finish.during.1"
]

/** More chunks than are stored at once. */
const lines = Array.from({ length: 250 }, (_, index) => `word${index} handbook`).join("\n")

interface Json {
  readonly [key: string]: any // oxlint-disable-line typescript/no-explicit-any -- raw answers are read as they are
}

const jsonOf = (url: string, init?: RequestInit) => Effect.promise(() => ServiceClient.read(url, init) as Promise<Json>)

/** The answer is lost where the service dies before it. */
const upload = (url: string, name: string, isFetched: boolean) => {
  const body = new FormData()
  const source = isFetched ? { config_id: "folder", path: "lines.txt" } : { text_content: lines }
  const fields = { ...source, name, chunker: "RowChunker", metadata: JSON.stringify({ name }) }
  for (const [field, text] of Object.entries(fields)) body.append(field, text)
  const path = isFetched ? "/knowledge/remote-content" : "/knowledge/content"
  const send = () => ServiceClient.send(`${url}${path}`, { init: { method: "POST", body } })
  return Effect.map(Effect.promise(() => ServiceClient.whileRefused(send)), ({ status }) => status)
}

const foundIn = (url: string, name: string) =>
  Effect.map(
    jsonOf(`${url}/knowledge/search`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({
        query: "handbook",
        search_type: "keyword",
        max_results: 1000,
        filters: { name },
        meta: { limit: 1000 }
      })
    }),
    ({ data }) => data as ReadonlyArray<Json>
  )

describe("a service on PostgreSQL that is killed between the steps of an ingestion", () => {
  it.live("a killed service completes an accepted content after its next start, with each chunk once", () =>
    Effect.scoped(Effect.gen(function*() {
      const url = yield* PostgresLayer.url
      const folder = join(mkdtempSync(join(tmpdir(), "svc-knowledge-")), "files.json")
      writeFileSync(folder, JSON.stringify({ "lines.txt": lines }))
      const { signs, start } = yield* Kills.world(Subjects.agent, {
        DATABASE_URL: Redacted.value(url),
        FOLDER_FILE: folder
      })
      let service = yield* start
      const sql = Context.get(yield* Layer.build(Postgres.layer({ url, maxConnections: 1 })), SqlClient.SqlClient)
      const chosen = [
        ...Tier.some(points, 1).map((point) => [point, false] as const),
        ...Tier.some(fetchedPoints, 1).map((point) => [point, true] as const)
      ]
      for (const [point, isFetched] of chosen) {
        yield* Progress.watched(
          point,
          signs,
          Effect.gen(function*() {
            const name = `${Points.runIdOf([1, point])}${isFetched ? " fetched" : ""}`
            const status = yield* upload(service.url, name, isFetched)
            assert.strictEqual(yield* service.ended, "SIGKILL", point)
            service = yield* start
            const stored = yield* sql`select 1 from svc_contents where name = ${name}`
            // what was not accepted may be gone
            if (status === undefined && stored.length === 0) return
            const content = yield* jsonOf(`${service.url}/knowledge/content?limit=100`).pipe(
              Effect.tap(() => Effect.sleep("100 millis")),
              Effect.map(({ data }) => (data as ReadonlyArray<Json>).find((each) => each["name"] === name)),
              Effect.repeat({ until: (found) => found?.["status"] !== "processing" })
            )
            assert.strictEqual(content?.["status"], "completed", `${point}: ${content?.["status_message"]}`)
            const chunks = (yield* foundIn(service.url, name)).map((result) => result["meta_data"].chunk)
            assert.deepStrictEqual(
              chunks.toSorted((one, other) => one - other),
              lines.split("\n").map((_, at) => at + 1)
            )
          })
        )
      }
      assert.deepStrictEqual(yield* sql`select content_seq from svc_content_bodies`, [])
      yield* Effect.promise(() => ServiceClient.request(`${service.url}/knowledge/content`, { method: "DELETE" }))
      assert.deepStrictEqual(yield* sql`select seq from svc_contents`, [])
    })))
})
