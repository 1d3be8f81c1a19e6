// What an engine makes of a database that goes away in the middle: nothing that it was given is forgotten, nothing is
// shown that is not stored, and no run is left behind.
import { assert, describe, it } from "@effect/vitest"
import * as AgentContinuation from "@svc-runtime/agents/agent/continue/AgentContinuation"
import * as Owner from "@svc-runtime/domain/Owner"
import * as Run from "@svc-runtime/domain/Run"
import type * as RunEvent from "@svc-runtime/domain/RunEvent"
import * as Session from "@svc-runtime/domain/Session"
import { StorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import { text, toolCall } from "@svc-runtime/test-support/ScriptedModel"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Deferred, Effect, Fiber, Stream } from "effect"
import { TestClock } from "effect/testing"
import type { RunStore } from "../../src/run/store/RunStore.ts"
import * as Tool from "../../src/tool/Tool.ts"
import { eventsOf, kindsOf, open, scripted, session } from "./Engine.ts"

Tier.oneIn(2)

const noApprovals = { approvals: [], approver: { user_id: null } }
const away = new StorageUnavailable({ cause: "reset" })

/** The statement is carried out, and its answer lost on the way; the first time only. */
const unheard = <A, B, E>(method: (request: A) => Effect.Effect<B, E>) => {
  let isLost = false
  return (request: A): Effect.Effect<B, E | StorageUnavailable> =>
    Effect.flatMap(method(request), (answer) => {
      if (isLost) return Effect.succeed(answer)
      isLost = true
      return Effect.fail(away)
    })
}

/** Nothing is answered as often as that. */
const deaf = (times: number) => {
  let left = times
  return <A, B, E>(method: (request: A) => Effect.Effect<B, E>) =>
  (request: A): Effect.Effect<B, E | StorageUnavailable> =>
    Effect.suspend((): Effect.Effect<B, E | StorageUnavailable> => left-- > 0 ? Effect.fail(away) : method(request))
}

const passing = (effect: Effect.Effect<unknown>, until: Effect.Effect<boolean>) =>
  Effect.repeat(Effect.andThen(effect, until), { until: (isSo) => isSo, times: 200 })

const statusIs = (find: Effect.Success<ReturnType<typeof open>>["find"], status: string) =>
  Effect.match(find(), { onFailure: () => false, onSuccess: (output) => output.status === status })

/** A node that has ended while it executed a run, and the agent, which answers at the next attempt. */
const interrupted = Effect.gen(function*() {
  const hang = yield* Deferred.make<void>()
  const { agent, command } = yield* scripted([
    [Script.wait(Deferred.succeed(hang, undefined)), Script.hang],
    [text("Hello")]
  ])
  const before = yield* open({ drainTimeout: 0 })
  yield* before.engine.start(command())
  yield* Deferred.await(hang)
  yield* before.close
  return { agent, before }
})

describe("a database that goes away", () => {
  it.effect("the end of a run waits until the database is back", () =>
    Effect.gen(function*() {
      const { engine, find } = yield* open({
        around: (store) => ({ ...store, finish: deaf(7)(store.finish) as RunStore["Service"]["finish"] })
      })
      const { command } = yield* scripted([[text("Hello")]])
      const handle = yield* engine.start(command())
      yield* passing(TestClock.adjust("1 second"), statusIs(find, "COMPLETED"))
      assert.strictEqual(kindsOf(yield* eventsOf(handle)).at(-1), "RunCompleted")
    }))

  it.effect("a run that the database accepted and its caller was refused is ended without being executed", () =>
    Effect.gen(function*() {
      const { engine, find } = yield* open({
        agents: [],
        around: (store) => ({ ...store, create: unheard(store.create) as RunStore["Service"]["create"] })
      })
      const { command, script } = yield* scripted([[text("Never")]])
      assert.strictEqual((yield* Effect.flip(engine.start(command())))._tag, "StorageUnavailable")
      assert.strictEqual((yield* find()).status, "RUNNING")
      yield* passing(TestClock.adjust("1 second"), Effect.map(statusIs(find, "RUNNING"), (isSo) => !isSo))
      assert.strictEqual(yield* script.remaining, 1)
    }))

  it.effect("a node polls again for runs that the database may have given to it", () =>
    Effect.gen(function*() {
      const { agent, before } = yield* interrupted
      const after = yield* open({
        memory: before.memory,
        agents: [agent],
        around: (store) => ({ ...store, takeOver: unheard(store.takeOver) as RunStore["Service"]["takeOver"] })
      })
      assert.strictEqual((yield* Effect.flip(after.engine.recover))._tag, "StorageUnavailable")
      yield* passing(TestClock.adjust("1 second"), statusIs(after.find, "COMPLETED"))
      assert.deepInclude(yield* after.find(), { status: "COMPLETED", content: "Hello" })
    }))
})

