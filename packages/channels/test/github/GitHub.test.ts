// The adapter of GitHub against a server that speaks its REST API, over real HTTP.
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { generateKeyPairSync } from "node:crypto"
import * as GitHub from "../../src/github/index.ts"
import { SettingsError } from "../../src/Settings.ts"
import { call, context, failureOf, place, reasonOf, starting, textOf } from "./GitHubPlatform.ts"

const days = (count: number) => new Date(Date.now() - count * 24 * 60 * 60 * 1000).toISOString()

describe("what GitHub sends", () => {
  it.live("a comment that mentions the app is a message, with what the issue is about", () =>
    Effect.gen(function*() {
      const { adapter, deliveryOf, server } = yield* starting()
      const payload = server.comment("@desk is 1 < 2?", { id: 5001 })
      const received = yield* call(() => adapter.receive(deliveryOf(payload), context))
      assert.strictEqual(received.acknowledgement.status, 202)
      assert.deepEqual(received.events, [{
        type: "message",
        id: "comment:5001",
        thread: "acme/shop#12",
        place,
        sender: { id: "7", name: "ann" },
        isDirect: false,
        about: "(acme/shop#12: The lamp is dark)\n\n> It gives no light.",
        text: "is 1 < 2?"
      }])
    }))

  it.live("a request with another body, signature or secret is forged, and so is one without a signature", () =>
    Effect.gen(function*() {
      const { adapter, deliveryOf, server } = yield* starting()
      const other = yield* starting({ webhookSecret: "another-secret" })
      const good = deliveryOf(server.comment("@desk hi"))
      const { "x-hub-signature-256": signature = "", ...headers } = good.headers
      const forged = [
        { ...good, body: new TextEncoder().encode("{}") },
        { ...good, headers },
        { ...good, headers: { ...headers, "x-hub-signature-256": signature.slice(7) } },
        { ...good, headers: { ...headers, "x-hub-signature": signature } },
        { ...good, headers: { ...headers, "x-hub-signature-256": "" } }
      ]
      for (const delivery of forged) {
        assert.strictEqual(reasonOf(yield* failureOf(() => adapter.receive(delivery, context))), "forged")
      }
      assert.strictEqual(reasonOf(yield* failureOf(() => other.adapter.receive(good, context))), "forged")
    }))

  it.live("a body that was sent before is the same event, whatever its headers say", () =>
    Effect.gen(function*() {
      const { read, server } = yield* starting()
      const payload = server.comment("@desk hi")
      const first = yield* read(payload)
      for (const event of ["issues", "ping", "check_run"]) assert.deepEqual(yield* read(payload, event), first)
    }))

  it.live("what was written more than three days ago is not read, so that old requests cannot be repeated", () =>
    Effect.gen(function*() {
      const { read, server } = yield* starting()
      assert.isDefined(yield* read(server.comment("@desk hi", { created_at: days(2.9) })))
      for (const created_at of [days(3.1), days(-3.1), "never"]) {
        assert.isUndefined(yield* read(server.comment("@desk hi", { created_at })))
      }
      assert.isUndefined(yield* read(server.review("@desk hi", { submitted_at: null })))
    }))

  it.live("the app is mentioned by its name only, and not in code or in a quote", () =>
    Effect.gen(function*() {
      const { read, server } = yield* starting()
      const mentions = ["@desk", "Hi @Desk!", "(@desk)", "@desk[bot] hi", "> quote\n\n@desk", "`a` @desk"]
      for (const text of mentions) assert.isDefined(yield* read(server.comment(text)), text)
      const others = [
        "desk",
        "@desks",
        "@desk-team",
        "@desk/team",
        "me@desk",
        "a/@desk",
        "`@desk`",
        "```\n@desk\n```",
        "~~~\n@desk",
        "> @desk hi"
      ]
      for (const text of others) assert.isUndefined(yield* read(server.comment(text)), text)
      assert.include(textOf(yield* read(server.comment("Is it so, @desk[bot]?"))), "Is it so, ?")
    }))

  it.live("what programs write is not read, and neither are edits and deletions", () =>
    Effect.gen(function*() {
      const { read, server } = yield* starting()
      const bot = { id: 900, login: "desk[bot]", type: "Bot" }
      const unread = [
        server.comment("@desk hi", { user: bot }),
        server.comment("@desk hi", { user: { id: 3, login: "acme", type: "Organization" } }),
        server.comment("@desk hi", { user: null }),
        { ...server.comment("@desk hi"), action: "edited" },
        { ...server.comment("@desk hi"), action: "deleted" },
        { ...server.comment("@desk hi"), installation: undefined },
        { ...server.comment("@desk hi"), repository: { full_name: "../x" } },
        { zen: "Design for failure.", hook_id: 1 },
        {}
      ]
      for (const payload of unread) assert.isUndefined(yield* read(payload), JSON.stringify(payload))
    }))

  it.live("new issues, new pull requests and reviews are read when they mention the app", () =>
    Effect.gen(function*() {
      const { read, server } = yield* starting()
      const opened = yield* read(server.opened("Please look, @desk"))
      assert.deepInclude(opened, { id: "opened:12000", thread: "acme/shop#12" })
      assert.deepInclude(opened, { about: "(acme/shop#12: The lamp is dark)", text: "Please look," })
      assert.isDefined(yield* read(server.opened("@desk", "pull_request")))
      assert.isUndefined(yield* read(server.opened(null)))
      assert.include(textOf(yield* read(server.review("@desk what do you think?"))), "what do you think?")
      assert.isUndefined(yield* read(server.review(null)))
    }))

  it.live("a comment on code has a thread of its own, with the lines", () =>
    Effect.gen(function*() {
      const { adapter, read, server } = yield* starting()
      const first = yield* read(server.codeComment("@desk why?", { id: 1001 }))
      assert.deepInclude(first, { thread: "acme/shop#12:1001", place: { ...place, comment: 1001 } })
      const about = "(acme/shop#12: The lamp is dark)\n\nsrc/door.ts:\n> @@ -1 +1 @@\n> -open\n> +close"
      assert.deepInclude(first, { about, text: "why?" })
      const next = yield* read(server.codeComment("@desk and now?", { in_reply_to_id: 1001 }))
      assert.strictEqual(next?.thread, "acme/shop#12:1001")
      const id = yield* call(() => adapter.post({ ...place, comment: 1001 }, { text: "So", key: "k1" }, context))
      assert.match(id, /^code:/)
      assert.strictEqual(server.calls.at(-1), "POST /repos/acme/shop/pulls/12/comments/1001/replies")
      yield* call(async () => adapter.edit?.({ ...place, comment: 1001 }, id, { text: "Thus", key: "k1" }, context))
      assert.match(server.comments.at(-1)?.body ?? "", /^Thus\n/)
      assert.strictEqual(yield* call(async () => adapter.find?.({ ...place, comment: 1001 }, "k1", context)), id)
    }))

  it.live("failed checks of pull requests are messages if they are wanted, but not those of the app itself", () =>
    Effect.gen(function*() {
      const { read, server } = yield* starting({ checks: true })
      const event = yield* read(server.check("failure"))
      assert.deepInclude(event, { thread: "acme/shop#12", place, sender: { id: "9", name: "checks[bot]" } })
      const about = "(acme/shop#12)\n\n> 1 problem\n>\n> A line is too long"
      assert.deepInclude(event, { about, text: "The check lint has failed." })
      const unread = [
        server.check("success"),
        server.check("failure", { pull_requests: [] }),
        server.check("failure", { app: { id: 321 } })
      ]
      for (const payload of unread) assert.isUndefined(yield* read(payload))
      const without = yield* starting()
      assert.isUndefined(yield* without.read(server.check("failure")))
    }))

  it.live("a signed body that is no object is malformed", () =>
    Effect.gen(function*() {
      const { adapter, delivered, server } = yield* starting()
      for (const body of ["", "{", "[]", "1", "null"]) {
        const failure = yield* failureOf(() => adapter.receive(delivered(server.signed(body)), context))
        assert.strictEqual(reasonOf(failure), "malformed", body)
      }
    }))
})

