import { assert, it } from "@effect/vitest"
import { json, readable } from "@svc-runtime/http/logging/LogFormat"
import { LogLine } from "@svc-runtime/telemetry/LogLine"
import * as OperationSpan from "@svc-runtime/telemetry/OperationSpan"
import * as SpanSink from "@svc-runtime/telemetry/SpanSink"
import { SpanTracer } from "@svc-runtime/telemetry/SpanTracer"
import { Cause, Effect, Logger, Schema, Tracer } from "effect"
import { stripVTControlCharacters } from "node:util"

it.effect("a log line at a terminal has time, level, message and annotations, and the cause is below it", () =>
  Effect.gen(function*() {
    const lines: Array<string> = []
    const logger = Logger.layer([Logger.map(readable, (line) => void lines.push(stripVTControlCharacters(line)))])
    yield* Effect.gen(function*() {
      yield* Effect.annotateLogs(Effect.logInfo("The run is resumed"), { run_id: "r-1", attempt: 2 })
      yield* Effect.annotateLogs(Effect.logWarning("A name", { limit: 3 }), { name: "two words \u001b[31m" })
      yield* Effect.logError("The end of a run is not stored", new Error("no database"))
      yield* Effect.logError("A job failed", Cause.die("lost"))
    }).pipe(Effect.provide(logger))
    assert.deepStrictEqual(lines.slice(0, 2), [
      "1970-01-01T00:00:00.000Z INFO The run is resumed run_id=r-1 attempt=2",
      "1970-01-01T00:00:00.000Z WARN A name: {\"limit\":3} name=\"two words \\u001b[31m\""
    ])
    assert.match(lines[2]!, /^1970-01-01T00:00:00.000Z ERROR The end of a run is not stored: [^]*no database/)
    assert.match(lines[3]!, /^1970-01-01T00:00:00.000Z ERROR A job failed\n[^]*lost/)
    assert.lengthOf(lines, 4)
  }))

it.effect("a line of JSON has its fields beside time, level, part, node and message, and no numbers of fibers", () =>
  Effect.gen(function*() {
    const lines: Array<unknown> = []
    const logger = Logger.layer([Logger.map(json("n-1"), (line) => void lines.push(JSON.parse(line)))])
    const cycle: { self?: unknown } = {}
    cycle.self = cycle
    yield* Effect.gen(function*() {
      yield* Effect.annotateLogs(Effect.logInfo("The run is resumed"), { part: "runs", run_id: "r-1", level: "mine" })
      yield* Effect.logError("A job failed", Cause.die("lost"))
      yield* Effect.logInfo(cycle, 1n)
    }).pipe(Effect.provide(logger))
    const time = "1970-01-01T00:00:00.000Z"
    assert.deepStrictEqual<unknown>(lines[0], {
      time,
      level: "INFO",
      part: "runs",
      node: "n-1",
      message: "The run is resumed",
      run_id: "r-1",
      level_: "mine"
    })
    assert.match(String(Reflect.get(lines[1] as object, "cause")), /lost/)
    assert.deepInclude(lines[2], { part: "service", message: "\"[object Object]\": \"1\"" })
  }))

it.effect("what a line adds to its message comes after a colon, in both forms", () =>
  Effect.gen(function*() {
    for (const form of [readable, json("n-1")]) {
      const lines: Array<string> = []
      const logger = Logger.layer([Logger.map(form, (line) => void lines.push(line))])
      yield* Effect.logWarning("A model failed. The next one is requested", "It is down").pipe(Effect.provide(logger))
      assert.include(lines[0], "A model failed. The next one is requested: It is down")
    }
  }))