/**
 * The reply of the first call is lost while the database still executes the statement: it is stored when `finished` is
 * executed. `looked`: how often the node has looked for its runs since.
 */
const inProgress = () => {
  let rest: Effect.Effect<void> | undefined
  let looks = 0
  const lost = <A, B, E>(method: (request: A) => Effect.Effect<B, E>) => (request: A) =>
    Effect.suspend((): Effect.Effect<B, E | StorageUnavailable> => {
      if (rest !== undefined) return method(request)
      rest = Effect.orDie(Effect.asVoid(method(request)))
      return Effect.fail(away)
    })
  const looking: (takeOver: RunStore["Service"]["takeOver"]) => RunStore["Service"]["takeOver"] =
    (takeOver) => (takeover) =>
      Effect.tap(takeOver(takeover), () =>
        Effect.sync(() => {
          if (takeover.isStarting) looks++
        }))
  return { lost, looking, looked: Effect.sync(() => looks > 2), finished: Effect.suspend(() => rest ?? Effect.void) }
}

describe("a statement that the database executes after its reply is lost", () => {
  it.effect("a run whose caller was refused is ended although it is stored after the node has looked for it", () =>
    Effect.gen(function*() {
      const { finished, looked, looking, lost } = inProgress()
      const { agent, command, script } = yield* scripted([[text("Never")]])
      const { engine, find } = yield* open({
        agents: [agent],
        around: (store) => ({
          ...store,
          create: lost(store.create) as RunStore["Service"]["create"],
          takeOver: looking(store.takeOver)
        })
      })
      assert.strictEqual((yield* Effect.flip(engine.start(command())))._tag, "StorageUnavailable")
      yield* passing(TestClock.adjust("1 second"), looked)
      yield* finished
      assert.strictEqual((yield* find()).status, "RUNNING")
      yield* passing(TestClock.adjust("1 second"), Effect.map(statusIs(find, "RUNNING"), (isSo) => !isSo))
      assert.strictEqual((yield* find()).status, "CANCELLED")
      assert.strictEqual(yield* script.remaining, 1)
    }))

  it.effect("a run whose caller was refused is ended although the node that finds it cannot restore it at first", () =>
    Effect.gen(function*() {
      const { agent, command, script } = yield* scripted([[text("Never")]])
      const { engine, find } = yield* open({
        agents: [agent],
        around: (store) => ({
          ...store,
          create: unheard(store.create) as RunStore["Service"]["create"],
          load: deaf(1)(store.load) as RunStore["Service"]["load"]
        })
      })
      assert.strictEqual((yield* Effect.flip(engine.start(command())))._tag, "StorageUnavailable")
      yield* passing(TestClock.adjust("1 second"), Effect.map(statusIs(find, "RUNNING"), (isSo) => !isSo))
      assert.strictEqual((yield* find()).status, "CANCELLED")
      assert.strictEqual(yield* script.remaining, 1)
    }))

  it.effect.each([{ isRepeated: true }, { claim: "claim" }])(
    "a run whose caller repeats its start is executed once although the first statement stores it late: %j",
    (given) =>
      Effect.gen(function*() {
        const { finished, looked, looking, lost } = inProgress()
        const { agent, command, script } = yield* scripted([[text("Hello")], [text("Never")]])
        const { engine, find } = yield* open({
          agents: [agent],
          around: (store) => ({
            ...store,
            create: lost(store.create) as RunStore["Service"]["create"],
            takeOver: looking(store.takeOver)
          })
        })
        const start = engine.start(command(given))
        assert.strictEqual((yield* Effect.flip(start))._tag, "StorageUnavailable")
        yield* passing(TestClock.adjust("1 second"), looked)
        yield* finished
        assert.strictEqual((yield* Effect.flip(start))._tag, "RunExists")
        yield* passing(TestClock.adjust("1 second"), statusIs(find, "COMPLETED"))
        assert.deepInclude(yield* find(), { status: "COMPLETED", content: "Hello" })
        assert.strictEqual(yield* script.remaining, 1)
      })
  )

  it.effect("a run is resumed that the node takes over after it has looked for it", () =>
    Effect.gen(function*() {
      const { finished, looked, looking, lost } = inProgress()
      const { agent, before } = yield* interrupted
      let isLocked = true
      const after = yield* open({
        memory: before.memory,
        agents: [agent],
        around: (store) => {
          const skipping: RunStore["Service"]["takeOver"] = (takeover) =>
            Effect.suspend(() => isLocked ? Effect.succeed([]) : store.takeOver(takeover))
          const takeOver = looking(skipping)
          return {
            ...store,
            takeOver: (takeover) =>
              lost((request: typeof takeover) => isLocked ? takeOver(request) : store.takeOver(request))(takeover)
          }
        }
      })
      assert.strictEqual((yield* Effect.flip(after.engine.recover))._tag, "StorageUnavailable")
      yield* passing(TestClock.adjust("1 second"), looked)
      isLocked = false
      yield* finished
      yield* passing(TestClock.adjust("1 second"), statusIs(after.find, "COMPLETED"))
      assert.deepInclude(yield* after.find(), { status: "COMPLETED", content: "Hello" })
    }))
})

