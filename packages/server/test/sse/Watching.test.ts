// Watching a run over HTTP: `GET …/events` with `Last-Event-ID`, and `POST …/resume` with the words between the events.
import { assert, describe, it } from "@effect/vitest"
import { joinAfter } from "@svc-runtime/engine/run/events/RunEvents"
import * as Agent from "@svc-runtime/features/Agent"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import type * as TestServer from "@svc-runtime/test-support/TestServer"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Deferred, Effect, Fiber, Latch } from "effect"
import { TestClock } from "effect/testing"
import { call, closed, token } from "../authorization/Closed.ts"
import {
  ask,
  at,
  badRequest,
  type Fields,
  frames,
  get,
  invalid,
  keysOf,
  kindsOf,
  notFound,
  run,
  runFrames,
  runWhole,
  serve
} from "../Wire.ts"
import { plain } from "../wire/Fixtures.ts"

Tier.oneIn(6)

const names = { session_id: "s", run_id: "r", message: "Tell me a story" }
const eventsPath = "/agents/slow/runs/r/events?session_id=s"

/** An agent that waits in the middle of its answer. */
const started = Effect.fnUntraced(function*(options: TestServer.Options = {}) {
  const [streaming, gate] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
  const script = yield* Script.make([[
    Script.text("Once"),
    Script.wait(Deferred.succeed(streaming, undefined)),
    Script.wait(gate),
    Script.text(" more.")
  ]])
  const slow = Agent.make({ id: "slow", model: script.model })
  const server = yield* serve({ agents: [slow, (yield* plain).agent], ...options })
  return { server, streaming: Deferred.await(streaming), release: Deferred.succeed(gate, undefined) }
})

/** Reads a response piece by piece, as it comes. */
const reading = (response: Response) => {
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader()
  const read = Effect.promise(() => reader.read())
  const next = Effect.map(read, ({ value }) => value ?? "")
  const until = Effect.fnUntraced(function*(wanted: string) {
    let received = ""
    while (!received.includes(wanted)) received += yield* next
  })
  return { next, until, isOver: Effect.map(read, ({ done }) => done) }
}

const resume = (server: TestServer.TestServer, path: string, fields: Fields, bearer?: string) =>
  call(server, { path, init: { method: "POST", body: new URLSearchParams(fields) } }, bearer)

interface Control {
  readonly name: string
  readonly data: Readonly<Record<string, unknown>>
}

type Taken = ReturnType<typeof controls>

/** Takes the words between the events out of a stream, with how many events came before each. */
const controls = (stream: string) => {
  const found: Array<Control & { readonly after: number }> = []
  let count = 0
  const events = stream.replaceAll(/event: (\w+)\n(id: \d+\n)?data: ([^\n]+)\n\n/g, (all, name, id, data) => {
    if (id !== undefined) {
      count++
      return all
    }
    found.push({ name, data: JSON.parse(data), after: count })
    return ""
  })
  return { words: found, events: frames(events) }
}

