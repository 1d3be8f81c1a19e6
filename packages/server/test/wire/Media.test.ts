// Media that models make: how runs list them, and how their bytes are fetched.
import { assert, describe, it } from "@effect/vitest"
import * as Workflow from "@svc-runtime/agents/workflow/Workflow"
import * as DatabaseHandle from "@svc-runtime/engine/DatabaseHandle"
import { defaultByteLimits } from "@svc-runtime/engine/limits/ByteLimits"
import * as Agent from "@svc-runtime/features/Agent"
import type { TestServer } from "@svc-runtime/test-support/TestServer"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Effect } from "effect"
import { createHash } from "node:crypto"
import { call, serveClosed, token } from "../authorization/Closed.ts"
import { ask, at, get, list, notFound, post, runFrames, runWhole, serve } from "../Wire.ts"
import { fileOf, type ModelFile, painter } from "./Painter.ts"

const bytes = Uint8Array.from({ length: 1024 * 1024 + 500 }, (_, index) => index % 251)
const png = fileOf("image/png", bytes)
const hash = createHash("sha256").update(bytes).digest("hex")
const medium = { id: hash, url: `/media/${hash}`, mime_type: "image/png", format: "png", size: bytes.length }

const agentOf = (...files: ReadonlyArray<ModelFile>) =>
  Agent.make({ id: "painter", name: "painter", model: painter(...files) })

const fields = { message: "Paint", session_id: "s" }

const fetchBytes = Effect.fnUntraced(function*(server: TestServer, headers: Record<string, string> = {}, id = hash) {
  const response = yield* server.fetch(`/media/${id}`, { headers })
  const body = new Uint8Array(yield* Effect.promise(() => response.arrayBuffer()))
  return { status: response.status, headers: response.headers, body }
})

Tier.oneIn(6)

describe("a request for a medium that cannot be read", () => {
  it.effect("the refusal has the shape of all errors", () =>
    Effect.gen(function*() {
      const { json, status } = yield* get(yield* serve({}), "/media/a%00b?user_id=%00")
      assert.strictEqual(status, 422)
      assert.strictEqual(at(json, "error_code"), "VALIDATION_ERROR")
    }))
})

describe("media that a model makes", () => {
  it.effect("a run lists an image by its address, and neither the run nor an event has its bytes", () =>
    Effect.gen(function*() {
      const server = yield* serve({ agents: [agentOf(png)] })
      const whole = yield* runWhole(server, "painter", fields)
      assert.deepStrictEqual(at(whole.json, "images"), [medium])
      const streamed = yield* runFrames(server, "painter", fields)
      const completed = streamed.find(({ kind }) => kind === "RunCompleted")
      assert.deepStrictEqual(at(completed?.data, "images"), [medium])
      const stored = yield* get(server, `/sessions/s/runs/${String(at(whole.json, "run_id"))}`)
      assert.deepStrictEqual(at(stored.json, "images"), [medium])
      for (const text of [whole.text, JSON.stringify(streamed), stored.text]) assert.isBelow(text.length, 20_000)
    }))

  it.effect("the first sound is the response audio of the run, and an unknown type is a file", () =>
    Effect.gen(function*() {
      const sound = new Uint8Array([1, 2])
      const agent = agentOf(fileOf("audio/mpeg", sound), fileOf("not a type", new Uint8Array([3])))
      const server = yield* serve({ agents: [agent] })
      const { json } = yield* runWhole(server, "painter", fields)
      assert.deepInclude(at(json, "response_audio") as object, { mime_type: "audio/mpeg", format: "mpeg" })
      assert.isUndefined(at(json, "audio"))
      assert.deepInclude(at(json, "files", 0) as object, { mime_type: "application/octet-stream", size: 1 })
    }))

  it.effect("a type keeps its parameters, without which raw sound cannot be played", () =>
    Effect.gen(function*() {
      const sound = new Uint8Array([1, 2])
      const server = yield* serve({ agents: [agentOf(fileOf("audio/L16; codec=pcm;rate=24000", sound))] })
      const { json } = yield* runWhole(server, "painter", fields)
      const mime_type = "audio/l16;codec=pcm;rate=24000"
      assert.deepInclude(at(json, "response_audio") as object, { mime_type, format: "l16" })
      const { headers } = yield* fetchBytes(server, {}, createHash("sha256").update(sound).digest("hex"))
      assert.strictEqual(headers.get("content-type"), mime_type)
    }))

  it.effect("a step of a workflow lists the media of its agent", () =>
    Effect.gen(function*() {
      const sound = fileOf("audio/wav", new Uint8Array([1]))
      const workflow = Workflow.make({ id: "gallery", steps: [agentOf(png, sound)] })
      const server = yield* serve({ workflows: [workflow] })
      const body = new URLSearchParams({ message: "Paint", stream: "false" })
      const { json } = yield* ask(server, "/workflows/gallery/runs", { method: "POST", body })
      assert.strictEqual(at(list(json, "images")[0], "url"), medium.url)
      assert.strictEqual(at(list(json, "audio")[0], "mime_type"), "audio/wav")
    }))

  it.effect("media that are larger than the limit fail the run, and are not stored", () =>
    Effect.gen(function*() {
      const server = yield* serve({ agents: [agentOf(png)], byteLimits: { ...defaultByteLimits, media: 1000 } })
      const { json } = yield* runWhole(server, "painter", fields)
      assert.strictEqual(at(json, "status"), "ERROR")
      assert.include(String(at(json, "content")), "larger than 1000 bytes (MEDIA_MAX_BYTES)")
      notFound(yield* get(server, medium.url))
    }))
})