describe("a run that one node has refused and another one has accepted", () => {
  /** It is in the tool on the other node, or paused for the decision on it. */
  const accepted = Effect.fnUntraced(function*(tool: { readonly requiresConfirmation: boolean }) {
    const begun = yield* Deferred.make<void>()
    const act = Tool.make({
      name: "act",
      ...tool,
      execute: () => Effect.as(Deferred.succeed(begun, undefined), "done")
    })
    const last = tool.requiresConfirmation ? [text("Done")] : [Script.hang]
    const { agent, command } = yield* scripted([[toolCall("act", {}, "c")], last, [text("Done")]], { tools: [act] })
    const other = yield* open({ node: "other", drainTimeout: 0, agents: [agent] })
    let isTakeoverLost = false
    const losing: (takeOver: RunStore["Service"]["takeOver"]) => RunStore["Service"]["takeOver"] =
      (takeOver) => (takeover) =>
        Effect.flatMap(takeOver(takeover), (taken) => {
          if (taken.length === 0 || isTakeoverLost) return Effect.succeed(taken)
          isTakeoverLost = true
          return Effect.fail(away)
        })
    const node = yield* open({
      memory: other.memory,
      agents: [agent],
      around: (store) => ({
        ...store,
        create: deaf(1)(store.create) as RunStore["Service"]["create"],
        resume: unheard(store.resume) as RunStore["Service"]["resume"],
        takeOver: tool.requiresConfirmation ? store.takeOver : losing(store.takeOver)
      })
    })
    assert.strictEqual((yield* Effect.flip(node.engine.start(command())))._tag, "StorageUnavailable")
    const handle = yield* other.engine.start(command())
    yield* tool.requiresConfirmation ? handle.output : Deferred.await(begun)
    return { node, other }
  })
  const ended = (find: Effect.Success<ReturnType<typeof open>>["find"]) =>
    Effect.match(find(), {
      onFailure: () => false,
      onSuccess: ({ status }) => ["CANCELLED", "COMPLETED", "ERROR"].includes(status)
    })

  it.effect("a run is resumed although the node that has refused it took it over by a lost statement", () =>
    Effect.gen(function*() {
      const { node, other } = yield* accepted({ requiresConfirmation: false })
      yield* other.close
      yield* passing(TestClock.adjust("1 second"), ended(node.find))
      assert.deepInclude(yield* node.find(), { status: "COMPLETED", content: "Done" })
    }))

  it.effect("a run is continued although the node that has refused it continues it by a lost statement", () =>
    Effect.gen(function*() {
      const { node } = yield* accepted({ requiresConfirmation: true })
      const run_id = Run.Id.make("run")
      const snapshot = yield* Effect.flatMap(
        node.runs.snapshot(session, run_id, { owner: Owner.anyone }),
        Effect.fromOption
      )
      assert.strictEqual(snapshot.status, "PAUSED")
      const tools = [{ tool_call_id: "c", confirmed: true }]
      const entry = yield* AgentContinuation.plan(snapshot, { tools, input: undefined }, noApprovals)
      const continued = node.engine.continue({ snapshot, entry, stream: false, background: false })
      assert.strictEqual((yield* Effect.flip(continued))._tag, "StorageUnavailable")
      yield* passing(TestClock.adjust("1 second"), ended(node.find))
      assert.deepInclude(yield* node.find(), { status: "COMPLETED", content: "Done" })
    }))
})

