// Runs that cannot be resumed: a failure of one of them does not affect the others, an operator sees why it was set
// aside, and continuing it retries it.
import { assert, describe, it } from "@effect/vitest"
import type * as Json from "@svc/domain/Json"
import * as Owner from "@svc/domain/Owner"
import * as Run from "@svc/domain/Run"
import { StorageUnavailable } from "@svc/domain/StorageUnavailable"
import * as Script from "@svc/testing/ScriptedModel"
import { text } from "@svc/testing/ScriptedModel"
import { Deferred, Effect, Option } from "effect"
import { TestClock } from "effect/testing"
import * as Agent from "../../src/agent/Agent.ts"
import type { RunCommand } from "../../src/ComponentModules.ts"
import { RunUnreadable } from "../../src/run/RunErrors.ts"
import type { RunStore } from "../../src/run/RunStore.ts"
import { type Format, StoredFormat } from "../../src/run/StoredFormat.ts"
import { logged } from "../agent/Harness.ts"
import { open, type Options, scripted } from "./Engine.ts"

const anyone = { owner: Owner.anyone }
const runId = (name: string) => Run.Id.make(name)

/** Runs that were cut off in the middle of their first answers, each in a session of its own. */
const cutOff = Effect.fnUntraced(function*(names: ReadonlyArray<string>, options: Options = {}) {
  const before = yield* open({ drainTimeout: 0, ...options })
  const waits: Array<Deferred.Deferred<void>> = []
  const turns: Array<Script.Turn> = []
  for (const _ of names) {
    const waiting = yield* Deferred.make<void>()
    waits.push(waiting)
    turns.push([Script.wait(Deferred.succeed(waiting, undefined)), Script.hang])
  }
  const { agent, command } = yield* scripted([...turns, ...Array.from({ length: 20 }, () => [text("Hello")])])
  for (const [index, name] of names.entries()) {
    const ids = { run_id: runId(name), session_id: name as never }
    yield* before.engine.start(command({ ...ids, stream: false, background: true }) as RunCommand)
    yield* Deferred.await(waits[index]!)
  }
  return { agent, before, command }
})

const unreadable = (isUnreadable: (run: Run.Id) => boolean): NonNullable<Options["around"]> => (store) => ({
  ...store,
  load: (held) =>
    isUnreadable(held.run_id)
      ? Effect.fail(new RunUnreadable({ run_id: held.run_id, reason: "it has 300 MiB" }))
      : store.load(held)
})

const find = ({ runs }: { readonly runs: RunStore["Service"] }, name: string) =>
  Effect.flatMap(runs.find(name as never, runId(name), anyone), Effect.fromOption)

const isSettled = (service: { readonly runs: RunStore["Service"] }, name: string) =>
  Effect.repeat(Effect.andThen(TestClock.adjust("1 second"), find(service, name)), {
    until: ({ status }) => !Run.isUnderWay(status),
    times: 200
  })

describe("a run that cannot be read", () => {
  it.effect("an unreadable run is set aside with the reason, and the others of the same takeover resume", () =>
    Effect.gen(function*() {
      const { agent, before } = yield* cutOff(["one", "two", "three"])
      yield* before.close
      const after = yield* open({
        memory: before.memory,
        agents: [agent],
        around: unreadable((run) => run === "two")
      })
      const { lines } = yield* logged(after.engine.recover)
      assert.deepInclude(yield* isSettled(after, "one"), { status: "COMPLETED", content: "Hello" })
      assert.deepInclude(yield* isSettled(after, "three"), { status: "COMPLETED", content: "Hello" })
      const aside = yield* find(after, "two")
      assert.deepInclude(aside, {
        status: "ERROR",
        content: "What is stored of the run cannot be read: it has 300 MiB. Continue the run to try again."
      })
      const logLine = lines.find(({ text }) => text.includes("A run is set aside and ends as failed"))
      assert.deepInclude(logLine?.annotations, { run_id: "two", session_id: "two" })
    }))

  it.effect("a run that was set aside resumes after its last finished step when a caller continues it", () =>
    Effect.gen(function*() {
      const { agent, before } = yield* cutOff(["one"])
      yield* before.close
      let isBroken = true
      const after = yield* open({
        memory: before.memory,
        agents: [agent],
        around: unreadable(() => isBroken)
      })
      yield* after.engine.recover
      assert.strictEqual((yield* isSettled(after, "one")).status, "ERROR")
      isBroken = false
      const snapshot = yield* Effect.flatMap(
        after.runs.snapshot("one" as never, runId("one"), anyone),
        Effect.fromOption
      )
      const request = { snapshot, entry: undefined, stream: false, background: false }
      const handle = yield* Effect.flatMap(after.engine.continue(request), Effect.fromOption)
      assert.deepInclude(yield* handle.output, { status: "COMPLETED", content: "Hello" })
      assert.deepInclude(yield* find(after, "one"), { status: "COMPLETED", input: { input_content: "Hi" } })
    }))

  it.effect("a run is given back while the database does not return it, and set aside in the end", () =>
    Effect.gen(function*() {
      const { agent, before } = yield* cutOff(["one", "two"])
      yield* before.close
      const after = yield* open({
        memory: before.memory,
        agents: [agent],
        limits: { maxRestores: 3 },
        around: (store) => ({
          ...store,
          load: (held) => held.run_id === "one" ? new StorageUnavailable({ cause: "cut" }) : store.load(held)
        })
      })
      yield* after.engine.recover
      assert.deepInclude(yield* isSettled(after, "two"), { status: "COMPLETED" })
      const output = yield* isSettled(after, "one")
      assert.strictEqual(output.status, "ERROR")
      assert.include(String(output.content), "This was tried 3 times, as MAX_RESTORES allows")
    }))

  it.effect("a run is never set aside because a table, a column or a right of the database is missing", () =>
    Effect.gen(function*() {
      const { agent, before } = yield* cutOff(["one"])
      yield* before.close
      let rejections = 0
      const missing = new StorageUnavailable({ cause: "42501", isRejected: true, isSchemaError: true })
      const after = yield* open({
        memory: before.memory,
        agents: [agent],
        limits: { maxRestores: 3 },
        around: (store) => ({ ...store, load: (held) => rejections++ < 5 ? missing : store.load(held) })
      })
      yield* after.engine.recover
      assert.deepInclude(yield* isSettled(after, "one"), { status: "COMPLETED", content: "Hello" })
    }))

  it.effect("a run is set aside at once when its journal has an unknown entry", () =>
    Effect.gen(function*() {
      const { agent, before } = yield* cutOff(["one"])
      yield* before.runs.record({ run_id: runId("one"), attempt: 1, position: 0, entry: { kind: "?" }, events: [] })
      yield* before.close
      const after = yield* open({ memory: before.memory, agents: [agent] })
      yield* after.engine.recover
      const output = yield* isSettled(after, "one")
      assert.strictEqual(output.status, "ERROR")
      assert.include(String(output.content), "does not have the form that this version reads")
    }))
})