it.effect("credentials in errors are in no line, in both forms", () =>
  Effect.gen(function*() {
    for (const form of [readable, json("n-1")]) {
      const lines: Array<string> = []
      const logger = Logger.layer([Logger.map(form, (line) => void lines.push(line))])
      const error = new Error("refused: postgres://bob:s3cretpw@db/orders, token ghp_0123456789abcdef")
      yield* Effect.gen(function*() {
        yield* Effect.logError("The code of a tool threw", Cause.die(error))
        yield* Effect.logError("The code of a tool threw", error)
      }).pipe(Effect.provide(logger))
      assert.lengthOf(lines, 2)
      for (const line of lines) {
        assert.include(line, "refused: postgres://[redacted]@db/orders")
        assert.notMatch(line, /s3cretpw|0123456789abcdef/)
      }
    }
  }))

it.effect("a value that is no JSON prevents no line, in both forms, and no more than its field is lost", () =>
  Effect.gen(function*() {
    const cycle: { self?: unknown } = Object.create(null)
    cycle.self = cycle
    for (const form of [readable, json("n-1")]) {
      const lines: Array<string> = []
      const logger = Logger.layer([Logger.map(form, (line) => void lines.push(stripVTControlCharacters(line)))])
      yield* Effect.annotateLogs(Effect.logInfo("The tool says", 1n, cycle), { run_id: "r-1", cycle, count: 2n }).pipe(
        Effect.provide(logger)
      )
      assert.lengthOf(lines, 1)
      assert.match(
        lines[0]!,
        /The tool says: \\?"1\\?" \\?"\[object Object\]\\?"[^]*run_id[^]*r-1[^]*cycle[^]*object[^]*count[^]*2/
      )
    }
  }))

it.effect("fields of a line replace annotations with their names, in both forms", () =>
  Effect.gen(function*() {
    const lines: Array<string> = []
    const add = (line: string) => void lines.push(stripVTControlCharacters(line))
    const loggers = Logger.layer([Logger.map(json("n-1"), add), Logger.map(readable, add)])
    const line = new LogLine("runs", "A run starts", { part: "runs", run_id: "r-2", user_id: undefined, level: "mine" })
    yield* Effect.annotateLogs(Effect.logInfo(line), { request_id: "q", run_id: "r-1", part: "jobs" }).pipe(
      Effect.provide(loggers)
    )
    const time = "1970-01-01T00:00:00.000Z"
    assert.deepStrictEqual(lines, [
      `{"time":"${time}","level":"INFO","part":"runs","node":"n-1","message":"A run starts","request_id":"q",` +
      "\"run_id\":\"r-2\",\"level_\":\"mine\"}",
      `${time} INFO A run starts request_id=q run_id=r-2 level=mine`
    ])
  }))

it.effect("a line of JSON within a span has the id of its trace, unless the line names another one", () =>
  Effect.gen(function*() {
    const lines: Array<unknown> = []
    const logger = Logger.layer([
      Logger.map(json("n-1"), (line) => void lines.push(Reflect.get(JSON.parse(line), "trace_id")))
    ])
    const sink = SpanSink.memory()
    yield* Effect.gen(function*() {
      yield* Effect.logWarning("A job is late")
      yield* Effect.annotateLogs(Effect.logInfo("The run is resumed"), { trace_id: "other" })
    }).pipe(
      (lines) => OperationSpan.memory(lines, "search_memory"),
      Effect.provideService(Tracer.Tracer, new SpanTracer({ sinks: [sink] })),
      Effect.andThen(Effect.logInfo("The service stops")),
      Effect.provide(logger)
    )
    assert.deepStrictEqual(lines, [sink.spans[0]?.trace_id, "other", undefined])
  }))

const hidden = "cobalt-heron-4711"

class Refused extends Schema.TaggedError<Refused>()("Refused", {
  prompt: Schema.String,
  cause: Schema.Defect()
}) {
  override get message() {
    return "The provider refused"
  }
}