describe("a node that looks for what it may have been given", () => {
  it.effect("a node that polls for uncertain runs does not acquire runs that it accepts meanwhile", () =>
    Effect.gen(function*() {
      const [looks, gate, rest] = [
        yield* Deferred.make<void>(),
        yield* Deferred.make<void>(),
        yield* Deferred.make<void>()
      ]
      const slowly = (takeOver: RunStore["Service"]["takeOver"]): RunStore["Service"]["takeOver"] => (takeover) =>
        Deferred.succeed(looks, undefined).pipe(
          Effect.andThen(Deferred.await(gate)),
          Effect.andThen(takeOver(takeover))
        )
      const { agent, command, script } = yield* scripted([[Script.wait(rest), text("Hello")]])
      const { engine, find } = yield* open({
        agents: [agent],
        around: (store) => ({
          ...store,
          create: unheard(store.create) as RunStore["Service"]["create"],
          takeOver: slowly(store.takeOver)
        })
      })
      const refused = command({ run_id: Run.Id.make("refused") })
      assert.strictEqual((yield* Effect.flip(engine.start(refused)))._tag, "StorageUnavailable")
      yield* passing(TestClock.adjust("1 second"), Deferred.isDone(looks))
      const starting = yield* Effect.forkChild(engine.start(command()))
      yield* Effect.repeat(Effect.yieldNow, { times: 100 })
      yield* Deferred.succeed(gate, undefined)
      yield* Effect.repeat(Effect.yieldNow, { times: 100 })
      yield* Deferred.succeed(rest, undefined)
      const kinds = kindsOf(yield* eventsOf(yield* Fiber.join(starting)))
      assert.notInclude(kinds, "RunContinued")
      assert.strictEqual(kinds.at(-1), "RunCompleted")
      assert.strictEqual((yield* find()).status, "COMPLETED")
      assert.strictEqual(yield* script.remaining, 0)
    }))
})

describe("a node that starts again", () => {
  it.effect("a node that starts again acquires all of its runs, each once, however many they are", () =>
    Effect.gen(function*() {
      const count = 250
      const before = yield* open({ drainTimeout: 0 })
      const hanging = Array.from({ length: count }, () => [Script.hang])
      const { agent, command } = yield* scripted([...hanging, ...hanging])
      for (let index = 0; index < count; index++) {
        yield* before.engine.start(command({ run_id: `run-${index}` as never, stream: false, background: true }))
      }
      yield* before.close
      const after = yield* open({ memory: before.memory, agents: [agent], drainTimeout: 0 })
      assert.strictEqual(yield* after.engine.recover, count)
    }))
})

