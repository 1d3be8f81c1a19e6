// A run that is paused on one wire is continued on any other, whatever it waits for: the table of
// docs/guides/protocols.md.
import { assert, describe, it } from "@effect/vitest"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Effect } from "effect"
import { at, serve } from "../Wire.ts"
import * as PausedWires from "./PausedWires.ts"
import { components, pausing } from "./PausingComponents.ts"

Tier.oneIn(12)

for (const [row, first] of PausedWires.wires.entries()) {
  describe(`a run that is paused on ${first.name}`, () => {
    for (const [place, second] of PausedWires.wires.entries()) {
      it.effect(`every pause is answered on ${second.name}`, () =>
        Effect.gen(function*() {
          const server = yield* serve(yield* components)
          for (const each of Tier.ofEach(pausing, 1, ({ kind }) => kind, row + place)) {
            const target = { ...each, server, session: `session-${each.id}` }
            yield* first.pause(target)
            assert.strictEqual(at(yield* PausedWires.runOf(target), "status"), "PAUSED", each.id)
            yield* second.resume(target)
            const run = yield* PausedWires.runOf(target)
            assert.strictEqual(at(run, "status"), "COMPLETED", each.id)
            assert.include(String(at(run, "content")), each.result)
          }
        }))
    }
  })
}

describe("edited arguments", () => {
  it.effect.each(pausing.filter(({ id }) => ["confirmation", "member", "executor"].includes(id)))(
    "a call in $kind/$id is executed with the edited arguments",
    (each) =>
      Effect.gen(function*() {
        const server = yield* serve(yield* components)
        const payload = { accepted: true, editedArgs: { to: "bob" } }
        const target = { ...each, payload, server, session: "s" }
        const [wire] = PausedWires.wires
        yield* wire!.pause(target)
        yield* wire!.resume(target)
        const run = JSON.stringify(yield* PausedWires.runOf(target))
        assert.include(run, "sent to bob")
        assert.notInclude(run, "sent to ann")
      })
  )
})
