// Runs that cannot be resumed: a failure of one of them does not affect the others, an operator sees why it was set
// aside, and continuing it retries it.
import { assert, describe, it } from "@effect/vitest"
import type * as Run from "@svc-runtime/domain/Run"
import { StorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import * as Instruments from "@svc-runtime/telemetry/Instruments"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import { Deferred, Effect } from "effect"
import { TestClock } from "effect/testing"
import { logged } from "../../../agents/test/agent/Harness.ts"
import { type Payer, Spending } from "../../src/limits/Spending.ts"
import type { RunCommand } from "../../src/run/RunCommand.ts"
import { RunUnreadable } from "../../src/run/RunErrors.ts"
import * as Tool from "../../src/tool/Tool.ts"
import { anyone, cutOff, find, isSettled, runId } from "./CutOffRuns.ts"
import { open, type Options, scripted } from "./Engine.ts"

const unreadable = (isUnreadable: (run: Run.Id) => boolean): NonNullable<Options["around"]> => (store) => ({
  ...store,
  load: (held) =>
    isUnreadable(held.run_id)
      ? Effect.fail(new RunUnreadable({ run_id: held.run_id, reason: "it has 300 MiB" }))
      : store.load(held)
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

  it.effect("runs that cannot be executed count as failed, and leave no time and no tokens", () =>
    Effect.gen(function*() {
      const { agent, before } = yield* cutOff(["read", "unread"])
      yield* before.runs.record({ run_id: runId("read"), attempt: 1, position: 0, entry: { kind: "?" }, events: [] })
      yield* before.close
      const instruments = Instruments.make([{ kind: "agent", id: "agent" }])
      const after = yield* open({
        memory: before.memory,
        agents: [agent],
        around: unreadable((run) => run === "unread")
      })
      yield* Effect.provideService(after.engine.recover, Instruments.Instruments, instruments)
      for (const name of ["read", "unread"]) assert.strictEqual((yield* isSettled(after, name)).status, "ERROR")
      const lines = instruments.format().split("\n")
      const failed = "kind=\"agent\",component=\"agent\",status=\"ERROR\",evaluation=\"false\""
      assert.include(lines, `svc_runs_total{${failed}} 2`)
      assert.isFalse(lines.some((line) => line.startsWith("svc_run_duration")))
      // a series of tokens begins at zero
      assert.isFalse(lines.some((line) => /^svc_tokens.* [1-9]/.test(line)))
    }))

  it.effect("what lost attempts have reserved of a budget is charged when a run ends that cannot be executed", () =>
    Effect.gen(function*() {
      const { agent, before } = yield* cutOff(["read", "unread"])
      yield* before.runs.record({ run_id: runId("read"), attempt: 1, position: 0, entry: { kind: "?" }, events: [] })
      yield* before.close
      const charged: Array<Payer> = []
      const spending = Spending.of({
        admit: () => Effect.void,
        purseOf: (payer) => ({
          isLimited: () => true,
          reserve: () => Effect.die("nothing is executed"),
          ended: Effect.sync(() => void charged.push(payer))
        })
      })
      const options = { memory: before.memory, agents: [agent], around: unreadable((run) => run === "unread") }
      const after = yield* Effect.provideService(open(options), Spending, spending)
      yield* after.engine.recover
      for (const name of ["read", "unread"]) assert.strictEqual((yield* isSettled(after, name)).status, "ERROR")
      const of = { attempt: 2, user_id: null, component: { kind: "agent", id: "agent" } } as const
      assert.sameDeepMembers(charged, [{ id: runId("read"), ...of }, { id: runId("unread"), ...of }])
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

  it.effect("a run is released while the database does not return it, and set aside in the end", () =>
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
        yield* runs.takeOver({ node, isStarting: false, dead: "every", limit: 1 })
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

  it.effect("what a run that lost its nodes has done is shown to the next run of its session", () =>
    Effect.gen(function*() {
      const before = yield* open({ drainTimeout: 0 })
      const waiting = yield* Deferred.make<void>()
      const send = Tool.make({ name: "send", effects: "once", execute: () => "sent 1" })
      const { agent, command, script } = yield* scripted(
        [
          [Script.toolCall("send", {}, "c1")],
          [Script.wait(Deferred.succeed(waiting, undefined)), Script.hang],
          [Script.text("Next.")]
        ],
        { tools: [send], addHistoryToContext: true }
      )
      const ids = (name: string) => ({ run_id: runId(name), session_id: "one" as never, stream: false })
      yield* before.engine.start(command({ ...ids("one"), background: true }) as RunCommand)
      yield* Deferred.await(waiting)
      for (const node of ["a", "b", "c"]) {
        yield* before.runs.takeOver({ node, isStarting: false, dead: "every", limit: 1 })
      }
      const after = yield* open({ memory: before.memory, agents: [agent], limits: { maxTakeovers: 3 } })
      yield* Effect.forkChild(after.engine.recover)
      assert.strictEqual((yield* isSettled(after, "one")).status, "ERROR")
      yield* (yield* after.engine.start(command(ids("next")) as RunCommand)).output
      const prompt = (yield* script.calls).at(-1)?.prompt.content ?? []
      assert.deepStrictEqual(prompt.map(({ role }) => role), ["user", "assistant", "tool", "assistant", "user"])
      assert.include(JSON.stringify(prompt), "sent 1")
    }))

  it.effect("a run that lost fewer nodes resumes, after the runs that have lost none", () =>
    Effect.gen(function*() {
      const { agent, before } = yield* cutOff(["one", "two"])
      const { runs } = before
      for (const node of ["a", "b"]) {
        yield* runs.takeOver({ node, isStarting: false, dead: "every", limit: 1 })
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
