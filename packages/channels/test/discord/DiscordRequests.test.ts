// What Discord sends to the URL of a channel, as bytes with their signature.
import { assert, describe, it } from "@effect/vitest"
import type * as DiscordServer from "@svc-runtime/test-support/platforms/DiscordServer"
import { Effect } from "effect"
import type { Field, Prompt } from "../../src/Adapter.ts"
import { call, failureOf, reasonOf, starting } from "./DiscordPlatform.ts"

const seconds = () => Math.floor(Date.now() / 1000)

const field: Field = { name: "to", label: "To", type: "text", isRequired: false }

const asking = (fields: ReadonlyArray<Field>, title = "Edit"): Prompt => ({
  id: "p1",
  choices: [{ id: "go", label: "Go", style: "primary", form: { title, fields } }]
})

const pressing = Effect.fnUntraced(function*(prompt: Prompt) {
  const platform = yield* starting({ prompt })
  const { adapter, context, deliveryOf, server } = platform
  /** The events, after Discord has taken the response. */
  const receive = (values: DiscordServer.Values) =>
    call(async () => {
      const interaction = server.interaction(values)
      const { acknowledgement, events } = await adapter.receive(deliveryOf(interaction), context)
      const status = server.take(interaction.token, JSON.parse(acknowledgement.body ?? ""))
      if (status !== 204) throw new Error(`Discord refused the response: ${status}`)
      return events
    })
  const press = receive({ type: 3, data: { custom_id: "p1:go", component_type: 2 } })
  return { ...platform, receive, press }
})

interface Shown {
  readonly custom_id: string
  readonly components: ReadonlyArray<{ readonly component: { readonly custom_id: string; readonly type: number } }>
}

/** What Discord sends when a person has filled in the form that was shown last. */
const filled = ({ modals }: DiscordServer.DiscordServer, values: ReadonlyArray<string>): DiscordServer.Values => {
  const { components, custom_id } = modals.at(-1) as unknown as Shown
  const sent = components.map(({ component: { custom_id, type } }, index) => ({
    type: 18,
    component: { type, custom_id, ...(type === 3 ? { values: [values[index]] } : { value: values[index] }) }
  }))
  return { type: 5, data: { custom_id, components: sent } }
}

describe("requests of Discord", () => {
  it.live("a request that is forged or old is refused, and the verification of the URL is answered", () =>
    Effect.gen(function*() {
      const { adapter, context, deliveryOf } = yield* starting()
      const good = deliveryOf({ type: 1, id: "1", token: "t" })
      const pong = yield* call(() => adapter.receive(good, context))
      assert.deepEqual(JSON.parse(pong.acknowledgement.body ?? ""), { type: 1 })
      const forged = [
        { ...good, body: new TextEncoder().encode("{}") },
        { ...good, headers: {} },
        { ...good, headers: { ...good.headers, "x-signature-timestamp": String(seconds() + 1) } },
        deliveryOf({ type: 1 }, seconds() - 310),
        deliveryOf({ type: 1 }, seconds() + 310)
      ]
      for (const delivery of forged) {
        assert.strictEqual(reasonOf(yield* failureOf(() => adapter.receive(delivery, context))), "forged")
      }
      const other = yield* starting({ gateway: true, publicKey: undefined })
      assert.strictEqual(reasonOf(yield* failureOf(() => other.adapter.receive(good, context))), "forged")
    }))

  it.live("a command is a message with the same id each time, and its answer replaces the response", () =>
    Effect.gen(function*() {
      const { adapter, context, deliveryOf, server } = yield* starting()
      const data = { name: "ask", options: [{ name: "text", type: 3, value: "What is up?" }] }
      const command = server.interaction({ type: 2, data })
      const first = yield* call(() => adapter.receive(deliveryOf(command), context))
      const again = yield* call(() => adapter.receive(deliveryOf(command), context))
      assert.strictEqual(first.events[0]?.id, again.events[0]?.id)
      assert.strictEqual(server.take(command.token, JSON.parse(first.acknowledgement.body ?? "")), 204)
      const [event] = first.events
      assert.isDefined(event)
      yield* call(() => adapter.post(event.place, { text: "Fine", key: "k" }, context))
      assert.deepEqual(server.messages.map(({ id, values }) => [id, values["content"]]), [
        [`original-${command.token}`, "Fine"]
      ])
    }))

  it.live("forms have the values of their fields, and what people leave empty is left out or emptied", () =>
    Effect.gen(function*() {
      const fields: ReadonlyArray<Field> = [
        { ...field, name: "new" },
        { ...field, name: "old", value: "line 1\nline 2" },
        { ...field, name: "sure", type: "boolean", value: "false" },
        { ...field, name: "size", type: "choice", options: ["S", "L"], value: "L" },
        { ...field, name: "count", type: "number", label: "", value: "2" }
      ]
      const { press, receive, server } = yield* pressing(
        asking(fields, "A title with more than forty-five characters in it")
      )
      assert.deepEqual(yield* press, [])
      assert.deepInclude(JSON.parse(JSON.stringify(server.modals[0]?.["components"]))[2].component, {
        options: [{ label: "yes", value: "true" }, { label: "no", value: "false", default: true }]
      })
      const [event] = yield* receive(filled(server, ["", "", "true", "S", "3"]))
      assert.deepInclude(event, {
        type: "press",
        prompt: "p1",
        choice: "go",
        values: { old: "", sure: "true", size: "S", count: "3" }
      })
    }))

  it.live("a form that Discord cannot show is answered by text: the press counts without its fields", () =>
    Effect.gen(function*() {
      const options = Array.from({ length: 26 }, (_, index) => `o${index}`)
      const forms: ReadonlyArray<ReadonlyArray<Field>> = [
        Array.from({ length: 6 }, (_, index) => ({ ...field, name: `f${index}` })),
        [{ ...field, value: "x".repeat(4001) }],
        [{ ...field, name: "x".repeat(100) }],
        [{ ...field, type: "choice", options }],
        [{ ...field, type: "choice", options: [] }],
        [{ ...field, type: "choice", options: ["a", "a"] }],
        [{ ...field, type: "choice", options: ["x".repeat(101)] }]
      ]
      for (const fields of forms) {
        const { press, server } = yield* pressing(asking(fields))
        const [event] = yield* press
        assert.deepInclude(event, { type: "press", choice: "go" })
        assert.notProperty(event, "values")
        assert.deepEqual(server.modals, [])
      }
    }))

  it.live("a body that cannot be read is malformed, and buttons of other programs are no events", () =>
    Effect.gen(function*() {
      const { adapter, context, deliveryOf, server } = yield* starting()
      for (const payload of [{}, { type: 2, id: "1", token: "t" }, { type: "2" }]) {
        const failure = yield* failureOf(() => adapter.receive(deliveryOf(payload), context))
        assert.strictEqual(reasonOf(failure), "malformed", JSON.stringify(payload))
      }
      for (const custom_id of ["other", "a:b:c", "", "p1:"]) {
        const press = server.interaction({ type: 3, data: { custom_id } })
        assert.deepEqual((yield* call(() => adapter.receive(deliveryOf(press), context))).events, [])
      }
    }))
})
