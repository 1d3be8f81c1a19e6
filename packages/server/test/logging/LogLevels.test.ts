// Which lines are logged, by the settings LOG_LEVEL, LOG_LEVELS and LOG_FORMAT.
import { assert, describe, it } from "@effect/vitest"
import { isLogged, Logging, type LogLevels, lowest, writing } from "@svc-runtime/http/logging/Logging"
import { RequestLine } from "@svc-runtime/http/logging/RequestLine"
import { ConfigProvider, Effect, Logger } from "effect"

const read = (env: Readonly<Record<string, string>>) =>
  Effect.provide(Effect.suspend(() => Logging), ConfigProvider.layer(ConfigProvider.fromUnknown(env)))

describe("LOG_LEVEL and LOG_LEVELS", () => {
  it.effect("each part can have its own level, in any case, and the others have LOG_LEVEL", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual((yield* read({})).levels, { other: "Info", parts: {} })
      const unset = yield* read({ LOG_LEVEL: "", LOG_LEVELS: " ", LOG_FORMAT: "" })
      assert.deepStrictEqual(unset, { levels: { other: "Info", parts: {} }, format: undefined })
      const { levels } = yield* read({ LOG_LEVEL: "error", LOG_LEVELS: " http=WARN, runs=debug," })
      assert.deepStrictEqual(levels, { other: "Error", parts: { http: "Warn", runs: "Debug" } })
      assert.strictEqual(lowest(levels), "Debug")
      const logged = (part: string, level: "Debug" | "Info" | "Warn") => isLogged(levels, part, level)
      assert.deepStrictEqual(
        [logged("http", "Info"), logged("http", "Warn"), logged("runs", "Debug"), logged("jobs", "Warn")],
        [false, true, true, false]
      )
    }))

  it.effect("a line below the level of its part is not written, and the lines of requests are of the part http", () =>
    Effect.gen(function*() {
      const written: Array<string> = []
      const form = Logger.make(({ message }) => [message].flat().map(String).join(" "))
      const levels: LogLevels = { other: "Info", parts: { http: "Warn", runs: "Error" } }
      const logger = writing(levels, form, { add: (line) => void written.push(line) })
      const request = new RequestLine({
        method: "GET",
        route: "/",
        status: 200,
        time_ms: 1,
        request_bytes: 0,
        response_bytes: 0,
        user_id: undefined,
        request_id: "r",
        transport: "rest",
        tool: undefined,
        trace_id: undefined,
        aborted: undefined
      })
      yield* Effect.gen(function*() {
        yield* Effect.logInfo(request)
        yield* Effect.logWarning(request)
        yield* Effect.annotateLogs(Effect.logWarning("of a run"), { part: "runs" })
        yield* Effect.annotateLogs(Effect.logInfo("of a job"), { part: "jobs" })
        yield* Effect.logInfo("of no part")
      }).pipe(Effect.provide(Logger.layer([logger])))
      assert.deepStrictEqual(written, ["GET / 200", "of a job", "of no part"])
    }))

  it.effect("a value that cannot be read stops the start, and the error says what is possible", () =>
    Effect.gen(function*() {
      for (const text of ["http", "http=loud", "web=info", "http=warn=info", "=info"]) {
        const { message } = yield* Effect.flip(read({ LOG_LEVELS: text }))
        assert.match(message, /http=warn,runs=debug \(parts: http, runs, [^]*levels: all, [^]*LOG_LEVELS/)
      }
      assert.match((yield* Effect.flip(read({ LOG_LEVEL: "loud" }))).message, /one of all, trace, [^]*LOG_LEVEL/)
      assert.match((yield* Effect.flip(read({ LOG_FORMAT: "xml" }))).message, /json[^]*LOG_FORMAT/)
    }))
})
