// The adapter of Twilio against a server that speaks its API, over real HTTP.
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { SettingsError } from "../../src/Settings.ts"
import * as Twilio from "../../src/twilio/index.ts"
import { call, context, failureOf, reasonOf, starting } from "./TwilioPlatform.ts"

describe("what Twilio sends", () => {
  it.live("an SMS is a message with the same id each time, and is answered with an empty document", () =>
    Effect.gen(function*() {
      const { adapter, delivered, place, server } = yield* starting()
      const fields = server.say("Hello & <you> + é", { SomethingNew: "" })
      const received = yield* call(() => adapter.receive(delivered(server.requestOf(fields)), context))
      assert.deepEqual(received, {
        acknowledgement: { headers: { "content-type": "text/xml" }, body: "<Response/>" },
        events: [{
          type: "message",
          id: fields["MessageSid"] ?? "",
          thread: `${server.number}:${server.ann}`,
          place,
          sender: { id: server.ann },
          isDirect: true,
          text: "Hello & <you> + é"
        }]
      })
      const again = yield* call(() => adapter.receive(delivered(server.requestOf(fields)), context))
      assert.deepEqual(again.events, received.events)
    }))

  it.live("what is signed is the address, with the names and values behind it in the order of the names", () =>
    Effect.gen(function*() {
      const { adapter } = yield* starting({ authToken: "0".repeat(32) })
      const delivery = {
        method: "POST",
        url: "https://svc.example/sms?foo=1",
        headers: { "x-twilio-signature": "GRQMJdaFL2coNkuyebG0xoTkrMs=" },
        body: new TextEncoder().encode("b=2&a=1&B=3"),
        at: Date.now()
      }
      // of https://svc.example/sms?foo=1B3a1b2, so that the request is read, and has no message
      const failure = yield* failureOf(() => adapter.receive(delivery, context))
      assert.strictEqual(reasonOf(failure), "malformed")
    }))

  it.live("a request with another field, address, signature or account is forged", () =>
    Effect.gen(function*() {
      const { adapter, delivered, server } = yield* starting()
      const fields = server.say("Hi")
      const good = delivered(server.requestOf(fields))
      const forged = [
        { ...good, body: new TextEncoder().encode(new URLSearchParams({ ...fields, Body: "Ho" }).toString()) },
        { ...good, body: new TextEncoder().encode(new URLSearchParams({ ...fields, More: "1" }).toString()) },
        { ...good, url: `${good.url}?a=1` },
        { ...good, headers: {} },
        { ...good, headers: { ...good.headers, "x-twilio-signature": "AAAA" } },
        delivered(server.requestOf(server.say("Hi", { AccountSid: `AC${"f".repeat(32)}` })))
      ]
      for (const delivery of forged) {
        assert.strictEqual(reasonOf(yield* failureOf(() => adapter.receive(delivery, context))), "forged")
      }
      const other = yield* starting({ authToken: "f".repeat(32) })
      assert.strictEqual(reasonOf(yield* failureOf(() => other.adapter.receive(good, context))), "forged")
    }))

  it.live("a field that is there twice, and a form without a message, are malformed", () =>
    Effect.gen(function*() {
      const { adapter, delivered, server } = yield* starting()
      const { body } = server.requestOf(server.say("Hi"))
      const bodies = [`${body}&Body=Ho`, "", "a=1", new URLSearchParams(server.say("Hi", { From: "../1" })).toString()]
      for (const body of bodies) {
        const failure = yield* failureOf(() => adapter.receive(delivered(server.signed(body)), context))
        assert.strictEqual(reasonOf(failure), "malformed", body)
      }
    }))

  it.live("words that Twilio answers itself, and empty messages, are no events", () =>
    Effect.gen(function*() {
      const { read, server } = yield* starting()
      assert.deepEqual(yield* read(server.say("STOP", { OptOutType: "STOP" })), [])
      assert.deepEqual(yield* read(server.say(" ")), [])
    }))

  it.live("files are downloaded with the password from the API only, and without it from where it redirects to", () =>
    Effect.gen(function*() {
      const { adapter, read, server } = yield* starting()
      const url = server.media("ME1", new Uint8Array([1, 2]))
      const media = { NumMedia: "1", MediaUrl0: url, MediaContentType0: "image/png" }
      const [event] = yield* read(server.say("", media))
      assert.deepEqual(event?.type === "message" && event.files, [{ mediaType: "image/png", source: { url } }])
      const bytes = yield* call(async () => adapter.download?.({ source: { url } }, context))
      assert.deepEqual([...bytes ?? []], [1, 2])
      assert.deepEqual(server.calls.map(({ authorization }) => authorization !== undefined), [true, false])
      const before = server.calls.length
      for (const url of ["https://api.twilio.com.example/2010-04-01/a", `${server.url}/cdn/ME1`, ""]) {
        const failure = yield* failureOf(async () => adapter.download?.({ source: { url } }, context))
        assert.strictEqual(reasonOf(failure), "permanent", url)
      }
      assert.lengthOf(server.calls, before)
      for (const to of ["http://mms.twiliocdn.com/a", "https://twiliocdn.com.example/a", "http://169.254.169.254/"]) {
        server.redirects.set("ME1", to)
        const failure = yield* failureOf(async () => adapter.download?.({ source: { url } }, context))
        assert.strictEqual(reasonOf(failure), "permanent", to)
      }
      server.files.clear()
      const gone = yield* failureOf(async () => adapter.download?.({ source: { url } }, context))
      assert.strictEqual(reasonOf(gone), "permanent")
    }))
})

