// What the model reads of the responses before one: the whole chain, as with the API of OpenAI.
import { assert, describe, it } from "@effect/vitest"
import * as Agent from "@svc-runtime/features/Agent"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import { Effect } from "effect"
import { at } from "../Wire.ts"
import { call, serving } from "./OpenAiClient.ts"

const turns = [1, 2, 3, 4, 5, 6]

const opened = Effect.fnUntraced(function*(options: Partial<Agent.Options> = {}) {
  const script = yield* Script.make(turns.map((turn) => [Script.text(`answer ${turn}`)]))
  const { client } = yield* serving(Agent.make({ id: "a", model: script.model, ...options }))
  const seen = Effect.map(
    script.prompts,
    (prompts) => (prompts.at(-1) ?? []).flatMap(({ content, role }) => role === "user" ? [at(content, 0, "text")] : [])
  )
  const chain = Effect.gen(function*() {
    let previous: string | undefined
    for (const turn of turns) {
      const { id } = yield* call(() =>
        client.responses.create({ model: "a", input: `turn ${turn}`, previous_response_id: previous ?? null })
      )
      previous = id
    }
  })
  return { chain, client, seen }
})

describe("the history of a response", () => {
  it.live("a response reads all of its chain, also with an agent that shows less by default", () =>
    Effect.gen(function*() {
      for (const addHistoryToContext of [false, true]) {
        const { chain, seen } = yield* opened({ addHistoryToContext })
        yield* chain
        assert.deepStrictEqual(yield* seen, turns.map((turn) => `turn ${turn}`))
      }
    }))

  it.live("a conversation that is named is read as a whole too", () =>
    Effect.gen(function*() {
      const { client, seen } = yield* opened()
      for (const turn of turns) {
        yield* call(() =>
          client.responses.create({ model: "a", input: `turn ${turn}`, conversation: "c", user: "ann" })
        )
      }
      assert.deepStrictEqual(yield* seen, turns.map((turn) => `turn ${turn}`))
    }))

  it.live("the limits that the author has set hold", () =>
    Effect.gen(function*() {
      const limited: ReadonlyArray<Partial<Agent.Options>> = [{ numHistoryRuns: 2 }, { numHistoryMessages: 4 }]
      for (const options of limited) {
        const { chain, seen } = yield* opened(options)
        yield* chain
        assert.deepStrictEqual(yield* seen, ["turn 4", "turn 5", "turn 6"])
      }
    }))
})
