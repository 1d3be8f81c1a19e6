// Contents that are a URL: the service fetches them.
import { assert, describe, it } from "@effect/vitest"
import { Knowledge, Reader } from "@svc-runtime/server"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Effect } from "effect"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { serveKnowledge, uploadContent } from "../Contents.ts"
import { at, get, list, post } from "../Wire.ts"

Tier.oneIn(6)

/** A site on this machine. A status before the page, as long as there are any. */
const site = (statuses: Array<number> = []) =>
  Effect.map(
    Effect.acquireRelease(
      Effect.promise(() => {
        const server = createServer((request, response) => {
          const status = statuses.shift()
          if (status !== undefined) response.writeHead(status).end()
          else if (request.url !== "/travel.html") response.writeHead(404).end()
          else {
            response.setHeader("content-type", "text/html")
              .end(
                "<html><head><title>Travel</title></head><body><p>Trains are booked by the office.</p></body></html>"
              )
          }
        })
        return new Promise<typeof server>((resolve) => server.listen(0, "127.0.0.1", () => resolve(server)))
      }),
      (server) => Effect.sync(() => server.close().closeAllConnections())
    ),
    (server) => `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  )

const allowed = { fetch: { allow: ["127.0.0.1"] } }

describe("a content that is a URL", () => {
  it.live("a URL is fetched, read and found, with its address", () =>
    Effect.gen(function*() {
      const base = yield* site()
      const { jobEnd, server } = yield* serveKnowledge(allowed)
      const answer = yield* uploadContent(server, { fields: { url: `${base}/travel.html` } })
      assert.strictEqual(answer.status, 202, answer.text)
      assert.strictEqual(yield* jobEnd, "Completed")
      const status = yield* get(server, `/knowledge/content/${String(at(answer.json, "id"))}/status`)
      assert.strictEqual(at(status.json, "status"), "completed", status.text)
      const stored = yield* get(server, `/knowledge/content/${String(at(answer.json, "id"))}`)
      assert.deepStrictEqual([at(stored.json, "size"), at(stored.json, "type")], ["99", "url"])
      const found = yield* post(server, "/knowledge/search", { query: "Who books trains?" })
      const [first] = list(found.json, "data")
      assert.include(String(at(first, "content")), "Trains are booked by the office.")
      assert.strictEqual(at(first, "meta_data", "title"), "Travel")
      assert.strictEqual(at(first, "meta_data", "url"), `${base}/travel.html`)
    }))

  it.live("a URL is read by the reader of the author that its path or the upload chooses", () =>
    Effect.gen(function*() {
      const base = yield* site()
      const page = Reader.make({
        id: "page",
        types: ["travel.html"],
        read: ({ bytes, type }) => [{ text: `${bytes.length > 10} ${type}` }]
      })
      const knowledge = [Knowledge.make({ name: "handbook", readers: [page] })]
      const { jobEnd, server } = yield* serveKnowledge({ ...allowed, knowledge })
      yield* uploadContent(server, { fields: { url: `${base}/travel.html` } })
      assert.strictEqual(yield* jobEnd, "Completed")
      const found = yield* post(server, "/knowledge/search", { query: "html" })
      assert.strictEqual(at(found.json, "data", 0, "content"), "true text/html")
      assert.strictEqual(at(found.json, "data", 0, "meta_data", "url"), `${base}/travel.html`)
    }))

  it.live("a URL is fetched again by each upload of it", () =>
    Effect.gen(function*() {
      const base = yield* site()
      const { jobEnd, server } = yield* serveKnowledge(allowed)
      for (const _ of [1, 2]) {
        const answer = yield* uploadContent(server, { fields: { url: `${base}/travel.html` } })
        assert.strictEqual(at(answer.json, "status"), "processing", answer.text)
        assert.strictEqual(yield* jobEnd, "Completed")
      }
      const { json } = yield* get(server, "/knowledge/content")
      assert.deepStrictEqual([at(json, "meta", "total_count"), at(json, "data", 0, "status")], [1, "completed"])
    }))

  it.live("a URL fails with the reason when it leads into the network of the service, or to nothing", () =>
    Effect.gen(function*() {
      const base = yield* site()
      const statusOf = Effect.fnUntraced(function*(url: string, options: typeof allowed | {}) {
        const { jobEnd, server } = yield* serveKnowledge(options)
        const answer = yield* uploadContent(server, { fields: { url } })
        yield* jobEnd
        const status = yield* get(server, `/knowledge/content/${String(at(answer.json, "id"))}/status`)
        return [at(status.json, "status"), String(at(status.json, "status_message"))] as const
      })
      const [failed, message] = yield* statusOf("http://169.254.169.254/latest/meta-data/", {})
      assert.strictEqual(failed, "failed")
      assert.include(message, "Error reading URL: 169.254.169.254 is not an address of the public internet")
      assert.deepStrictEqual(yield* statusOf(`${base}/gone.html`, allowed), [
        "failed",
        `Error reading URL: ${base}/gone.html responds with the status 404`
      ])
      assert.deepStrictEqual(yield* statusOf("no url", {}), ["failed", "Invalid URL format: no url"])
    }))

  it.live("a site that does not respond is asked again", () =>
    Effect.gen(function*() {
      const base = yield* site([503])
      const { jobEnd, server } = yield* serveKnowledge(allowed)
      const answer = yield* uploadContent(server, { fields: { url: `${base}/travel.html` } })
      assert.strictEqual(yield* jobEnd, "Retry")
      assert.strictEqual(yield* jobEnd, "Completed")
      const status = yield* get(server, `/knowledge/content/${String(at(answer.json, "id"))}/status`)
      assert.strictEqual(at(status.json, "status"), "completed", status.text)
    }))
})
