// Contents of sources.
import { assert, describe, it } from "@effect/vitest"
import * as GitHubServer from "@svc-runtime/features/knowledge/test/sources/GitHubServer"
import * as S3Server from "@svc-runtime/features/knowledge/test/sources/S3Server"
import { GitHubSource, Knowledge, S3Source } from "@svc-runtime/server"
import type * as TestServer from "@svc-runtime/test-support/TestServer"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Effect } from "effect"
import { serveKnowledge } from "../Contents.ts"
import { ask, at, badRequest, get, invalid, list, notFound, post } from "../Wire.ts"

Tier.oneIn(6)

const files = {
  "docs/a b+c~(1)'*&.md": "Trains are booked by the office.",
  "docs/trips/planes.md": "Planes are booked by pilots.",
  "docs/trips/ships & boats.md": "Ships are booked by captains.",
  "docs/": "",
  "docs/x/../../secret.md": "Never shown.",
  "secret.md": "The password is hush."
}

const names = (json: unknown, field: string, name: string) => list(json, field).map((entry) => at(entry, name))

const serveBucket = Effect.fnUntraced(function*(given: Partial<S3Source.Options> = {}, statuses: Array<number> = []) {
  const endpoint = yield* S3Server.make(files, 2, statuses.map(S3Server.busy))
  const source = S3Source.make({
    id: "bucket",
    bucket: "wiki",
    endpoint,
    prefix: "docs/",
    ...S3Server.credentials,
    ...given
  })
  const served = yield* serveKnowledge({ knowledge: [Knowledge.make({ name: "handbook", sources: [source] })] })
  const config = yield* get(served.server, "/config")
  const id = String(at(config.json, "knowledge", "knowledge_instances", 0, "id"))
  return { ...served, listing: `/knowledge/${id}/sources/bucket/files`, sources: `/knowledge/${id}/sources` }
})

const send = (server: TestServer.TestServer, fields: Readonly<Record<string, string>>, key?: string) =>
  ask(server, "/knowledge/remote-content", {
    method: "POST",
    headers: {
      "content-type": "application/x-www-form-urlencoded",
      ...(key === undefined ? {} : { "idempotency-key": key })
    },
    body: new URLSearchParams({ config_id: "bucket", ...fields }).toString()
  })

