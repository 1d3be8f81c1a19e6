// Nodes of two versions beside each other, and runs that another version stored.
import { assert, describe, it } from "@effect/vitest"
import type * as Json from "@svc-runtime/domain/Json"
import * as Agent from "@svc-runtime/features/Agent"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import { text } from "@svc-runtime/test-support/ScriptedModel"
import { Effect, Option } from "effect"
import { TestClock } from "effect/testing"
import { logged } from "../../../agents/test/agent/Harness.ts"
import { type Format, StoredFormat } from "../../src/run/journal/StoredFormat.ts"
import type { RunCommand } from "../../src/run/RunCommand.ts"
import type { RunStore } from "../../src/run/store/RunStore.ts"
import { anyone, cutOff, find, isSettled, runId } from "./CutOffRuns.ts"
import { open, scripted } from "./Engine.ts"

describe("nodes of two versions", () => {
  const upcast = (stored: Json.Object): Json.Object => stored
  const upcasts = [upcast]
  const newer: Format = {
    current: 2,
    commands: { agent: upcasts, team: upcasts, workflow: upcasts },
    entries: { agent: upcasts, team: upcasts, workflow: upcasts }
  }
  const many = { nodeTimeout: 8, drainTimeout: 0 } as const

  it.effect("nodes of two versions leave each other the runs that only the other one can execute, and lose none of them", () =>
    Effect.gen(function*() {
      const { agent, before } = yield* cutOff(["one", "two"], { ...many, node: "old" })
      const { memory } = before
      const other = Agent.make({ id: "other" })
      yield* before.close
      // the node of the next version does not have the agent yet
      const next = yield* open({ ...many, node: "new", memory, agents: [other] })
      yield* next.engine.recover
      yield* TestClock.adjust("1 minute")
      for (const name of ["one", "two"]) assert.strictEqual((yield* find(next, name)).status, "RUNNING")
      const back = yield* open({ ...many, node: "old", memory, agents: [agent] })
      for (const name of ["one", "two"]) {
        assert.deepInclude(yield* isSettled(back, name), { status: "COMPLETED", content: "Hello" })
      }
    }))

  it.effect("an older node leaves what it cannot read to the newer one, which reads the data of both", () =>
    Effect.gen(function*() {
      const later = yield* cutOff(["later"], { ...many, node: "new" }).pipe(Effect.provideService(StoredFormat, newer))
      const { memory } = later.before
      yield* later.before.close
      const { agent } = later
      const old = yield* open({ ...many, node: "old", memory, agents: [agent] })
      const { lines } = yield* logged(old.engine.recover)
      yield* TestClock.adjust("1 minute")
      assert.strictEqual((yield* find(old, "later")).status, "RUNNING")
      const needs = "It needs a service that reads the stored format 2, and this one reads 1"
      assert.isAtMost(lines.filter(({ text }) => text.includes(needs)).length, 1)
      const next = yield* open({ ...many, node: "new", memory, agents: [agent] }).pipe(
        Effect.provideService(StoredFormat, newer)
      )
      assert.deepInclude(yield* isSettled(next, "later"), { status: "COMPLETED", content: "Hello" })
    }))

  const failed = Effect.fnUntraced(function*(format: Format) {
    const { agent, command } = yield* scripted([[Script.fail("rate-limited")], [text("Hello")]])
    const first = yield* open({ ...many, node: "first", agents: [agent] }).pipe(
      Effect.provideService(StoredFormat, format)
    )
    const ids = { run_id: runId("one"), session_id: "one" as never }
    const handle = yield* first.engine.start(command({ ...ids, stream: false }) as RunCommand)
    assert.strictEqual((yield* handle.output).status, "ERROR")
    return { agent, first }
  })
  const snapshot = ({ runs }: { readonly runs: RunStore["Service"] }) =>
    runs.snapshot("one" as never, runId("one"), anyone)

  it.effect("a run that an older version stored is brought to the present form before it is continued", () =>
    Effect.gen(function*() {
      const old: Format = { ...newer, current: 1 }
      const { agent, first } = yield* failed(old)
      const seen: Array<Json.Object> = []
      const step = (stored: Json.Object): Json.Object => (seen.push(stored), stored)
      const present: Format = {
        ...newer,
        commands: { ...newer.commands, agent: [step] },
        entries: { ...newer.entries, agent: [step] }
      }
      const next = yield* open({ ...many, node: "new", memory: first.memory, agents: [agent] }).pipe(
        Effect.provideService(StoredFormat, present)
      )
      const stored = Option.getOrThrow(yield* Effect.provideService(snapshot(next), StoredFormat, present))
      assert.strictEqual(seen.length, 1 + stored.entries.length)
      const request = { snapshot: stored, entry: undefined, stream: false, background: false }
      const handle = yield* Effect.flatMap(next.engine.continue(request), Effect.fromOption)
      assert.deepInclude(yield* handle.output, { status: "COMPLETED", content: "Hello" })
    }))

  it.effect("a run that a newer version stored is not continued by an older one, and stays as it is", () =>
    Effect.gen(function*() {
      const { first } = yield* failed(newer)
      const refused = yield* Effect.flip(snapshot(first))
      assert.isTrue(refused.isNewer)
      assert.isTrue(Option.isSome(yield* Effect.provideService(snapshot(first), StoredFormat, newer)))
    }))

  it.effect("a stored run is brought to the present form before it is read", () =>
    Effect.gen(function*() {
      const { agent, before } = yield* cutOff(["one"])
      yield* before.close
      const seen: Array<Json.Object> = []
      const present: Format = {
        ...newer,
        commands: { ...newer.commands, agent: [(stored) => (seen.push(stored), stored)] }
      }
      const after = yield* open({ memory: before.memory, agents: [agent] }).pipe(
        Effect.provideService(StoredFormat, present)
      )
      yield* after.engine.recover
      assert.deepInclude(yield* isSettled(after, "one"), { status: "COMPLETED" })
      assert.strictEqual(seen.length, 1)
      assert.notProperty(seen[0], "v")
    }))
})
