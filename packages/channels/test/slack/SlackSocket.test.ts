// Socket Mode: what Slack sends over the connection that the channel opens.
import { assert, describe, it } from "@effect/vitest"
import type * as SlackServer from "@svc-runtime/test-support/platforms/SlackServer"
import { Effect, Fiber, Redacted } from "effect"
import type { Event } from "../../src/Adapter.ts"
import * as SlackApi from "../../src/slack/SlackApi.ts"
import * as SlackSocket from "../../src/slack/SlackSocket.ts"
import { prompt, reasonOf, starting } from "./SlackPlatform.ts"

interface Listening {
  readonly accept?: (events: ReadonlyArray<Event>) => Promise<void>
}

/** Listens as the service does, until the scope ends. */
const listening = Effect.fnUntraced(function*({ accept = async () => undefined }: Listening = {}) {
  const platform = yield* starting({ signingSecret: undefined })
  const accepted: Array<Event> = []
  const controller = new AbortController()
  yield* Effect.addFinalizer(() => Effect.sync(() => controller.abort()))
  const listen = async () =>
    platform.adapter.listen?.(async (events) => {
      await accept(events)
      accepted.push(...events)
    }, { ...platform.context, signal: controller.signal })
  const ended = yield* Effect.forkScoped(Effect.promise(() => listen().then(() => "stopped", reasonOf)))
  yield* connected(platform.slack, 1)
  return { ...platform, accepted, stop: () => controller.abort(), ended: Fiber.join(ended) }
})

const connected = (slack: SlackServer.SlackServer, opened: number) =>
  Effect.promise(() => slack.until(() => slack.opened() === opened && slack.connections.length > 0))

const push = (slack: SlackServer.SlackServer, type: "events_api" | "interactive" | "slash_commands", payload: object) =>
  Effect.promise(() => slack.push(type, payload as SlackServer.Payload))

