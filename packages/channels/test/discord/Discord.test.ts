// The adapter of Discord against a server that speaks its HTTP API, over real HTTP.
import { assert, describe, it } from "@effect/vitest"
import * as DiscordServer from "@svc-runtime/test-support/platforms/DiscordServer"
import { Effect } from "effect"
import type { Context, OutgoingMessage } from "../../src/Adapter.ts"
import * as Discord from "../../src/discord/index.ts"

const context: Context = {
  signal: new AbortController().signal,
  fetch: (url, init) => fetch(url, { ...init, redirect: "manual" })
}

const starting = Effect.gen(function*() {
  const server = yield* DiscordServer.make()
  const settings = { applicationId: server.application, publicKey: "a".repeat(64), apiUrl: server.url }
  const adapter = Discord.adapter({ ...settings, token: server.token })
  const post = (place: Readonly<Record<string, string | number>>, message: Partial<OutgoingMessage> = {}) =>
    Effect.promise(() =>
      adapter.post(place, { text: "Hello", key: "k", ...message }, context).catch((error: unknown) => error)
    )
  return { server, adapter, post, settings }
})

describe("what the application writes on Discord", () => {
  it.live("a message that is posted again is the same message", () =>
    Effect.gen(function*() {
      const { post, server } = yield* starting
      assert.strictEqual(yield* post({ channel: "5" }), yield* post({ channel: "5" }))
      yield* post({ channel: "5" }, { key: "k2" })
      assert.strictEqual(server.messages.length, 2)
      assert.deepEqual(server.messages[0]?.values["allowed_mentions"], { parse: [] })
    }))

  it.live("the first answer to a command replaces its deferred response, and others follow it", () =>
    Effect.gen(function*() {
      const { adapter, post, server } = yield* starting
      server.defer("t1")
      const place = { channel: "5", token: "t1", until: Date.now() + 60_000 }
      yield* post(place)
      const second = yield* post(place, { text: "More" })
      yield* Effect.promise(() => adapter.edit!(place, String(second), { text: "Done", key: "k" }, context))
      assert.deepEqual(server.messages.map(({ values }) => values["content"]), ["Hello", "Done"])
      yield* post({ ...place, until: 1 }, { text: "Late" })
      assert.strictEqual(server.calls.at(-1), "POST /channels/5/messages")
    }))

  it.live("buttons and files are sent in the form that Discord accepts", () =>
    Effect.gen(function*() {
      const { post, server } = yield* starting
      const choices = Array.from(
        { length: 7 },
        (_, index) => ({ id: `c${index}`, label: "Go", style: "plain" } as const)
      )
      const files = [{ name: "a.csv", mediaType: "text/csv", bytes: new Uint8Array([1]) }]
      yield* post({ channel: "5" }, { prompt: { id: "p", choices }, files })
      assert.deepEqual(server.messages[0]?.files, ["a.csv"])
      assert.strictEqual((server.messages[0]?.values["components"] as ReadonlyArray<unknown>).length, 2)
    }))

  it.live("an answer that is faster than the acknowledgement of its command is written later", () =>
    Effect.gen(function*() {
      const { post, server } = yield* starting
      const place = { channel: "5", token: "t1", until: Date.now() + 60_000 }
      assert.deepInclude(yield* post(place), { reason: "temporary" })
      server.defer("t1")
      assert.strictEqual(yield* post(place), "original-t1")
    }))

  it.live("refusals of Discord say what to do about them", () =>
    Effect.gen(function*() {
      const { post, server, settings } = yield* starting
      server.limit(1.5)
      assert.deepInclude(yield* post({ channel: "5" }), { reason: "rate_limited", retryAfter: 1.5 })
      assert.deepInclude(yield* post({ channel: "404" }), { reason: "permanent" })
      const other = Discord.adapter({ ...settings, token: "a.b.c" })
      const failure = yield* Effect.promise(() => other.test(context).catch((error: unknown) => error))
      assert.deepInclude(failure, { reason: "unauthorized" })
    }))
})