/** With a secret in a field, in those of a nested cause, and in those of errors in lists. */
const failing = () => {
  const inner = Object.assign(new TypeError("fetch failed"), {
    request: { headers: { "x-own": hidden } },
    toJSON: () => ({ hidden })
  })
  const middle = Object.assign(new Error("no answer", { cause: inner }), { config: [hidden], code: "ECONNRESET" })
  const tagged = new Refused({ prompt: hidden, cause: middle })
  return { tagged, all: Object.assign(new AggregateError([tagged, { body: hidden }], "all failed"), { body: hidden }) }
}

const logged = Effect.fnUntraced(function*(form: Logger.Logger<unknown, string>, effect: Effect.Effect<void>) {
  const lines: Array<string> = []
  const logger = Logger.layer([Logger.map(form, (line) => void lines.push(stripVTControlCharacters(line)))])
  yield* Effect.provide(effect, logger)
  assert.lengthOf(lines, 1)
  return lines[0] ?? ""
})

it.effect("a line has of an error names, messages, tags and causes, and no other field, however it is logged", () =>
  Effect.gen(function*() {
    const { all, tagged } = failing()
    const ways: ReadonlyArray<Effect.Effect<void>> = [
      Effect.logWarning("It failed", all),
      Effect.logWarning(all),
      Effect.logWarning("It failed", [all]),
      Effect.logWarning("It failed", { error: all, list: [tagged] }),
      Effect.annotateLogs(Effect.logWarning("It failed"), { error: all }),
      Effect.annotateLogs(Effect.logWarning("It failed"), { errors: [all] }),
      Effect.logWarning("It failed", { error: Object.assign(all, { toJSON: () => hidden }) }),
      Effect.logWarning("It failed", Cause.fail(all)),
      Effect.logWarning("It failed", Cause.die(all)),
      Effect.logWarning("It failed", { cause: Cause.fail(all) }),
      Effect.logWarning(new LogLine("runs", "It failed", { error: all }))
    ]
    for (const form of [readable, json("n-1")]) {
      for (const way of ways) {
        const line = yield* logged(form, way)
        assert.notInclude(line, hidden)
        for (
          const part of ["all failed", "Refused", "The provider refused", "no answer", "TypeError", "fetch failed"]
        ) {
          assert.include(line, part)
        }
      }
    }
  }))

it.effect("a failure that is no error has its name, its tag and its message in a line, and no other field", () =>
  Effect.gen(function*() {
    const failure = { _tag: "Declined", message: "Not now", prompt: hidden, cause: { status: 500, body: hidden } }
    for (const form of [readable, json("n-1")]) {
      for (const cause of [Cause.fail(failure), Cause.die(failure)]) {
        const line = yield* logged(form, Effect.logError("It failed", cause))
        assert.notInclude(line, hidden)
        assert.match(line, /Declined[^]*Not now/)
      }
      assert.include(yield* logged(form, Effect.logError("It failed", Cause.fail("no room"))), "no room")
    }
  }))

it.effect("errors in a cycle, with endless causes, getters that throw and long messages make a short line", () =>
  Effect.gen(function*() {
    const cycle = new Error("round")
    cycle.cause = cycle
    const deep = Array.from({ length: 1000 }).reduce<Error>((cause, _, n) => new Error(`level ${n}`, { cause }), cycle)
    const many = new AggregateError(Array.from({ length: 1000 }, (_, n) => new Error(`one of ${n}`)), "many")
    const long = new Error("x".repeat(1_000_000), { cause: new Error("the reason") })
    const throwing = Object.defineProperty(new Error("rude"), "cause", {
      get: () => {
        throw new Error("no cause for you")
      }
    })
    for (const form of [readable, json("n-1")]) {
      for (const error of [cycle, deep, many, long, throwing]) {
        for (const way of [Effect.logError("It failed", error), Effect.logError("It failed", Cause.die(error))]) {
          assert.isBelow((yield* logged(form, way)).length, 40_000)
        }
      }
      assert.include(yield* logged(form, Effect.logError("It failed", long)), "the reason")
    }
  }))