describe("what the number writes", () => {
  it.live("a text is sent from the number that was written to, in parts that Twilio accepts", () =>
    Effect.gen(function*() {
      const { adapter, post, server } = yield* starting()
      const id = yield* post({ text: "**Hi** [page](https://a.example)" })
      assert.deepEqual(server.messages, [
        { sid: id, to: server.ann, from: server.number, body: "Hi page (https://a.example)" }
      ])
      const parts = adapter.split("A paragraph of words.\n\n".repeat(200))
      assert.isAbove(parts.length, 2)
      for (const part of parts) yield* post({ text: part })
      yield* post({ text: "" })
      assert.lengthOf(server.messages, parts.length + 2)
    }))

  it.live("a messaging service chooses the number", () =>
    Effect.gen(function*() {
      const { number, service, ...server } = (yield* starting()).server
      const { accountSid, ann, authToken, url } = server
      const adapter = Twilio.adapter({ accountSid, authToken, from: service, apiUrl: url })
      assert.deepEqual(yield* call(async () => adapter.directPlace?.(ann, context)), { to: ann })
      yield* call(() => adapter.post({ to: ann, from: "+19990000000" }, { text: "Hi", key: "k" }, context))
      assert.deepEqual(server.messages.map(({ from }) => from), [number])
    }))

  it.live("refusals of Twilio say what to do about them, and never have a secret", () =>
    Effect.gen(function*() {
      const { adapter, place, server } = yield* starting()
      const post = (to = place) => failureOf(() => adapter.post(to, { text: "Hi", key: "k" }, context))
      assert.strictEqual(reasonOf(yield* post({ ...place, from: "+19990000000" })), "unauthorized")
      assert.strictEqual(reasonOf(yield* post({ ...place, to: "12" })), "permanent")
      server.stop(server.ann)
      assert.strictEqual(reasonOf(yield* post()), "permanent")
      const refusals = [[429, 20_429, "rate_limited"], [401, 20_003, "unauthorized"], [
        503,
        20_500,
        "temporary"
      ]] as const
      for (const [status, code, reason] of refusals) {
        server.refuse(status, code, `Refused ${server.authToken}`)
        const failure = yield* post()
        assert.strictEqual(reasonOf(failure), reason)
        assert.notInclude(String(failure), server.authToken)
      }
    }))

  it.live("the test of a channel says which number it is, and whether the account is active", () =>
    Effect.gen(function*() {
      const { adapter, server } = yield* starting()
      assert.strictEqual(yield* call(() => adapter.test(context)), `${server.number} of Acme`)
      server.suspend()
      assert.strictEqual(reasonOf(yield* failureOf(() => adapter.test(context))), "unauthorized")
    }))
})

const mistakeOf = (settings: Twilio.Settings): string => {
  try {
    Twilio.adapter(settings)
    return "none"
  } catch (error) {
    return error instanceof SettingsError ? error.message : String(error)
  }
}

describe("settings of Twilio", () => {
  const good = { accountSid: `AC${"1".repeat(32)}`, authToken: "1".repeat(32), from: "+15550000000" }

  it("each mistake is a sentence without the secret", () => {
    const mistakes = [
      [{ accountSid: "SK1" }, /begins with AC/],
      [{ authToken: "secretsecret" }, /32 hexadecimal digits/],
      [{ from: "555 0000" }, /begins with \+ and its country/]
    ] as const
    for (const [settings, expected] of mistakes) {
      const message = mistakeOf({ ...good, ...settings })
      assert.match(message, expected)
      assert.notInclude(message, "secretsecret")
    }
    const { adapter: _, ...channel } = Twilio.make({ ...good, agent: "desk" })
    assert.deepEqual(channel, { agent: "desk", id: "twilio" })
  })
})