describe("Socket Mode of Slack", () => {
  it.live("what arrives is stored, and acknowledged after it with what people are shown", () =>
    Effect.gen(function*() {
      const order: Array<string> = []
      const { accepted, slack } = yield* listening({
        accept: async () => {
          await Promise.resolve()
          order.push("stored")
        }
      })
      yield* push(slack, "events_api", slack.message({ channel: "D0ANN", text: "Hello" }))
      order.push("acknowledged")
      assert.deepEqual(order, ["stored", "acknowledged"])
      const shown = yield* push(slack, "slash_commands", slack.command({ text: "what is up?" }))
      assert.deepEqual(shown, { response_type: "in_channel" })
      assert.deepEqual(accepted.map((event) => event.type === "message" && event.text), ["Hello", "what is up?"])
    }))

  it.live("a button and its form work as by requests", () =>
    Effect.gen(function*() {
      const { accepted, post, slack } = yield* listening()
      yield* post({ prompt })
      const [message] = slack.messages
      assert.isDefined(message)
      yield* push(slack, "interactive", slack.press(message, "Reject"))
      assert.deepEqual(accepted, [])
      yield* push(slack, "interactive", slack.submit({ reason: { value: "Too much" } }))
      assert.deepInclude(accepted[0], { type: "press", choice: "no", values: { reason: "Too much" } })
    }))

  it.live("what is not stored is not acknowledged, so that Slack sends it again", () =>
    Effect.gen(function*() {
      let attempts = 0
      const { accepted, slack } = yield* listening({
        accept: async () => {
          attempts++
          if (attempts === 1) throw new Error("The database is away")
        }
      })
      const payload = slack.message({ channel: "D0ANN", text: "Hello" })
      const first = slack.push("events_api", payload)
      const again = slack.push("events_api", payload)
      yield* Effect.promise(() => again)
      assert.strictEqual(attempts, 2)
      assert.lengthOf(accepted, 1)
      assert.strictEqual(yield* Effect.promise(() => Promise.race([first, Promise.resolve("open")])), "open")
    }))

  it.live("what arrives is stored one after the other, in the order in which Slack sent it", () =>
    Effect.gen(function*() {
      let attempts = 0
      const slowly = { wait: async (): Promise<unknown> => undefined }
      const { accepted, adapter, context, slack } = yield* listening({
        accept: async () => {
          attempts++
          if (attempts === 1) await slowly.wait()
        }
      })
      // meanwhile the others arrive
      slowly.wait = () => adapter.test(context)
      const texts = ["1", "2", "3"]
      const sent = texts.map((text) => slack.push("events_api", slack.message({ channel: "D0ANN", text })))
      yield* Effect.promise(() => Promise.all(sent))
      assert.deepEqual(accepted.map((event) => event.type === "message" && event.text), texts)
    }))

  it.live("before Slack closes a connection the next one is open, and nothing that was sent is lost", () =>
    Effect.gen(function*() {
      const { accepted, slack } = yield* listening()
      const [first] = slack.connections
      first?.send({ type: "disconnect", reason: "warning", debug_info: {} })
      yield* connected(slack, 2)
      yield* Effect.promise(() => slack.until(() => slack.connections.length === 1 && slack.connections[0] !== first))
      yield* push(slack, "events_api", slack.message({ channel: "D0ANN", text: "Hello" }))
      assert.lengthOf(accepted, 1)
    }))

  it.live("texts that are no envelopes are passed over", () =>
    Effect.gen(function*() {
      const { accepted, slack } = yield* listening()
      for (
        const text of ["{", "1", "null", "[]", "{}", "{\"type\":\"unknown\"}", "{\"envelope_id\":7,\"payload\":{}}"]
      ) {
        slack.connections[0]?.write(text)
      }
      yield* push(slack, "events_api", slack.message({ channel: "D0ANN", text: "Hello" }))
      assert.lengthOf(accepted, 1)
    }))

  it.live("a connection that breaks off at once fails, so that it is not opened again and again", () =>
    Effect.gen(function*() {
      const { ended, slack } = yield* listening()
      slack.connections[0]?.cut()
      assert.strictEqual(yield* ended, "temporary")
      assert.strictEqual(slack.opened(), 1)
    }))

  it.live("a connection without a sign of Slack is lost", () =>
    Effect.gen(function*() {
      const { context, slack } = yield* starting()
      const api = SlackApi.make(slack.url, Redacted.make(slack.appToken), [])
      const handle = async () => undefined
      const lost = yield* Effect.promise(() =>
        SlackSocket.listen({ api, handle, silence: 20 }, context).catch((error: unknown) => error)
      )
      assert.deepInclude(lost, {
        reason: "temporary",
        message: "Slack was silent on the connection of Socket Mode"
      })
    }))

  it.live("Socket Mode that is switched off, and a token that is refused, need an operator", () =>
    Effect.gen(function*() {
      const { ended, slack } = yield* listening()
      slack.connections[0]?.send({ type: "disconnect", reason: "link_disabled" })
      assert.strictEqual(yield* ended, "unauthorized")
      const other = yield* starting({ appToken: "xapp-1-another-token" })
      const refused = yield* Effect.promise(async () =>
        other.adapter.listen?.(async () => undefined, other.context).catch(reasonOf)
      )
      assert.strictEqual(refused, "unauthorized")
    }))

  it.live("an address that is not encrypted, or none, is not connected to", () =>
    Effect.gen(function*() {
      const { adapter, context, slack } = yield* starting()
      for (const url of ["", "https://slack.com/link", "wss://exa mple/?ticket=secret", 7]) {
        slack.fail("apps.connections.open", { with: { url } })
        const failure = yield* Effect.promise(async () =>
          adapter.listen?.(async () => undefined, context).catch((error: unknown) => error)
        )
        assert.deepInclude(failure, { reason: "temporary", message: "Slack gave no address for Socket Mode" })
      }
    }))

  it.live("the connection is closed when the channel stops", () =>
    Effect.gen(function*() {
      const { ended, slack, stop } = yield* listening()
      stop()
      assert.strictEqual(yield* ended, "stopped")
      yield* Effect.promise(() => slack.until(() => slack.connections.length === 0))
    }))
})
