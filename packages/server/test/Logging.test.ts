import { assert, it } from "@effect/vitest"
import { Cause, Effect, Logger } from "effect"
import { stripVTControlCharacters } from "node:util"
import { readable } from "../src/Logging.ts"

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
      "1970-01-01T00:00:00.000Z WARN A name {\"limit\":3} name=\"two words \\u001b[31m\""
    ])
    assert.match(lines[2]!, /^1970-01-01T00:00:00.000Z ERROR The end of a run is not stored[^]*no database/)
    assert.match(lines[3]!, /^1970-01-01T00:00:00.000Z ERROR A job failed\n[^]*lost/)
    assert.lengthOf(lines, 4)
  }))
