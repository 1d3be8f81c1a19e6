import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { Context, Prompt } from "../../src/Adapter.ts"
import { read } from "../../src/discord/DiscordInteractions.ts"

const prompt: Prompt = {
  id: "p1",
  choices: [
    { id: "approve", label: "Approve", style: "primary" },
    {
      id: "reject",
      label: "Reject",
      style: "danger",
      form: { title: "Why?", fields: [{ name: "reason", label: "Reason", type: "paragraph", isRequired: true }] }
    }
  ]
}

const context: Context = {
  signal: new AbortController().signal,
  fetch,
  prompt: (id) => Promise.resolve(id === "p1" ? prompt : undefined)
}

const user = { id: "7", username: "ann", global_name: "Ann" }
const base = { id: "100", token: "t", channel_id: "5", guild_id: "9", member: { user } }

const reading = (interaction: object) =>
  Effect.map(Effect.promise(() => read({ ...base, ...interaction }, 0, context)), (received) => ({
    response: JSON.parse(received?.acknowledgement.body ?? "null") as unknown,
    events: received?.events
  }))

describe("interactions of Discord", () => {
  it.effect("a ping is answered with a pong", () =>
    Effect.gen(function*() {
      assert.deepEqual(yield* reading({ type: 1 }), { response: { type: 1 }, events: [] })
    }))

  it.effect("a command is answered later, with its token while that counts", () =>
    Effect.gen(function*() {
      const data = { name: "ask", options: [{ name: "text", type: 3, value: "Hello" }] }
      const { events, response } = yield* reading({ type: 2, data })
      assert.deepEqual(response, { type: 5 })
      assert.deepEqual(events, [{
        type: "message",
        id: "100",
        thread: "5",
        place: { channel: "5", token: "t", until: 870_000 },
        sender: { id: "7", name: "Ann" },
        isDirect: false,
        text: "Hello"
      }])
      const begun = yield* reading({ type: 2, data: { name: "new" } })
      assert.deepInclude(begun.events?.[0], { type: "command", name: "new", text: "" })
    }))

  it.effect("a press of a choice with a form shows the form, and what is sent with it is the press", () =>
    Effect.gen(function*() {
      const shown = yield* reading({ type: 3, data: { custom_id: "p1:reject", component_type: 2 } })
      assert.deepEqual(shown.events, [])
      assert.deepEqual(shown.response, {
        type: 9,
        data: {
          custom_id: "p1:reject",
          title: "Why?",
          components: [{
            type: 18,
            label: "Reason",
            component: { type: 4, custom_id: "?reason", required: true, style: 2 }
          }]
        }
      })
      const components = [{ type: 18, id: 1, component: { type: 4, id: 2, custom_id: "?reason", value: "Too early" } }]
      const sent = yield* reading({ type: 5, data: { custom_id: "p1:reject", components } })
      assert.deepEqual(sent.response, { type: 6 })
      assert.deepInclude(sent.events?.[0], { type: "press", choice: "reject", values: { reason: "Too early" } })
    }))

  it.effect("a press of another choice is an event at once", () =>
    Effect.gen(function*() {
      const { events, response } = yield* reading({ type: 3, data: { custom_id: "p1:approve" } })
      assert.deepEqual(response, { type: 6 })
      assert.deepInclude(events?.[0], { type: "press", prompt: "p1", choice: "approve", place: { channel: "5" } })
    }))
})
