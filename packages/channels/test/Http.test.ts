import type { Context } from "@svc-runtime/channels/Adapter"
import { ChannelError } from "@svc-runtime/channels/ChannelError"
import * as Http from "@svc-runtime/channels/Http"
import { Redacted } from "effect"
import { assert, describe, it } from "vitest"

const api: Http.Api = {
  platform: "Chat",
  secrets: [Redacted.make("s3cret")],
  problemOf: ({ body }) =>
    typeof body === "object" && body !== null && "error" in body ? { text: String(body["error"]) } : undefined
}

const answering = (answer: () => Response | Promise<Response>, signal = new AbortController().signal): Context => ({
  signal,
  fetch: async () => answer()
})

const failureOf = async (answer: () => Response | Promise<Response>) => {
  try {
    await Http.request(api, { name: "send", url: "https://chat.example/s3cret/send" }, answering(answer))
  } catch (error) {
    assert.instanceOf(error, ChannelError)
    return {
      reason: error.reason,
      message: error.message,
      ...(error.retryAfter !== undefined && { wait: error.retryAfter })
    }
  }
  return undefined
}

const json = (value: unknown, init?: ResponseInit) => () => new Response(JSON.stringify(value), init)

describe("Http", () => {
  it("the status of a refusal says what to do about it", async () => {
    const reasons = []
    for (const status of [400, 401, 403, 404, 408, 429, 500, 503]) {
      reasons.push([status, (await failureOf(json({}, { status })))?.reason])
    }
    assert.deepStrictEqual(reasons, [
      [400, "permanent"],
      [401, "unauthorized"],
      [403, "unauthorized"],
      [404, "permanent"],
      [408, "temporary"],
      [429, "rate_limited"],
      [500, "temporary"],
      [503, "temporary"]
    ])
  })

  it("a redirect is not followed, and is a refusal", async () => {
    const redirect = () => new Response(null, { status: 302, headers: { location: "https://elsewhere.example" } })
    assert.deepStrictEqual(await failureOf(redirect), {
      reason: "permanent",
      message: "Chat refused send: status 302"
    })
  })

  it("the platform says how long to wait, in seconds or by a date, within an hour", async () => {
    const wait = async (headers: Record<string, string>) => (await failureOf(json({}, { status: 429, headers })))?.wait
    assert.strictEqual(await wait({ "retry-after": "3" }), 3)
    assert.strictEqual(await wait({ "retry-after": "0.5" }), 0.5)
    assert.strictEqual(await wait({ "retry-after": "-4" }), 0)
    assert.strictEqual(await wait({ "retry-after": "99999999" }), 3600)
    assert.strictEqual(await wait({ "retry-after": "soon" }), 1)
    assert.strictEqual(await wait({}), 1)
    const date = "Mon, 01 Jan 2024 00:00:00 GMT"
    assert.strictEqual(await wait({ date, "retry-after": "Mon, 01 Jan 2024 00:00:07 GMT" }), 7)
  })

  it("the message of a refusal is one short line without secrets", async () => {
    const failure = await failureOf(json({ error: `no\nroom for s3cret ${"x".repeat(999)}` }, { status: 400 }))
    assert.strictEqual(failure?.message, `Chat refused send: no room for … ${"x".repeat(186)}`)
  })

  it("a platform that cannot be reached is tried again, and the URL is in no message", async () => {
    const failure = await failureOf(async () => {
      throw new TypeError("fetch of https://chat.example/s3cret failed", { cause: { code: "ECONNREFUSED" } })
    })
    assert.deepStrictEqual(failure, {
      reason: "temporary",
      message: "Chat could not be reached for send: ECONNREFUSED"
    })
    const unknown = await failureOf(async () => {
      throw new Error("https://chat.example/s3cret")
    })
    assert.strictEqual(unknown?.message, "Chat could not be reached for send: no response")
  })

  it("an answer that is no object is not taken for one", async () => {
    for (const body of ["", "<html>", "[]", "3", `${"[".repeat(300)}${"]".repeat(300)}`]) {
      const context = answering(() => new Response(body))
      const failure = await Http.object(api, { name: "send", url: "https://chat.example" }, context).catch((e) => e)
      assert.instanceOf(failure, ChannelError)
      assert.strictEqual(failure.message, "Chat answered send with no object")
    }
  })

  it("a file is given as its bytes, and a refusal of it as a failure", async () => {
    const call = { name: "the file", url: "https://chat.example/file" }
    const bytes = await Http.download(api, call, answering(() => new Response("{\"error\":\"of the file\"}")))
    assert.strictEqual(new TextDecoder().decode(bytes), "{\"error\":\"of the file\"}")
    const failure = await Http.download(api, call, answering(json({ error: "gone" }, { status: 404 }))).catch((e) => e)
    assert.strictEqual(failure.message, "Chat refused the file: gone")
  })
})