describe("what the app writes on GitHub", () => {
  it.live("a comment is posted with a token of the installation, which is made once, found and edited", () =>
    Effect.gen(function*() {
      const { adapter, post, server } = yield* starting()
      const id = yield* post({ text: "**Hi** @ann, see #1 and `@desk`" })
      yield* post({ key: "k2" })
      assert.strictEqual(server.calls.filter((call) => call.endsWith("/access_tokens")).length, 1)
      assert.match(server.comments[0]?.body ?? "", /^\*\*Hi\*\* @\u200bann, see \\#1 and `@desk`\n\n<!-- svc:\w+ -->$/)
      assert.strictEqual(yield* call(async () => adapter.find?.(place, "k1", context)), id)
      assert.isUndefined(yield* call(async () => adapter.find?.(place, "k3", context)))
      const edit = { text: "Bye", status: "Reads a page", key: "k1" }
      yield* call(async () => adapter.edit?.(place, id, edit, context))
      assert.match(server.comments[0]?.body ?? "", /^Bye\n\n<sub>Reads a page<\/sub>\n\n<!--/)
      assert.strictEqual(yield* call(async () => adapter.find?.(place, "k1", context)), id)
    }))

  it.live("a comment of another person with the sign of a message is not found, and one behind others is", () =>
    Effect.gen(function*() {
      const { adapter, post, server } = yield* starting()
      const id = yield* post({ key: "k1" })
      const { body = "" } = server.comments[0] ?? {}
      const forged = yield* starting()
      forged.server.write(body)
      assert.isUndefined(yield* call(async () => forged.adapter.find?.(place, "k1", context)))
      for (let count = 0; count < 150; count++) server.write("Hello")
      const later = yield* post({ key: "later" })
      assert.strictEqual(yield* call(async () => adapter.find?.(place, "later", context)), later)
      assert.strictEqual(yield* call(async () => adapter.find?.(place, "k1", context)), id)
    }))

  it.live("a question says how its answer reaches the app", () =>
    Effect.gen(function*() {
      const { post, server } = yield* starting()
      yield* post({ text: "Send it?", asks: { sender: "7" } })
      assert.include(server.comments[0]?.body, "<sub>Answer with a comment that mentions @desk.</sub>")
    }))

  it.live("a token that has expired or was revoked is replaced", () =>
    Effect.gen(function*() {
      const { post, server } = yield* starting()
      yield* post()
      server.revoke()
      yield* post({ key: "k2" })
      server.setLifetime(60_000)
      server.revoke()
      yield* post({ key: "k3" })
      yield* post({ key: "k4" })
      assert.lengthOf(server.comments, 4)
      assert.strictEqual(server.calls.filter((call) => call.endsWith("/access_tokens")).length, 4)
    }))

  it.live("long texts are split into comments that GitHub accepts", () =>
    Effect.gen(function*() {
      const { adapter, post, server } = yield* starting()
      const text = "A line with * and @people\n\n".repeat(6000)
      const parts = adapter.split(text)
      assert.isAbove(parts.length, 1)
      for (const part of parts) yield* post({ text: part, status: "s".repeat(100), asks: { sender: "7" } })
      assert.lengthOf(server.comments, parts.length)
      yield* post({ text: "" })
      assert.match(server.comments.at(-1)?.body ?? "", /^…/)
    }))

  it.live("a block of code cannot end in its text", () =>
    Effect.gen(function*() {
      const { post, server } = yield* starting()
      yield* post({ text: "````ts\na\n```\n@ann\n````" })
      assert.include(server.comments[0]?.body, "````ts\na\n```\n@ann\n````")
    }))

  it.live("refusals of GitHub say what to do about them, without a secret", () =>
    Effect.gen(function*() {
      const { adapter, server } = yield* starting()
      const post = () => failureOf(() => adapter.post(place, { text: "Hi", key: "k" }, context))
      server.refuse(403, "You have exceeded a secondary rate limit", { "retry-after": "30" })
      assert.deepInclude(yield* post(), { reason: "rate_limited", retryAfter: 30 })
      server.refuse(403, "You have exceeded a secondary rate limit")
      assert.deepInclude(yield* post(), { reason: "rate_limited", retryAfter: 60 })
      const reset = String(Math.floor(Date.now() / 1000) + 120)
      server.refuse(429, "API rate limit exceeded", { "x-ratelimit-remaining": "0", "x-ratelimit-reset": reset })
      const limited = (yield* post()) as { readonly retryAfter: number }
      assert.isTrue(limited.retryAfter > 100 && limited.retryAfter <= 120)
      const refusals = [
        [403, "Resource not accessible by integration", "unauthorized"],
        [403, "Unable to create comment because issue is locked.", "permanent"],
        [404, "Not Found", "permanent"],
        [410, "This issue was deleted", "permanent"],
        [502, "Server Error", "temporary"]
      ] as const
      for (const [status, message, reason] of refusals) {
        server.refuse(status, message)
        assert.strictEqual(reasonOf(yield* post()), reason, message)
      }
      const elsewhere = failureOf(() => adapter.post({ ...place, number: 13 }, { text: "Hi", key: "k" }, context))
      assert.strictEqual(reasonOf(yield* elsewhere), "permanent")
      const other = failureOf(() => adapter.post({ channel: "1" }, { text: "Hi", key: "k" }, context))
      assert.strictEqual(reasonOf(yield* other), "permanent")
    }))

  it.live("the test of a channel says who the app is, and what it may not do", () =>
    Effect.gen(function*() {
      const complete = yield* starting()
      assert.strictEqual(yield* call(() => complete.adapter.test(context)), "@desk, the app Desk")
      const lacking = yield* starting({ permissions: { issues: "read", pull_requests: "write" } })
      assert.match(String(yield* failureOf(() => lacking.adapter.test(context))), /may not write issues:/)
      const renamed = yield* starting({ slug: "other" })
      assert.match(String(yield* failureOf(() => renamed.adapter.test(context))), /The slug of the app is desk/)
      const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 })
      const other = yield* starting({ privateKey: privateKey.export({ format: "pem", type: "pkcs1" }).toString() })
      assert.strictEqual(reasonOf(yield* failureOf(() => other.adapter.test(context))), "unauthorized")
    }))
})