describe("a run that loses its nodes", () => {
  it.effect("a run that loses its nodes is set aside after MAX_TAKEOVERS without a finished step", () =>
    Effect.gen(function*() {
      const { agent, before } = yield* cutOff(["one"])
      const { runs } = before
      // each node dies while it executes the run
      for (const node of ["a", "b", "c"]) {
        yield* runs.takeOver({ node, isStarting: false, nodeTimeout: -1, limit: 1 })
      }
      const after = yield* open({ memory: before.memory, agents: [agent], limits: { maxTakeovers: 3 } })
      yield* Effect.forkChild(after.engine.recover)
      const output = yield* isSettled(after, "one")
      assert.strictEqual(output.status, "ERROR")
      assert.include(
        String(output.content),
        "The run lost its node 4 times without finishing a step, and MAX_TAKEOVERS allows 3"
      )
    }))

  it.effect("a run that lost fewer nodes resumes, after the runs that have lost none", () =>
    Effect.gen(function*() {
      const { agent, before } = yield* cutOff(["one", "two"])
      const { runs } = before
      for (const node of ["a", "b"]) {
        yield* runs.takeOver({ node, isStarting: false, nodeTimeout: -1, limit: 1 })
      }
      const order: Array<string> = []
      const after = yield* open({
        memory: before.memory,
        agents: [agent],
        around: (store) => ({
          ...store,
          load: (held) => Effect.tap(store.load(held), () => Effect.sync(() => order.push(held.run_id)))
        })
      })
      yield* Effect.forkChild(after.engine.recover)
      assert.strictEqual((yield* isSettled(after, "one")).status, "COMPLETED")
      assert.deepStrictEqual(order, ["two", "one"])
    }))
})

describe("two processes with one name", () => {
  it.effect("two processes with one name do not acquire each other's runs, and the second one logs that the first one is there", () =>
    Effect.gen(function*() {
      const many = { nodeTimeout: 8, node: "same" }
      const { agent, before } = yield* cutOff(["one"], many)
      const opening = yield* logged(open({ ...many, memory: before.memory, agents: [agent], drainTimeout: 0 }))
      const second = opening.result
      assert.strictEqual(yield* second.engine.recover, 0)
      assert.isTrue(opening.lines.some(({ text }) => text.includes("Another process has used the node name 'same'")))
      // both are alive for longer than NODE_TIMEOUT
      yield* TestClock.adjust("30 seconds")
      const { attempt } = yield* Effect.flatMap(
        second.runs.snapshot("one" as never, runId("one"), anyone),
        Effect.fromOption
      )
      assert.strictEqual(attempt, 1)
    }))
})

describe("nodes of two versions", () => {
  const upcast = (stored: Json.Object): Json.Object => stored
  const upcasts = [upcast, upcast]
  const newer: Format = {
    current: 3,
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
      const needs = "It needs a service that reads the stored format 3, and this one reads 2"
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
      const old: Format = { ...newer, current: 2 }
      const { agent, first } = yield* failed(old)
      const seen: Array<Json.Object> = []
      const step = (stored: Json.Object): Json.Object => (seen.push(stored), stored)
      const present: Format = {
        ...newer,
        commands: { ...newer.commands, agent: [upcast, step] },
        entries: { ...newer.entries, agent: [upcast, step] }
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
        commands: { ...newer.commands, agent: [upcast, (stored) => (seen.push(stored), stored)] }
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