describe("a run that was resumed on another node", () => {
  it.effect("a run that was resumed elsewhere and is back shows nothing of its earlier execution that is not stored", () =>
    Effect.gen(function*() {
      const gate = yield* Deferred.make<void>()
      const [before, after] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      const turn = (waits: Deferred.Deferred<void>, answerText: string) => [
        Script.wait(Deferred.succeed(waits, undefined)),
        Script.wait(gate),
        text(answerText),
        Script.hang
      ]
      const { agent, command } = yield* scripted([turn(before, "Late"), turn(after, "Now")])
      const { engine, runs } = yield* open({ agents: [agent], drainTimeout: 0 })
      const handle = yield* engine.start(command())
      yield* Deferred.await(before)
      yield* runs.takeOver({ node: "other", isStarting: false, dead: "every", limit: 1 })
      yield* runs.release("other")
      assert.strictEqual(yield* engine.recover, 1)
      yield* Deferred.await(after)
      const shown: Array<string> = []
      const watching = Stream.runForEach(handle.events, (event) => Effect.sync(() => shown.push(JSON.stringify(event))))
      yield* Effect.forkChild(watching)
      yield* Deferred.succeed(gate, undefined)
      const stored = Effect.orDie(Effect.map(
        runs.readEvents(session, Run.Id.make("run"), { owner: Owner.anyone }, { after: -1, limit: 99 }),
        (read) => JSON.stringify(read)
      ))
      yield* passing(TestClock.adjust("1 second"), Effect.map(stored, (text) => text.includes("Now")))
      assert.notInclude(yield* stored, "Late")
      assert.notInclude(shown.join(), "Late")
    }))

  it.effect("a run that was resumed elsewhere does not show an end that is not its end", () =>
    Effect.gen(function*() {
      const [waits, gate] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      const look = Tool.make({ name: "look", effects: "read", execute: () => "seen" })
      const { agent, command } = yield* scripted([
        [toolCall("look")],
        [Script.wait(Deferred.succeed(waits, undefined)), Script.wait(gate), text("Late")],
        [Script.hang]
      ], { tools: [look] })
      const slow = yield* open({ drainTimeout: 0 })
      const handle = yield* slow.engine.start(command())
      yield* Deferred.await(waits)
      const other = yield* open({ memory: slow.memory, agents: [agent], drainTimeout: 0 })
      assert.strictEqual(yield* other.engine.recover, 1)
      yield* Deferred.succeed(gate, undefined)
      const shown: Array<string> = []
      const watching = yield* Effect.forkChild(
        Stream.runForEach(handle.events, ({ event }) => Effect.sync(() => shown.push(event)))
      )
      assert.strictEqual((yield* Effect.flip(handle.output))._tag, "RunHandedOver")
      yield* passing(TestClock.adjust("250 millis"), Effect.sync(() => shown.includes("RunContinued")))
      assert.notInclude(shown, "RunCompleted")
      assert.isUndefined(watching.pollUnsafe(), "it shows what the other node does")
    }))
})

describe("a database that rejects the events of one run", () => {
  const rejected = new StorageUnavailable({ cause: "22003", isRejected: true })

  it.effect("rejected events of one run delay no watcher of another run", () =>
    Effect.gen(function*() {
      const sizes: Array<number> = []
      const { engine } = yield* open({
        drainTimeout: 0,
        around: (store) => ({
          ...store,
          appendEvents: (batches) =>
            Effect.suspend(() => {
              sizes.push(batches.reduce((sum, { events }) => sum + events.length, 0))
              return batches.some(({ events, run_id }) => run_id === "bad" && events.length > 0)
                ? Effect.fail(rejected)
                : store.appendEvents(batches)
            })
        })
      })
      const gate = yield* Deferred.make<void>()
      const words = Array.from({ length: 2500 }, () => text("word "))
      const turn = [...words, Script.wait(gate)]
      const { command } = yield* scripted([turn, turn])
      const start = (id: string) =>
        engine.start(command({ run_id: Run.Id.make(id), session_id: Session.Id.make(id), stream: true }))
      yield* start("bad")
      const { events } = yield* start("good")
      // words that wait may be joined
      let received = ""
      const isWhole = (event: RunEvent.RunEvent) => {
        if (event.event === "RunContent") received += String(event.content)
        return received.length >= words.length * "word ".length
      }
      const watching = yield* Effect.forkChild(Stream.runDrain(Stream.takeUntil(events, isWhole)))
      yield* passing(TestClock.adjust("100 millis"), Effect.sync(() => watching.pollUnsafe() !== undefined))
      assert.isDefined(watching.pollUnsafe(), "every word is shown while the model streams")
      assert.strictEqual(received, "word ".repeat(words.length))
      assert.isAtMost(Math.max(...sizes), 1000)
      yield* Deferred.succeed(gate, undefined)
    }))

  it.effect("the database is not called for each run when it rejects the events of all", () =>
    Effect.gen(function*() {
      let statements = 0
      const { engine } = yield* open({
        drainTimeout: 0,
        around: (store) => ({
          ...store,
          appendEvents: () => Effect.suspend(() => (statements++, Effect.fail(rejected)))
        })
      })
      const gate = yield* Deferred.make<void>()
      const ids = Array.from({ length: 50 }, (_, index) => `run-${index}`)
      const { command } = yield* scripted(ids.map(() => [text("word"), Script.wait(gate)]))
      for (const id of ids) {
        yield* engine.start(command({ run_id: Run.Id.make(id), session_id: Session.Id.make(id), stream: true }))
      }
      yield* TestClock.adjust("1 second")
      statements = 0
      yield* TestClock.adjust("10 seconds")
      assert.isAtMost(statements, 4 * 10 * 8)
      yield* Deferred.succeed(gate, undefined)
    }))
})
