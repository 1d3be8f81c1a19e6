// What happens to lines of the log whose reader is slow or gone.
import { assert, describe, it } from "@effect/vitest"
import * as LogWriter from "@svc-runtime/http/logging/LogWriter"
import { Effect } from "effect"

type Done = Parameters<LogWriter.Sink["write"]>[1]

/** Takes bytes when the test says so. */
const slowSink = () => {
  const written: Array<string> = []
  const waiting: Array<(take?: number) => void> = []
  const sink: LogWriter.Sink = {
    write: (bytes, done: Done) => {
      waiting.push((take = bytes.length) => {
        written.push(bytes.subarray(0, take).toString())
        done(null, take)
      })
    },
    writeNow: (bytes) => {
      written.push(bytes.toString())
      return bytes.length
    }
  }
  return { sink, waiting, text: () => written.join("") }
}

/** Waits until the writer has something to write. */
const untilWriting = (waiting: ReadonlyArray<unknown>) =>
  Effect.promise(async () => {
    while (waiting.length === 0) await new Promise((resume) => setTimeout(resume, 1))
  })

describe("the writer of the log", () => {
  it.effect("lines of the same time are written at once, in their order, also when the reader takes a part", () =>
    Effect.gen(function*() {
      const { sink, text, waiting } = slowSink()
      const writer = LogWriter.make(sink)
      for (const line of ["one", "two", "three"]) writer.add(line)
      yield* untilWriting(waiting)
      writer.add("four")
      waiting.shift()?.(5)
      waiting.shift()?.()
      waiting.shift()?.()
      assert.strictEqual(text(), "one\ntwo\nthree\nfour\n")
    }))

  it.effect("lines for which there is no room are dropped, and their number is written", () =>
    Effect.gen(function*() {
      const { sink, text, waiting } = slowSink()
      const writer = LogWriter.make(sink)
      const line = "x".repeat(1024 * 1024)
      writer.add("first")
      yield* untilWriting(waiting)
      for (let n = 0; n < 20; n++) writer.add(line)
      waiting.shift()?.()
      waiting.shift()?.()
      assert.isTrue(text().length < 9 * 1024 * 1024)
      assert.include(text().slice(-100), "\n12 lines of the log were dropped: standard error is read too slowly\n")
    }))

  it("a flush writes the lines that wait", () => {
    const { sink, text } = slowSink()
    const writer = LogWriter.make(sink)
    writer.add("last")
    writer.flush()
    assert.strictEqual(text(), "last\n")
  })
})
