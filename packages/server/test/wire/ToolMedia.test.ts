// Images and documents of tools, as models get them: where the wire has a place for them, which ones, and of which
// models it is known.
import { assert, describe, it } from "@effect/vitest"
import * as Tool from "@svc-runtime/engine/tool/Tool"
import * as Agent from "@svc-runtime/features/Agent"
import { ModelCatalog, type Options as Credentials } from "@svc-runtime/models/ModelCatalog"
import * as Tier from "@svc-runtime/test-support/Tier"
import * as AnthropicMessages from "@svc-runtime/test-support/wire/AnthropicMessages"
import * as GoogleGenerate from "@svc-runtime/test-support/wire/GoogleGenerate"
import * as OpenAiChat from "@svc-runtime/test-support/wire/OpenAiChat"
import * as OpenAiResponses from "@svc-runtime/test-support/wire/OpenAiResponses"
import * as Reply from "@svc-runtime/test-support/wire/Reply"
import type * as WireServer from "@svc-runtime/test-support/wire/WireServer"
import { Effect, Redacted, type Scope } from "effect"
import { at, list, runWhole, serve } from "../Wire.ts"

Tier.oneIn(3)

interface Wire {
  readonly server: Effect.Effect<WireServer.WireServer, never, Scope.Scope>
  readonly settings: (url: string) => Credentials
  readonly messagesOf: (body: Readonly<Record<string, unknown>>) => unknown
}

const key = Redacted.make("key")

const chat: Wire = {
  server: OpenAiChat.make,
  settings: (openaiBaseUrl) => ({ openaiApiKey: key, openaiBaseUrl }),
  messagesOf: (body) => body["messages"]
}
const responses: Wire = { ...chat, server: OpenAiResponses.make, messagesOf: (body) => body["input"] }
const messages: Wire = {
  server: AnthropicMessages.make,
  settings: (anthropicBaseUrl) => ({ anthropicApiKey: key, anthropicBaseUrl }),
  messagesOf: (body) => body["messages"]
}
const gemini: Wire = {
  server: GoogleGenerate.make,
  settings: (googleBaseUrl) => ({ googleApiKey: key, googleBaseUrl }),
  messagesOf: (body) => body["contents"]
}

/** The beginning of an image, with a byte of its own. */
const png = (own: number) => new Uint8Array([137, 80, 78, 71, 13, 10, 26, 10, own])
const base64 = (own: number) => Buffer.from(png(own)).toString("base64")

const shots = (options: Partial<Tool.Options<undefined>> = {}) => {
  let taken = 0
  return Tool.make({
    name: "shot",
    effects: "read",
    execute: () => Tool.withMedia("taken", [{ bytes: png(++taken), mediaType: "image/png" }]),
    ...options
  })
}

const serving = Effect.fnUntraced(function*(
  wire: Wire,
  ref: string,
  { tool = shots(), ...options }: Partial<Agent.Options> & { readonly tool?: Tool.Tool } = {}
) {
  const server = yield* wire.server
  const model = yield* Effect.provide(
    ModelCatalog.use((catalog) => catalog.resolve(ref)),
    ModelCatalog.layer({ ...wire.settings(server.url), retry: { baseDelay: 0 } })
  )
  const agent = Agent.make({ id: "agent", model, tools: [tool], addHistoryToContext: true, ...options })
  const svc = yield* serve({ agents: [agent] })
  const ask = (message: string) => runWhole(svc, "agent", { session_id: "s", message })
  const last = Effect.map(server.requests, (requests) => wire.messagesOf(requests.at(-1)?.body ?? {}))
  return { ask, last, server }
})

const calling = (count = 1) =>
  Reply.answer({
    toolCalls: Array.from({ length: count }, (_, index) => ({ id: `c${index}`, name: "shot", arguments: ["{}"] }))
  })

const line = /^taken\n\[image\/png, 9 bytes: \/media\/[0-9a-f]{64}\]/

const imagesIn = (value: unknown) => [1, 2, 3, 4].filter((own) => JSON.stringify(value).includes(base64(own)))

