// A run whose tool makes durable calls is killed after any single entry of its journal, before and after each of its
// pauses. It ends as it would have, and nothing that had ended is done again.
import { assert, describe, it } from "@effect/vitest"
import type * as Tool from "@svc-runtime/engine/tool/Tool"
import * as Agent from "@svc-runtime/features/Agent"
import { text } from "@svc-runtime/test-support/ScriptedModel"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Effect } from "effect"
import { z } from "zod"
import { comparable } from "../../../engine/test/run/Restartable.ts"
import { answered, begun, openIn, speaker, toolResult, toolScene, valuesFor } from "./DurableFunctions.ts"

const scene = (options: Pick<Tool.Options<undefined>, "effects">) =>
  Effect.gen(function*() {
    const done: Array<string> = []
    const speaking = yield* speaker(text("A plan."))
    const planner = Agent.make({ id: "planner", model: speaking.model })
    const other = yield* speaker(text("A price."))
    const made = yield* toolScene(async ({ generate, pause, run, step }) => {
      const [plan, price] = await Promise.all([
        run(planner, "Plan").then(async ({ content }) => {
          const noted = await step("note", ({ effectId }) => (done.push(effectId), "noted"), { effects: "idempotent" })
          return `${String(content)} ${noted}`
        }),
        generate({ prompt: "Price?", model: other.model })
      ])
      const names: Array<string> = []
      for (let more = true; more;) {
        const given = await pause({ question: "Who?", schema: z.object({ name: z.string(), more: z.boolean() }) })
        names.push(given.name)
        more = given.more
      }
      const booked = await step("book", ({ effectId }) => (done.push(effectId), names.length), {
        effects: "idempotent"
      })
      return [plan, price, ...names, booked].join(", ")
    }, options)
    return { ...made, done, asked: Effect.all([speaking.requests, other.requests]) }
  })

const first = { name: "Ann", more: true }
const second = { name: "Bob", more: false }

const kills = (count: number) => Tier.some(Array.from({ length: count + 1 }, (_, after) => after), 4)

describe.each([["once"], ["idempotent"]] as const)("a tool with effects: %s", (effects) => {
  const whole = (after: { readonly start?: number; readonly first?: number; readonly second?: number } = {}) =>
    Effect.gen(function*() {
      const one = yield* scene({ effects })
      const cut = yield* begun(one, after.start)
      const unknown = openIn(cut).filter(({ tool_execution }) => tool_execution.outcome_unknown === true)
      const confirmed = unknown.map(({ id }) => ({ id, confirmation: true }))
      const started = unknown.length === 0 ? cut : yield* answered(one, cut, confirmed)
      assert.strictEqual(started.snapshot.status, "PAUSED", JSON.stringify(after))
      const next = yield* answered(one, started, valuesFor(started, first), after.first)
      assert.strictEqual(next.snapshot.status, "PAUSED", JSON.stringify(after))
      const last = yield* answered(one, next, valuesFor(next, second), after.second)
      const written = { start: started.written, first: next.written, second: last.written }
      return { ...last, written, done: one.done, asked: yield* one.asked, isUnknown: unknown.length > 0 }
    })

  it.effect("the run ends in the same way wherever its process stopped", () =>
    Effect.gen(function*() {
      const expected = yield* whole()
      assert.strictEqual(expected.snapshot.status, "COMPLETED")
      assert.strictEqual(toolResult(expected), "A plan. noted, A price., Ann, Bob, 2")
      assert.strictEqual(expected.done.length, 2)
      assert.deepStrictEqual(expected.asked, [1, 1])
      const { first: afterFirst, second: afterSecond, start } = expected.written
      const all = [
        ...kills(start).map((after) => ({ start: after })),
        ...kills(afterFirst).map((after) => ({ first: after })),
        ...kills(afterSecond).map((after) => ({ second: after }))
      ]
      for (const after of all) {
        const found = yield* whole(after)
        const when = JSON.stringify(after)
        assert.strictEqual(found.snapshot.status, "COMPLETED", when)
        assert.strictEqual(toolResult(found), toolResult(expected), when)
        assert.strictEqual(new Set(found.done).size, 2, when)
        // a tool that may have had its effect before its first durable call is not repeated without a person
        assert.strictEqual(found.isUnknown, effects === "once" && when === "{\"start\":1}", when)
        if (found.isUnknown) continue
        assert.deepStrictEqual(comparable(found.snapshot.output), comparable(expected.snapshot.output), when)
      }
    }))
})