describe("media on other protocols", () => {
  const chat = Effect.fnUntraced(function*(server: TestServer) {
    const message = { id: "m", role: "user", parts: [{ type: "text", text: "Paint" }] }
    const { text } = yield* post(server, "/agents/painter/chat", { id: "chat", messages: [message] })
    return [...text.matchAll(/^data: (\{"type":"file".*)$/gm)].map(([, part = ""]) => JSON.parse(part) as unknown)
  })

  it.effect("a chat gets the bytes as a data URL, and the stored run has the address", () =>
    Effect.gen(function*() {
      const server = yield* serve({ agents: [agentOf(fileOf("image/png", new Uint8Array([0, 1, 2])))] })
      assert.deepStrictEqual(yield* chat(server), [
        { type: "file", url: "data:image/png;base64,AAEC", mediaType: "image/png" }
      ])
      const { json } = yield* get(server, "/sessions/chat/runs")
      assert.match(String(at(json, 0, "images", 0, "url")), /^\/media\//)
    }))

  it.effect("media beyond the limit of a run keep their addresses", () =>
    Effect.gen(function*() {
      const large = fileOf("image/png", new Uint8Array(8 * 1024 * 1024 + 1))
      const small = fileOf("audio/wav", new Uint8Array([1]))
      const server = yield* serve({ agents: [agentOf(small, large)] })
      const [first, second] = yield* chat(server)
      assert.match(String(at(first, "url")), /^\/media\//)
      assert.strictEqual(at(second, "url"), "data:audio/wav;base64,AQ==")
    }))

  it.effect("a task of A2A has the bytes in a file part", () =>
    Effect.gen(function*() {
      const server = yield* serve({ agents: [agentOf(fileOf("image/png", new Uint8Array([0, 1, 2])))] })
      const message = { messageId: "m", role: "ROLE_USER", parts: [{ text: "Paint" }] }
      const { json } = yield* ask(server, "/a2a/agents/painter/message:send", {
        method: "POST",
        headers: { "content-type": "application/json", "a2a-version": "1.0" },
        body: JSON.stringify({ message })
      })
      const parts = list(json, "task", "artifacts").flatMap((artifact) => list(artifact, "parts"))
      assert.deepInclude(parts, { mediaType: "image/png", raw: "AAEC" })
    }))
})

describe("GET /media/{media_id}", () => {
  const painted = Effect.gen(function*() {
    const server = yield* serve({ agents: [agentOf(png)] })
    yield* runWhole(server, "painter", fields)
    return server
  })

  it.effect("an image is sent with its type, and nothing in it can become a page of the service", () =>
    Effect.gen(function*() {
      const { body, headers, status } = yield* fetchBytes(yield* painted)
      assert.strictEqual(status, 200)
      assert.deepStrictEqual(createHash("sha256").update(body).digest("hex"), hash)
      assert.strictEqual(headers.get("content-type"), "image/png")
      assert.strictEqual(headers.get("content-length"), String(bytes.length))
      assert.strictEqual(headers.get("x-content-type-options"), "nosniff")
      assert.strictEqual(headers.get("content-security-policy"), "default-src 'none'; sandbox")
      assert.match(headers.get("content-disposition") ?? "", /^inline; filename="[0-9a-f]{16}"$/)
      assert.strictEqual(headers.get("accept-ranges"), "bytes")
      assert.strictEqual(headers.get("etag"), `"${hash}"`)
    }))

  it.effect.each(["text/html", "image/svg+xml", "text/javascript", "application/pdf", "image/png; x=\r\n"])(
    "a medium of type %j is saved by browsers, not shown",
    (type) =>
      Effect.gen(function*() {
        const script = new TextEncoder().encode("<script>alert(1)</script>")
        const server = yield* serve({ agents: [agentOf(fileOf(type, script))] })
        yield* runWhole(server, "painter", fields)
        const { headers } = yield* fetchBytes(server, {}, createHash("sha256").update(script).digest("hex"))
        assert.strictEqual(headers.get("content-type"), "application/octet-stream")
        assert.match(headers.get("content-disposition") ?? "", /^attachment;/)
        assert.strictEqual(headers.get("x-content-type-options"), "nosniff")
      })
  )

  const last = bytes.length - 1
  it.effect.each<readonly [range: string, from: number, to: number]>([
    ["bytes=0-0", 0, 0],
    ["Bytes=0-0", 0, 0],
    ["bytes=1048570-1048580", 1_048_570, 1_048_580],
    ["bytes=1048576-", 1_048_576, last],
    ["bytes=-10", last - 9, last],
    ["bytes=-99999999", 0, last],
    [`bytes=5-${bytes.length * 2}`, 5, last]
  ])("the range %s is answered alone", ([range, from, to]) =>
    Effect.gen(function*() {
      const { body, headers, status } = yield* fetchBytes(yield* painted, { range })
      assert.strictEqual(status, 206)
      assert.strictEqual(headers.get("content-range"), `bytes ${from}-${to}/${bytes.length}`)
      assert.strictEqual(headers.get("content-length"), String(to - from + 1))
      assert.strictEqual(Buffer.compare(body, bytes.subarray(from, to + 1)), 0)
    }))

  it.effect.each([`bytes=${bytes.length}-`, "bytes=-0", "bytes=999999999999999-"])(
    "the range %s, which the medium does not have, is refused with its size",
    (range) =>
      Effect.gen(function*() {
        const { body, headers, status } = yield* fetchBytes(yield* painted, { range })
        assert.strictEqual(status, 416)
        assert.strictEqual(headers.get("content-range"), `bytes */${bytes.length}`)
        const { detail, error_code } = JSON.parse(Buffer.from(body).toString())
        assert.strictEqual(error_code, "BAD_REQUEST")
        assert.match(detail, /none in this range/)
      })
  )

  it.effect.each(["bytes=5-2", "bytes=0-1,5-6", "lines=1-2", "bytes=-", "bytes=a-b", "bytes=0x1-"])(
    "%s, which is not one range, is answered with all bytes",
    (range) =>
      Effect.gen(function*() {
        const { body, status } = yield* fetchBytes(yield* painted, { range })
        assert.deepStrictEqual([status, body.length], [200, bytes.length])
      })
  )

  it.effect("a range counts only for the version that the client has", () =>
    Effect.gen(function*() {
      const server = yield* painted
      const range = "bytes=0-9"
      assert.strictEqual((yield* fetchBytes(server, { range, "if-range": `"${hash}"` })).status, 206)
      for (const given of ["\"other\"", `W/"${hash}"`, "Sat, 21 Nov 2026 01:10:13 GMT"]) {
        assert.strictEqual((yield* fetchBytes(server, { range, "if-range": given })).status, 200, given)
      }
    }))

  it.effect.each([`"x", W/"${hash}"`, "*"])(
    "a client that has the bytes gets none, with %s",
    (given) =>
      Effect.gen(function*() {
        const server = yield* painted
        const { body, status } = yield* fetchBytes(server, { "if-none-match": given })
        assert.deepStrictEqual([status, body.length], [304, 0])
      })
  )

  it.effect("an id that is none is not found", () =>
    Effect.gen(function*() {
      const server = yield* painted
      for (const id of ["none", hash.toUpperCase(), hash.slice(1), "%00", "..%2f..%2fsessions"]) {
        assert.strictEqual((yield* get(server, `/media/${id}`)).status, 404, id)
      }
    }))

  it.effect("a medium is found in each database, and db_id names the one to look into", () =>
    Effect.gen(function*() {
      const db = DatabaseHandle.embedded({ id: "other-db", dataDir: "memory" })
      const agent = Agent.make({ id: "painter", model: painter(png), db })
      const server = yield* serve({ agents: [agent], databases: ["main-db", db.id] })
      yield* runWhole(server, "painter", fields)
      assert.strictEqual((yield* fetchBytes(server)).status, 200)
      assert.strictEqual((yield* fetchBytes(server, {}, `${hash}?db_id=other-db`)).status, 200)
      notFound(yield* get(server, `${medium.url}?db_id=main-db`), `Medium with id '${hash}' not found`)
      notFound(yield* get(server, `${medium.url}?db_id=none`), "No database found with id 'none'")
    }))

  it.effect("a medium is removed with its session", () =>
    Effect.gen(function*() {
      const server = yield* painted
      yield* ask(server, "/sessions/s", { method: "DELETE" })
      notFound(yield* get(server, medium.url))
    }))

  it.effect("a medium of another user is not found, until that user has made the same one", () =>
    Effect.gen(function*() {
      const server = yield* serveClosed({ agents: [agentOf(png)] })
      const scopes = ["agents:run", "sessions:read"]
      const [ann, bob] = [yield* token("ann", ...scopes), yield* token("bob", ...scopes)]
      const paint = (bearer: string) => {
        const body = new URLSearchParams({ message: "Paint", stream: "false" })
        return call(server, { path: "/agents/painter/runs", init: { method: "POST", body } }, bearer)
      }
      yield* paint(ann)
      assert.strictEqual((yield* call(server, { path: medium.url }, ann)).status, 200)
      notFound(yield* call(server, { path: medium.url }, bob), `Medium with id '${hash}' not found`)
      notFound(yield* call(server, { path: `${medium.url}?user_id=ann` }, bob))
      assert.strictEqual((yield* call(server, { path: medium.url }, yield* token("ann", "agents:run"))).status, 403)
      assert.strictEqual((yield* call(server, { path: medium.url })).status, 401)
      yield* paint(bob)
      assert.strictEqual((yield* call(server, { path: medium.url }, bob)).status, 200)
    }))
})
