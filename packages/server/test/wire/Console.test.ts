// How the console's files are served. What the page does is tested in a browser, in the package of the console.
import { assert, describe, it } from "@effect/vitest"
import * as Tier from "@svc-runtime/test-support/Tier"
import * as Tokens from "@svc-runtime/test-support/Tokens"
import { Effect } from "effect"
import { gunzipSync } from "node:zlib"
import { serve } from "../Wire.ts"

Tier.oneIn(3)

const fetched = Effect.fnUntraced(
  function*(path: string, options: Parameters<typeof serve>[0] = {}, init?: RequestInit) {
    const server = yield* serve(options)
    return yield* server.fetch(path, init)
  }
)

const textOf = (response: Response) => Effect.promise(() => response.text())

const scriptOf = (html: string): string => /src="([^"]+\.js)"/.exec(html)?.[1] ?? ""

describe("The console", () => {
  it.effect("GET /console redirects to the page by a path that holds behind any prefix", () =>
    Effect.gen(function*() {
      const answer = yield* fetched("/console", {}, { redirect: "manual" })
      assert.strictEqual(answer.status, 307)
      assert.strictEqual(answer.headers.get("location"), "console/")
    }))

  it.effect("The page names its files by relative paths, and its policy allows no other host and no inline script", () =>
    Effect.gen(function*() {
      const answer = yield* fetched("/console/")
      const html = yield* textOf(answer)
      assert.strictEqual(answer.headers.get("content-type"), "text/html; charset=utf-8")
      assert.strictEqual(answer.headers.get("cache-control"), "no-cache")
      assert.match(scriptOf(html), /^console-[\w-]+\.js$/)
      assert.notMatch(html, /<script(?![^>]*src=)|https?:/)
      const policy = answer.headers.get("content-security-policy") ?? ""
      assert.include(policy, "default-src 'none'; script-src 'self';")
      assert.notInclude(policy, "unsafe")
    }))

  it.effect("A file with a hash in its name is kept by browsers, and is sent compressed where it is accepted", () =>
    Effect.gen(function*() {
      const server = yield* serve()
      const script = scriptOf(yield* textOf(yield* server.fetch("/console/")))
      const plain = yield* server.fetch(`/console/${script}`)
      assert.strictEqual(plain.headers.get("cache-control"), "public, max-age=31536000, immutable")
      assert.strictEqual(plain.headers.get("content-type"), "text/javascript; charset=utf-8")
      const packed = yield* server.fetch(`/console/${script}`, { headers: { "accept-encoding": "br, gzip" } })
      assert.strictEqual(packed.headers.get("content-encoding"), "gzip")
      assert.strictEqual(packed.headers.get("vary"), "Origin, accept-encoding")
      const bytes = new Uint8Array(yield* Effect.promise(() => packed.arrayBuffer()))
      assert.strictEqual(gunzipSync(bytes).toString(), yield* textOf(plain))
      const tag = plain.headers.get("etag") ?? ""
      const known = yield* server.fetch(`/console/${script}`, { headers: { "if-none-match": tag } })
      assert.strictEqual(known.status, 304)
    }))

  it.effect("A file that the console does not have is 404", () =>
    Effect.gen(function*() {
      for (const path of ["/console/other.js", "/console/..%2f..%2fpackage.json", "/console/.index"]) {
        assert.strictEqual((yield* fetched(path)).status, 404, path)
      }
    }))

  it.effect("The page of a closed service needs no token, because it has no data", () =>
    Effect.gen(function*() {
      const closed = { authorization: { securityKey: Tokens.redacted("a-key-of-the-service"), excludedRoutes: [] } }
      assert.strictEqual((yield* fetched("/console/", closed)).status, 200)
      assert.strictEqual((yield* fetched("/agents", closed)).status, 401)
    }))

  it.effect("A service without the console responds with 404", () =>
    Effect.gen(function*() {
      for (const path of ["/console", "/console/", "/console/sign-in.json", "/console/?code=one", "/console/a/b"]) {
        assert.strictEqual((yield* fetched(path, { settings: { console: false } })).status, 404, path)
      }
    }))
})