describe("an image of a tool", () => {
  it.effect("an image follows the results in chat completions", () =>
    Effect.gen(function*() {
      const { ask, last, server } = yield* serving(chat, "openai-compatible:gpt-4o")
      yield* server.script(calling(), Reply.text("A cat."))
      yield* ask("look")
      const [, , result, image] = (yield* last) as ReadonlyArray<unknown>
      assert.match(String(at(result, "content")), line)
      assert.deepStrictEqual(image, {
        role: "user",
        content: [
          { type: "text", text: "Returned by the tool shot:" },
          { type: "image_url", image_url: { url: `data:image/png;base64,${base64(1)}` } }
        ]
      })
    }))

  it.effect("an image is a part of the result where the wire has a place for it", () =>
    Effect.gen(function*() {
      const openai = yield* serving(responses, "openai:gpt-5")
      yield* openai.server.script(calling(), Reply.text("A cat."))
      yield* openai.ask("look")
      const output = list((yield* openai.last) as never, 2, "output")
      assert.match(String(at(output, 0, "text")), line)
      assert.strictEqual(at(output, 1, "image_url"), `data:image/png;base64,${base64(1)}`)

      const claude = yield* serving(messages, "anthropic:claude-sonnet-4-5")
      yield* claude.server.script(calling(), Reply.text("A cat."))
      yield* claude.ask("look")
      const content = list((yield* claude.last) as never, 2, "content", 0, "content")
      assert.match(String(at(content, 0, "text")), line)
      assert.deepStrictEqual(at(content, 1, "source"), { type: "base64", media_type: "image/png", data: base64(1) })

      const google = yield* serving(gemini, "google:gemini-3-pro")
      yield* google.server.script(calling(), Reply.text("A cat."))
      yield* google.ask("look")
      const response = at((yield* google.last) as never, 2, "parts", 0, "functionResponse")
      assert.deepStrictEqual(at(response, "parts"), [{ inlineData: { mimeType: "image/png", data: base64(1) } }])

      const older = yield* serving(gemini, "google:gemini-2.5-pro")
      yield* older.server.script(calling(), Reply.text("A cat."))
      yield* older.ask("look")
      const parts = list((yield* older.last) as never, 3, "parts")
      assert.deepStrictEqual(parts.at(-1), { inlineData: { mimeType: "image/png", data: base64(1) } })
    }))

  it.effect("a model that is not known to read images gets the line, unless its agent says otherwise", () =>
    Effect.gen(function*() {
      const cases: ReadonlyArray<readonly [Partial<Agent.Options> & { readonly tool?: Tool.Tool }, string, number]> = [
        [{}, "openai-compatible:mystery", 0],
        [{ showMedia: true }, "openai-compatible:mystery", 1],
        [{ showMedia: false }, "openai-compatible:gpt-4o", 0],
        [{ tool: shots({ showMedia: false }) }, "openai-compatible:gpt-4o", 0],
        [{ showMedia: { maxBytes: 8 } }, "openai-compatible:gpt-4o", 0]
      ]
      for (const [options, ref, images] of cases) {
        const { ask, last, server } = yield* serving(chat, ref, options)
        yield* server.script(calling(), Reply.text("A cat."))
        const { json } = yield* ask("look")
        const shown = yield* last
        assert.match(String(at(shown, 2, "content")), line)
        assert.strictEqual(imagesIn(shown).length, images, ref)
        assert.strictEqual(list(json, "images").length, 1)
      }
    }))

  it.effect("later runs have the newest images, and the run shows how many were left out", () =>
    Effect.gen(function*() {
      const { ask, last, server } = yield* serving(chat, "openai-compatible:gpt-4o", { showMedia: { newest: 2 } })
      yield* server.script(calling(), Reply.text("One."), calling(2), Reply.text("Two."), Reply.text("Three."))
      yield* ask("look")
      const { json } = yield* ask("look twice")
      assert.deepStrictEqual(imagesIn(yield* last), [2, 3])
      assert.deepStrictEqual(at(json, "context_trimmed"), { messages: 0, tool_results: 0, media: 1 })
      yield* ask("and now")
      assert.deepStrictEqual(imagesIn(yield* last), [2, 3])
    }))

  it.effect("a request that is refused is repeated without images", () =>
    Effect.gen(function*() {
      const { ask, last, server } = yield* serving(chat, "openai-compatible:gpt-4o")
      yield* server.script(calling(), Reply.failure(400, "no image"), Reply.text("A cat, it says."))
      const { json } = yield* ask("look")
      assert.deepInclude(json, { status: "COMPLETED", content: "A cat, it says." })
      assert.deepStrictEqual(imagesIn(yield* last), [])
    }))

  it.effect("bytes that are no image are not sent as one", () =>
    Effect.gen(function*() {
      const tool = shots({
        execute: () => Tool.withMedia("taken", [{ bytes: new Uint8Array([1, 2, 3]), mediaType: "image/png" }])
      })
      const { ask, last, server } = yield* serving(chat, "openai-compatible:gpt-4o", { tool })
      yield* server.script(calling(), Reply.text("Hm."))
      yield* ask("look")
      assert.strictEqual(((yield* last) as ReadonlyArray<unknown>).length, 3)
    }))
})
