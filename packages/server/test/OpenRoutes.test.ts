// What a response costs on the routes that anybody may ask, with a client that may not read it: bytes that all
// responses share cost nothing, and the others are few.
import { assert, describe, it } from "@effect/vitest"
import { defaultExcludedRoutes } from "@svc-runtime/http/authorization/ExcludedRoutes"
import * as TestServer from "@svc-runtime/test-support/TestServer"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Effect } from "effect"
import { ServerResponse } from "node:http"
import { gunzipSync } from "node:zlib"
import { vi } from "vitest"
import { closed, serveClosed } from "./authorization/Closed.ts"
import { ask, get, serve } from "./Wire.ts"

/** Bytes of one response that no other response shares. A text is encoded for each response. */
const most = 16 * 1024

/** The contents that a function makes responses send. */
const sentBy = async (request: () => Promise<unknown>): Promise<ReadonlyArray<string | Uint8Array>> => {
  const sent: Array<string | Uint8Array> = []
  const keep = (content: unknown) => {
    if (typeof content === "string" || content instanceof Uint8Array) sent.push(content)
  }
  const { end, write } = ServerResponse.prototype
  const spies = [
    vi.spyOn(ServerResponse.prototype, "end").mockImplementation(
      function(this: ServerResponse, ...args: Array<unknown>) {
        keep(args[0])
        return Reflect.apply(end, this, args)
      }
    ),
    vi.spyOn(ServerResponse.prototype, "write").mockImplementation(
      function(this: ServerResponse, ...args: Array<unknown>) {
        keep(args[0])
        return Reflect.apply(write, this, args)
      }
    )
  ]
  try {
    await request()
  } finally {
    for (const spy of spies) spy.mockRestore()
  }
  return sent
}

const lengthOf = (content: string | Uint8Array) =>
  typeof content === "string" ? Buffer.byteLength(content) : content.length

/** GET of each path of the document, with a value for each parameter. */
const documented = (document: unknown): ReadonlyArray<string> =>
  Object.entries((document as { readonly paths: Record<string, object> }).paths)
    .filter(([, operations]) => "get" in operations)
    .map(([path]) => path.replaceAll(/\{[^}]+\}/g, "x"))

const known = /(?:href|src)="([^"]+\.(?:js|css))"/g

describe("routes without authentication", () => {
  it.live("each response to a request without a credential shares its bytes or has few", () =>
    Effect.gen(function*() {
      const { url } = yield* TestServer.listen({ authorization: yield* closed })
      const textOf = (path: string, headers = {}) => fetch(url + path, { headers }).then((answer) => answer.text())
      const paths = documented(JSON.parse(yield* Effect.promise(() => textOf("/openapi.json"))))
      const files = Array.from((yield* Effect.promise(() => textOf("/console/"))).matchAll(known), ([, name]) => name)
      assert.isAbove(paths.length, 50)
      assert.isAbove(files.length, 1)
      const consolePaths = ["", "sign-in.json", "none", ...files].map((name) => `/console/${name}`)
      const costs: Array<string> = []
      const guarded = Tier.some(paths, 8)
      for (const path of [...defaultExcludedRoutes, ...consolePaths, "/console", "/none", "/mcp", ...guarded]) {
        for (const headers of [{}, { "accept-encoding": "identity" }, { accept: "text/html" }]) {
          const request = () => textOf(path, headers)
          const before = yield* Effect.promise(() => sentBy(request))
          const after = yield* Effect.promise(() => sentBy(request))
          const own = after.filter((content) => typeof content === "string" || !before.includes(content))
          const bytes = own.reduce((sum, content) => sum + lengthOf(content), 0)
          if (bytes > most) costs.push(`${path} ${bytes}`)
        }
      }
      assert.deepStrictEqual(costs, [])
    }), 60_000)
})

const pages = ["/docs", "/redoc", "/docs/oauth2-redirect"]

describe("static texts", () => {
  it.effect.each(Tier.some([...pages, "/openapi.json"], 1))(
    "GET %s is compressed for who accepts it, and is not sent to who has it",
    (path) =>
      Effect.gen(function*() {
        const server = yield* serve()
        const plain = yield* get(server, path)
        const etag = plain.headers.get("etag") ?? ""
        assert.match(etag, /^"[\w-]{16}"$/)
        assert.strictEqual(plain.headers.get("cache-control"), "no-cache")
        assert.include(plain.headers.get("vary") ?? "", "accept-encoding")
        assert.isNull(plain.headers.get("content-encoding"))
        const compressed = yield* server.fetch(path, { headers: { "accept-encoding": "br, gzip" } })
        assert.strictEqual(compressed.headers.get("content-encoding"), "gzip")
        const bytes = Buffer.from(yield* Effect.promise(() => compressed.arrayBuffer()))
        assert.strictEqual(gunzipSync(bytes).toString(), plain.text)
        // each form has a strong tag of its own
        const packedTag = compressed.headers.get("etag") ?? ""
        assert.notStrictEqual(packedTag, etag)
        assert.include(compressed.headers.get("vary") ?? "", "accept-encoding")
        const forms = [[etag, packedTag, "identity"], [packedTag, etag, "gzip"]] as const
        for (const [tag, other, accepted] of forms) {
          const withTags = (known: string) =>
            ask(server, path, { headers: { "if-none-match": known, "accept-encoding": accepted } })
          for (const known of [tag, `W/${tag}`, `"a,b", ${tag}`, `W/"x" ,${tag},"y"`, "*", " * "]) {
            const again = yield* withTags(known)
            assert.deepStrictEqual([again.status, again.text, again.headers.get("etag")], [304, "", tag], known)
            assert.include(again.headers.get("vary") ?? "", "accept-encoding")
          }
          for (const known of [other, `"*"`, `"${tag.slice(1, -1)},b"`, tag.slice(1, -1), ""]) {
            assert.strictEqual((yield* withTags(known)).status, 200, known)
          }
        }
        const refusing = yield* server.fetch(path, { headers: { "accept-encoding": "gzip;q=0, identity" } })
        assert.isNull(refusing.headers.get("content-encoding"))
      })
  )

  it.effect.each([...pages, "/console/", "/"])(
    "GET %s cannot be framed by another page",
    (path) =>
      Effect.gen(function*() {
        const { headers } = yield* ask(yield* serveClosed(), path, { headers: { accept: "text/html" } })
        assert.include(headers.get("content-security-policy") ?? "", "frame-ancestors 'none'")
        assert.strictEqual(headers.get("x-content-type-options"), "nosniff")
      })
  )
})