describe("GET /agents/{id}/runs/{run_id}/events", () => {
  it.effect("a watcher gets the same bytes as the caller who started the run, while it executes and afterwards", () =>
    Effect.gen(function*() {
      const { release, server, streaming } = yield* started()
      const starting = yield* Effect.forkChild(run(server, "slow", names))
      yield* streaming
      const watching = yield* Effect.forkChild(get(server, eventsPath))
      yield* release
      const original = yield* Fiber.join(starting)
      const watched = yield* Fiber.join(watching)
      assert.strictEqual(watched.text, original.text)
      assert.strictEqual(watched.headers.get("content-type"), "text/event-stream; charset=utf-8")
      assert.strictEqual((yield* get(server, eventsPath)).text, original.text)
    }))

  it.effect("a watch continues after Last-Event-ID, which overrides the query", () =>
    Effect.gen(function*() {
      const { release, server } = yield* started()
      yield* release
      const all = yield* runFrames(server, "slow", names)
      const behind = Effect.fnUntraced(function*(path: string, headers: Readonly<Record<string, string>> = {}) {
        return frames((yield* ask(server, path, { headers })).text).map(({ id }) => id)
      })
      const ids = all.map(({ id }) => id)
      assert.deepStrictEqual(yield* behind(eventsPath, { "last-event-id": "2" }), ids.slice(3))
      assert.deepStrictEqual(yield* behind(`${eventsPath}&last_event_index=2`), ids.slice(3))
      assert.deepStrictEqual(yield* behind(`${eventsPath}&last_event_index=2`, { "last-event-id": "4" }), ids.slice(5))
      assert.deepStrictEqual(yield* behind(eventsPath, { "last-event-id": "-1" }), ids)
      assert.deepStrictEqual(yield* behind(eventsPath, { "last-event-id": "99999" }), [])
    }))

  it.effect("words that wait for a slow store are joined and not lost, and a watch continues before and behind them", () =>
    Effect.gen(function*() {
      const [storing, open, answered] = [yield* Deferred.make<void>(), Latch.makeUnsafe(), yield* Deferred.make<void>()]
      const late = yield* Deferred.make<void>()
      const words = Array.from({ length: 50 }, (_, index) => ` ${index}`)
      const script = yield* Script.make([[
        Script.text("First"),
        Script.wait(storing),
        Script.wait(late),
        Script.text(...words),
        Script.wait(Deferred.succeed(answered, undefined)),
        Script.wait(open.await),
        Script.text(" Last")
      ]])
      const server = yield* serve({
        agents: [Agent.make({ id: "slow", model: script.model })],
        database: (database) => ({
          ...database,
          runs: {
            ...database.runs,
            appendEvents: (batches) =>
              Deferred.succeed(storing, undefined).pipe(
                Effect.andThen(open.await),
                Effect.andThen(database.runs.appendEvents(batches))
              )
          }
        })
      })
      const running = yield* Effect.forkChild(runFrames(server, "slow", names))
      yield* Deferred.await(storing)
      yield* TestClock.adjust(joinAfter)
      yield* Deferred.succeed(late, undefined)
      yield* Deferred.await(answered)
      yield* open.open
      const all = yield* Fiber.join(running)
      assert.deepStrictEqual(all.map(({ id }) => id), [...all.keys()])
      const contents = all.filter(({ kind }) => kind === "RunContent")
      assert.strictEqual(contents.map(({ data }) => data["content"]).join(""), `First${words.join("")} Last`)
      const lengthOf = ({ data }: (typeof contents)[number]) => String(data["content"]).length
      const joined = contents.reduce((longest, frame) => lengthOf(frame) > lengthOf(longest) ? frame : longest)
      assert.isAbove(lengthOf(joined), words.join("").length / 2)
      for (const last of [joined.id - 1, joined.id]) {
        const rest = yield* ask(server, eventsPath, { headers: { "last-event-id": `${last}` } })
        assert.deepStrictEqual(frames(rest.text), all.slice(last + 1))
      }
      const { json } = yield* get(server, "/agents/slow/runs/r?session_id=s")
      assert.strictEqual(at(json, "content"), `First${words.join("")} Last`)
    }))

  it.effect("an invalid index is refused", () =>
    Effect.gen(function*() {
      const { server } = yield* started()
      const header = yield* ask(server, eventsPath, { headers: { "last-event-id": "latest" } })
      invalid(header, [["header", "last-event-id"], "int_parsing"])
      invalid(yield* get(server, `${eventsPath}&last_event_index=1.5`), [["query", "last_event_index"], "int_parsing"])
      invalid(yield* get(server, "/agents/slow/runs/r/events"), [["query", "session_id"], "missing"])
    }))

  it.effect("a watcher finds only runs that exist and that they may see", () =>
    Effect.gen(function*() {
      const { release, server } = yield* started({ authorization: yield* closed })
      yield* release
      const [ann, bob] = [yield* token("ann", "agents:run", "agents:read"), yield* token("bob", "agents:read")]
      const body = new URLSearchParams(names)
      yield* call(server, { path: "/agents/slow/runs", init: { method: "POST", body } }, ann)
      assert.strictEqual((yield* call(server, { path: eventsPath }, ann)).status, 200)
      notFound(yield* call(server, { path: eventsPath }, bob), "Run not found")
      notFound(yield* call(server, { path: "/agents/slow/runs/x/events?session_id=s" }, ann), "Run not found")
      notFound(yield* call(server, { path: "/agents/plain/runs/r/events?session_id=s" }, ann), "Run not found")
      notFound(yield* call(server, { path: "/agents/unknown/runs/r/events?session_id=s" }, ann), "Agent not found")
    }))

  it.effect("a watcher sees a background run, with keep-alive messages", () =>
    Effect.gen(function*() {
      const { release, server, streaming } = yield* started()
      yield* runWhole(server, "slow", { ...names, background: "true" })
      yield* streaming
      const response = yield* server.fetch(eventsPath)
      const { next, until } = reading(response)
      yield* until("event: ModelRequestStarted")
      const beating = yield* Effect.forkChild(next)
      yield* TestClock.adjust("15 seconds")
      assert.strictEqual(yield* Fiber.join(beating), ": heartbeat\n\n")
      yield* release
      yield* until("event: RunCompleted")
    }))
})

describe("a stream in which nothing happens", () => {
  it.effect("a silent stream has a keep-alive message every fifteen seconds, also for the caller who started the run", () =>
    Effect.gen(function*() {
      const { release, server, streaming } = yield* started()
      const body = new URLSearchParams(names)
      const response = yield* server.fetch("/agents/slow/runs", { method: "POST", body })
      const { isOver, next, until } = reading(response)
      yield* until("Once")
      yield* streaming
      for (let n = 0; n < 2; n++) {
        const beating = yield* Effect.forkChild(next)
        yield* TestClock.adjust("15 seconds")
        assert.strictEqual(yield* Fiber.join(beating), ": heartbeat\n\n")
      }
      yield* release
      yield* until("event: RunCompleted")
      assert.isTrue(yield* isOver)
    }))
})

