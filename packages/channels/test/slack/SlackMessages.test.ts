// What an agent writes in Slack, against a server that refuses what Slack refuses.
import { assert, describe, it } from "@effect/vitest"
import type * as SlackServer from "@svc-runtime/test-support/platforms/SlackServer"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Effect } from "effect"
import type { Prompt } from "../../src/Adapter.ts"
import { call, direct, failureOf, prompt, reasonOf, starting } from "./SlackPlatform.ts"

Tier.oneIn(3)

type Blocks = ReadonlyArray<{ readonly type: string; readonly text?: { readonly text: string } }>

const blocksOf = (message: SlackServer.Message | undefined) => (message?.blocks ?? []) as Blocks

const shown = (message: SlackServer.Message | undefined) =>
  blocksOf(message).flatMap(({ text }) => text === undefined ? [] : [text.text]).join("\n")

const place = { channel: "C0DESK", thread: "17.5" }

describe("messages in Slack", () => {
  it.live("a message is posted in its thread, found by its key and edited", () =>
    Effect.gen(function*() {
      const { adapter, context, post, slack } = yield* starting()
      const id = yield* post({ text: "**Hi** <!channel> & you" }, place)
      assert.strictEqual(slack.messages[0]?.thread_ts, "17.5")
      assert.strictEqual(shown(slack.messages[0]), "*Hi* &lt;!channel&gt; &amp; you")
      assert.strictEqual(yield* call(async () => adapter.find?.(place, "k1", context)), id)
      assert.isUndefined(yield* call(async () => adapter.find?.(place, "k2", context)))
      assert.isUndefined(yield* call(async () => adapter.find?.(direct, "k1", context)))
      const edit = { text: "Bye", status: "Reads a page", prompt, key: "k1" }
      yield* call(async () => adapter.edit?.(place, id, edit, context))
      assert.strictEqual(shown(slack.messages[0]), "Bye")
      assert.deepEqual(blocksOf(slack.messages[0]).map(({ type }) => type), ["section", "context", "actions"])
      yield* call(async () => adapter.edit?.(place, id, { text: "Bye", key: "k1" }, context))
      assert.deepEqual(blocksOf(slack.messages[0]).map(({ type }) => type), ["section"])
      assert.strictEqual(yield* call(async () => adapter.find?.(place, "k1", context)), id)
    }))

  it.live("a message that was posted though its answer was lost is found, behind others", () =>
    Effect.gen(function*() {
      const { adapter, context, post, slack } = yield* starting()
      slack.fail("chat.postMessage", "cut")
      const lost = yield* failureOf(() => adapter.post(place, { text: "Hello", key: "lost" }, context))
      assert.strictEqual(reasonOf(lost), "temporary")
      for (let count = 0; count < 250; count++) yield* post({ key: `k${count}` }, place)
      const found = yield* call(async () => adapter.find?.(place, "lost", context))
      assert.strictEqual(found, slack.messages[0]?.ts)
    }))

  it.live("each text that fits is accepted by Slack, in sections of at most 3,000 characters", () =>
    Effect.gen(function*() {
      const { adapter, post, slack } = yield* starting()
      const code = `\`\`\`ts\n${"const a = b && c\n".repeat(200)}\`\`\``
      const texts = [
        "<&>".repeat(9000),
        "word ".repeat(10_000),
        `${"A paragraph.\n\n".repeat(1500)}`,
        `${code}\n\n${code}\n\n${code}`,
        "😀".repeat(20_000),
        `${"- [a](https://example.com/?a=1&b=2)\n".repeat(700)}`,
        "| a | b |\n| - | - |\n" + "| 1 | 2 |\n".repeat(900)
      ]
      for (const text of texts) {
        const parts = adapter.split(text)
        assert.isAbove(parts.length, 0)
        for (const part of parts) yield* post({ text: part, status: "Reads", prompt })
      }
      for (const message of slack.messages) {
        assert.isTrue(message.text.isWellFormed())
        assert.isTrue(shown(message).isWellFormed())
      }
    }))

  it.live("a text that shows nothing, or no text at all, is posted as a sign", () =>
    Effect.gen(function*() {
      const { post, slack } = yield* starting()
      for (const text of ["", " ", "[a]: https://example.com", "&nbsp;", "\u200b"]) yield* post({ text })
      yield* post({ text: "", status: "Reads a page" })
      assert.lengthOf(slack.messages, 6)
      assert.strictEqual(slack.messages[0]?.text, "…")
      assert.strictEqual(slack.messages[5]?.text, "Reads a page")
    }))

  it.live("buttons are in rows, with short labels, and no message has more than 50 blocks", () =>
    Effect.gen(function*() {
      const { adapter, post, slack } = yield* starting()
      const choices = Array.from({ length: 60 }, (_, index) => ({
        id: `c${index}`,
        label: `${index} ${"long ".repeat(30)}`,
        style: "plain" as const
      }))
      const many: Prompt = { id: "p".repeat(24), choices }
      const [text = ""] = adapter.split("A paragraph with some words.\n\n".repeat(1000))
      yield* post({ text, prompt: many, status: "s".repeat(1000) })
      const types = blocksOf(slack.messages[0]).map(({ type }) => type)
      assert.lengthOf(types.filter((type) => type === "actions"), 3)
      assert.isAtMost(types.length, 50)
    }))

  it.live("a status is shown in threads only, where Slack has it", () =>
    Effect.gen(function*() {
      const { adapter, context, slack } = yield* starting()
      yield* call(async () => adapter.showTyping?.(place, context))
      yield* call(async () => adapter.showTyping?.(direct, context))
      assert.deepEqual(slack.statuses, [{ channel_id: "C0DESK", thread_ts: "17.5", status: "is thinking…" }])
    }))

  it.live("a conversation with a person is opened for messages without a question", () =>
    Effect.gen(function*() {
      const { adapter, context } = yield* starting()
      assert.deepEqual(yield* call(async () => adapter.directPlace?.("T9/U0ANN", context)), { channel: "D0ANN" })
      const unknown = yield* failureOf(async () => adapter.directPlace?.("U0NONE", context))
      assert.strictEqual(reasonOf(unknown), "permanent")
    }))
})