const mistakeOf = (settings: GitHub.Settings): string => {
  try {
    GitHub.adapter(settings)
    return "none"
  } catch (error) {
    return error instanceof SettingsError ? error.message : String(error)
  }
}

describe("settings of GitHub", () => {
  it.live("each mistake is a sentence without the secret, and a key in one line is read", () =>
    Effect.gen(function*() {
      const { server } = yield* starting()
      const { appId, privateKey, slug, webhookSecret } = server
      const good = { appId, privateKey, slug, webhookSecret }
      assert.strictEqual(GitHub.adapter({ ...good, privateKey: privateKey.replaceAll("\n", "\\n") }).platform, "github")
      const mistakes = [
        [{ appId: "Iv1.abc" }, /appId of GitHub is a number/],
        [{ slug: "https://github.com/apps/desk" }, /last part of the address/],
        [{ privateKey: "abc" }, /begins with -----BEGIN/],
        [{ privateKey: "-----BEGIN RSA PRIVATE KEY-----\nsecretsecret\n-----END RSA PRIVATE KEY-----" }, /no RSA key/],
        [{ webhookSecret: "short" }, /at least 8 characters/]
      ] as const
      for (const [settings, expected] of mistakes) {
        const message = mistakeOf({ ...good, ...settings })
        assert.match(message, expected)
        assert.notInclude(message, "secretsecret")
      }
      const { adapter: _, ...channel } = GitHub.make({ ...good, agent: "desk" })
      assert.deepEqual(channel, { agent: "desk", id: "github" })
    }))
})