describe("POST /agents/{id}/runs/{run_id}/resume", () => {
  it.effect("resume catches up with an executing run, and says when it has", () =>
    Effect.gen(function*() {
      const { release, server, streaming } = yield* started()
      const starting = yield* Effect.forkChild(run(server, "slow", names))
      yield* streaming
      // words are shown a moment later, when they are stored
      yield* reading(yield* server.fetch(eventsPath)).until("Once")
      // the head of a response is there when the run is found: what is released after that is not missed
      const opened = yield* Effect.forEach(["", "1", "1000"], (last_event_index) =>
        server.fetch("/agents/slow/runs/r/resume", {
          method: "POST",
          body: new URLSearchParams({ session_id: "s", last_event_index })
        }))
      yield* release
      const original = frames((yield* Fiber.join(starting)).text)
      const texts = yield* Effect.forEach(opened, (response) =>
        Effect.promise(() =>
          response.text()
        ))
      const [caught, part, subscribed] = texts.map(controls) as [Taken, Taken, Taken]
      const count = Number(at(caught.words[0]?.data, "current_event_count"))
      assert.deepStrictEqual(caught.words.map(({ after, name }) => [name, after]), [["catch_up", 0], [
        "subscribed",
        count
      ]])
      assert.deepStrictEqual(keysOf(caught.words[0]?.data), [
        "current_event_count",
        "event",
        "message",
        "missed_events",
        "run_id",
        "status"
      ])
      assert.deepInclude(caught.words[0]?.data, {
        event: "catch_up",
        run_id: "r",
        status: "running",
        missed_events: count
      })
      assert.deepStrictEqual(caught.events, original)
      assert.strictEqual(at(part.words[0]?.data, "missed_events"), count - 2)
      assert.deepStrictEqual(part.events, original.slice(2))
      assert.deepStrictEqual(
        subscribed.words.map(({ name }) => name),
        ["subscribed"]
      )
    }))

  it.effect("resume replays a run that has ended", () =>
    Effect.gen(function*() {
      const { release, server } = yield* started()
      yield* release
      const original = yield* runFrames(server, "slow", names)
      const path = "/agents/slow/runs/r/resume"
      const whole = controls((yield* resume(server, path, {})).text)
      assert.deepStrictEqual(whole.events, original)
      const [replay] = whole.words
      assert.deepStrictEqual(whole.words.length, 1)
      assert.deepInclude(replay?.data, {
        event: "replay",
        run_id: "r",
        status: "COMPLETED",
        total_events: original.length,
        total_buffered: original.length,
        last_event_index_requested: -1
      })
      const rest = controls((yield* resume(server, path, { last_event_index: "2", session_id: "s" })).text)
      assert.deepStrictEqual(rest.events, original.slice(3))
      assert.deepInclude(rest.words[0]?.data, { total_events: original.length - 3, last_event_index_requested: 2 })
    }))

  it.effect("resume begins after Last-Event-ID, which overrides the form", () =>
    Effect.gen(function*() {
      const { release, server } = yield* started()
      yield* release
      const original = yield* runFrames(server, "slow", names)
      const after = (id: string, fields: Readonly<Record<string, string>> = {}) =>
        ask(server, "/agents/slow/runs/r/resume", {
          method: "POST",
          headers: { "last-event-id": id },
          body: new URLSearchParams({ session_id: "s", ...fields })
        })
      const rest = controls((yield* after("2")).text)
      assert.deepStrictEqual(rest.events, original.slice(3))
      assert.deepInclude(rest.words[0]?.data, { last_event_index_requested: 2 })
      assert.deepStrictEqual(controls((yield* after("2", { last_event_index: "0" })).text).events, original.slice(3))
      invalid(yield* after("latest"), [["header", "last-event-id"], "int_parsing"])
    }))

  it.effect("an unknown run is an error in the stream for callers who may see all runs", () =>
    Effect.gen(function*() {
      const { server } = yield* started()
      const answer = yield* resume(server, "/agents/slow/runs/x/resume", {})
      assert.strictEqual(answer.status, 200)
      const error = { event: "error", error: "Run x not found in buffer or database" }
      assert.strictEqual(answer.text, `event: error\ndata: ${JSON.stringify(error)}\n\n`)
      notFound(yield* resume(server, "/agents/unknown/runs/x/resume", {}), "Agent not found")
      invalid(yield* resume(server, "/agents/slow/runs/x/resume", { last_event_index: "x" }), [
        ["body", "last_event_index"],
        "int_parsing"
      ])
    }))

  it.effect("an isolated caller has to name the session, and finds only their own runs", () =>
    Effect.gen(function*() {
      const { release, server } = yield* started({ authorization: yield* closed })
      yield* release
      const [ann, bob] = [yield* token("ann", "agents:run"), yield* token("bob", "agents:run")]
      const body = new URLSearchParams(names)
      yield* call(server, { path: "/agents/slow/runs", init: { method: "POST", body } }, ann)
      const path = "/agents/slow/runs/r/resume"
      badRequest(yield* resume(server, path, {}, ann), "session_id is required for this action")
      notFound(yield* resume(server, path, { session_id: "s" }, bob), "Run not found")
      const mine = controls((yield* resume(server, path, { session_id: "s" }, ann)).text)
      assert.strictEqual(kindsOf(mine.events).at(-1), "RunCompleted")
    }))
})