describe("what Slack refuses", () => {
  it.live("each refusal says what to do about it", () =>
    Effect.gen(function*() {
      const { adapter, context, slack } = yield* starting()
      const post = () => failureOf(() => adapter.post(direct, { text: "Hello", key: "k" }, context))
      const reasons = [
        ["ratelimited", "rate_limited"],
        ["token_expired", "unauthorized"],
        ["token_revoked", "unauthorized"],
        ["account_inactive", "unauthorized"],
        ["invalid_auth", "unauthorized"],
        ["missing_scope", "unauthorized"],
        ["channel_not_found", "permanent"],
        ["is_archived", "permanent"],
        ["not_in_channel", "permanent"],
        ["internal_error", "temporary"],
        ["service_unavailable", "temporary"]
      ]
      for (const [error = "", reason] of reasons) {
        slack.fail("chat.postMessage", { error })
        assert.strictEqual(reasonOf(yield* post()), reason, error)
      }
      slack.fail("chat.postMessage", { status: 503 })
      assert.strictEqual(reasonOf(yield* post()), "temporary")
      slack.fail("chat.postMessage", { error: "missing_scope", more: { needed: "chat:write", provided: "im:write" } })
      assert.deepInclude(yield* post(), {
        message: "Slack refused chat.postMessage: missing_scope, it needs chat:write"
      })
    }))

  it.live("the seconds that Slack asks to wait are those of the header, up to an hour", () =>
    Effect.gen(function*() {
      const { adapter, context, slack } = yield* starting()
      const post = () => failureOf(() => adapter.post(direct, { text: "Hello", key: "k" }, context))
      slack.fail("chat.postMessage", { retryAfter: 30 }, { retryAfter: 100_000 })
      assert.deepInclude(yield* post(), { reason: "rate_limited", retryAfter: 30 })
      assert.deepInclude(yield* post(), { reason: "rate_limited", retryAfter: 3600 })
    }))

  it.live("an edit of a message that is gone is permanent, and a place that is none of Slack as well", () =>
    Effect.gen(function*() {
      const { adapter, context } = yield* starting()
      const message = { text: "Hello", key: "k" }
      const gone = yield* failureOf(async () => adapter.edit?.(direct, "1.1", message, context))
      assert.strictEqual(reasonOf(gone), "permanent")
      assert.strictEqual(reasonOf(yield* failureOf(() => adapter.post({ chat: 1 }, message, context))), "permanent")
    }))

  it.live("the test of a channel says who the agent is, and which scopes its token lacks", () =>
    Effect.gen(function*() {
      const complete = yield* starting()
      assert.strictEqual(yield* call(() => complete.adapter.test(complete.context)), "@desk in Acme")
      const lacking = yield* starting({ scopes: ["chat:write", "commands"] })
      const failure = yield* failureOf(() => lacking.adapter.test(lacking.context))
      assert.deepInclude(failure, { reason: "unauthorized" })
      assert.match(String(failure), /lacks app_mentions:read, /)
      const other = yield* starting({ token: "xoxb-another-token-of-a-bot" })
      const unknown = yield* failureOf(() => other.adapter.test(other.context))
      assert.deepInclude(unknown, { reason: "unauthorized", message: "Slack refused auth.test: invalid_auth" })
      const app = yield* starting({ appToken: "xapp-1-another-token" })
      assert.strictEqual(reasonOf(yield* failureOf(() => app.adapter.test(app.context))), "unauthorized")
    }))
})