describe("a bucket as a source of contents", () => {
  it.live("a bucket is listed with its prefix, its files in pages, and its folders on the first one", () =>
    Effect.gen(function*() {
      const { listing, server, sources } = yield* serveBucket()
      const wire = { id: "bucket", name: "bucket", type: "s3", metadata: null, prefix: "docs/" }
      assert.deepStrictEqual((yield* get(server, sources)).json, [wire])
      assert.deepStrictEqual(at((yield* get(server, "/knowledge/config")).json, "remote_content_sources"), [wire])
      const all = yield* get(server, listing)
      assert.strictEqual(all.status, 200, all.text)
      assert.deepStrictEqual(names(all.json, "folders", "name"), ["trips", "x"])
      assert.deepStrictEqual(names(all.json, "files", "name"), ["a b+c~(1)'*&.md"])
      assert.strictEqual(at(all.json, "files", 0, "last_modified"), "2026-11-20T10:00:00Z")
      const second = yield* get(server, `${listing}?limit=1&page=2&prefix=docs/trips/`)
      assert.deepStrictEqual(names(second.json, "files", "size"), [29])
      assert.strictEqual(at(second.json, "meta", "total_count"), 2)
      assert.deepStrictEqual(names((yield* get(server, `${listing}?page=2`)).json, "folders", "name"), [])
      const flat = yield* get(server, `${listing}?delimiter=`)
      assert.strictEqual(list(flat.json, "files").length, 4, flat.text)
    }))

  it.live("a file of it is fetched by the job, read and found", () =>
    Effect.gen(function*() {
      const { jobEnd, server } = yield* serveBucket({}, [503])
      const answer = yield* send(server, { path: "docs/a b+c~(1)'*&.md" })
      assert.deepStrictEqual([answer.status, at(answer.json, "status")], [202, "processing"], answer.text)
      assert.strictEqual(at(answer.json, "name"), "docs/a b+c~(1)'*&.md")
      assert.strictEqual(yield* jobEnd, "Retry")
      assert.strictEqual(yield* jobEnd, "Completed")
      const stored = yield* get(server, `/knowledge/content/${String(at(answer.json, "id"))}`)
      assert.strictEqual(at(stored.json, "size"), "32")
      const found = yield* post(server, "/knowledge/search", { query: "Who books trains?" })
      assert.include(String(at(found.json, "data", 0, "content")), "Trains are booked by the office.")
    }))

  it.live("an upload of a folder that is repeated with its Idempotency-Key is stored once", () =>
    Effect.gen(function*() {
      const { jobEnd, server } = yield* serveBucket()
      const first = yield* send(server, { path: "docs/" }, "one")
      for (const _ of [1, 2, 3, 4]) assert.strictEqual(yield* jobEnd, "Completed")
      const repeated = yield* send(server, { path: "docs/" }, "one")
      assert.deepStrictEqual(
        [repeated.status, at(repeated.json, "id"), at(repeated.json, "status")],
        [202, at(first.json, "id"), "completed"],
        repeated.text
      )
      assert.strictEqual((yield* send(server, { path: "docs/trips/" }, "one")).status, 409)
    }))

  it.live("a folder is accepted at once, and each of its files becomes a content, except paths that lead out of it", () =>
    Effect.gen(function*() {
      const { jobEnd, server } = yield* serveBucket({}, [503])
      const answer = yield* send(server, { path: "docs/", name: "Wiki" })
      assert.deepStrictEqual([answer.status, at(answer.json, "name")], [202, "Wiki"], answer.text)
      assert.deepStrictEqual([at(answer.json, "type"), at(answer.json, "status")], ["folder", "processing"])
      assert.strictEqual(yield* jobEnd, "Retry")
      for (const _ of [1, 2, 3, 4]) assert.strictEqual(yield* jobEnd, "Completed")
      const { json, text } = yield* get(server, "/knowledge/content")
      const found = list(json, "data").map((entry) => [at(entry, "name"), at(entry, "status")].join(" "))
      assert.deepStrictEqual(found.toSorted(), [
        "Wiki completed",
        "Wiki/a b+c~(1)'*&.md completed",
        "Wiki/trips/planes.md completed",
        "Wiki/trips/ships & boats.md completed"
      ], text)
      const id = String(at(answer.json, "id"))
      const status = yield* get(server, `/knowledge/content/${id}/status`)
      assert.strictEqual(at(status.json, "status_message"), "3 files: 3 new or changed, 0 removed")
      yield* ask(server, `/knowledge/content/${id}`, { method: "DELETE" })
      assert.deepStrictEqual(list((yield* get(server, "/knowledge/content")).json, "data"), [])
    }))

  it.live("parameters of a source are checked, and a file is taken from the branch that they name", () =>
    Effect.gen(function*() {
      const endpoint = yield* GitHubServer.make(files)
      const source = GitHubSource.make({ id: "bucket", endpoint, token: "hush" })
      const { jobEnd, server } = yield* serveKnowledge({
        knowledge: [Knowledge.make({ name: "wiki", sources: [source] })]
      })
      const path = "docs/trips/planes.md"
      const faults = [
        [{ site: "x", x: 1 }, "Unknown source_params for github: ['site', 'x']. Allowed: ['branch', 'repo']."],
        [{ branch: 1 }, "source_params.branch must be a text of at most 512 characters"],
        [{ branch: "main" }, "source_params: repo is missing: name a repository, owner/name"]
      ] as const
      for (const [params, detail] of faults) {
        badRequest(yield* send(server, { path, source_params: JSON.stringify(params) }), detail)
      }
      const params = { repo: "company/wiki", branch: "main" }
      const answer = yield* send(server, { path, source_params: JSON.stringify(params) })
      assert.strictEqual(answer.status, 202, answer.text)
      assert.deepStrictEqual(at(answer.json, "metadata", "_svc", "source_params"), params)
      assert.strictEqual(yield* jobEnd, "Completed")
      const found = yield* post(server, "/knowledge/search", { query: "Who books planes?" })
      assert.include(String(at(found.json, "data", 0, "content")), "Planes are booked by pilots.")
      const config = yield* get(server, "/config")
      const id = String(at(config.json, "knowledge", "knowledge_instances", 0, "id"))
      const listed = yield* get(server, `/knowledge/${id}/sources/bucket/files`)
      badRequest(listed, "Source type 'github' does not support file listing.")
    }))

  it.live("paths outside of its prefix are neither listed nor fetched", () =>
    Effect.gen(function*() {
      const { listing, server } = yield* serveBucket()
      for (const path of ["secret.md", "docs/../secret.md", "/", "docs/\0", `docs/${"a".repeat(1024)}`]) {
        invalid(yield* send(server, { path }), [["body", "path"], "value_error"])
      }
      invalid(yield* get(server, `${listing}?prefix=`), [["query", "prefix"], "value_error"])
      invalid(yield* get(server, `${listing}?prefix=secret`), [["query", "prefix"], "value_error"])
      badRequest(
        yield* send(server, { path: "docs/a.md", source_params: "{\"branch\":\"main\"}" }),
        "Source type 's3' does not accept source_params."
      )
    }))

  it.live("a missing bucket and wrong credentials have statuses of their own, and a missing file ends as failed", () =>
    Effect.gen(function*() {
      const none = yield* serveBucket({ bucket: "none" })
      notFound(yield* get(none.server, none.listing), "Bucket not found: none")
      const wrong = yield* serveBucket({ secretAccessKey: "guess" })
      const refused = yield* get(wrong.server, wrong.listing)
      assert.strictEqual(refused.status, 401, refused.text)
      assert.notInclude(refused.text, "guess")
      const down = yield* serveBucket({}, [500])
      const failed = yield* get(down.server, down.listing)
      assert.strictEqual(failed.status, 500, failed.text)
      assert.strictEqual(
        at(failed.json, "detail"),
        "Failed to list files: wiki responds with the status 500 (SlowDown)"
      )
      const { id } = (yield* send(down.server, { path: "docs/gone.md" })).json as { readonly id: string }
      assert.strictEqual(yield* down.jobEnd, "Completed")
      const status = yield* get(down.server, `/knowledge/content/${id}/status`)
      assert.strictEqual(at(status.json, "status_message"), "Error reading docs/gone.md: File not found: docs/gone.md")
    }))
})
