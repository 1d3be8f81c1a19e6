// Streams of the client without Effect that arrive in pieces, break, or are no streams.
import { assert, describe, it } from "@effect/vitest"
import { type Svc, SvcConnectionError, SvcError, SvcRunError } from "@svc-runtime/client"
import { assertLinear } from "@svc-runtime/test-support/Growth"
import * as Tier from "@svc-runtime/test-support/Tier"
import { vi } from "vitest"
import { parser } from "../../src/promise/ServerSentEvents.ts"
import { eventStream, frame, json, pieces, respondingOnce, respondingWith, thrownBy } from "./Responses.ts"

Tier.oneIn(6)

const encoder = new TextEncoder()

const frames = [
  frame(0, "RunStarted"),
  frame(1, "RunContent", { content: "tea 🍵 ü" }),
  frame(2, "RunCompleted")
]

const names = ["RunStarted", "RunContent", "RunCompleted"]

const read = async (stream: AsyncIterable<{ readonly event: string }>): Promise<ReadonlyArray<string>> => {
  const events: Array<string> = []
  for await (const { event } of stream) events.push(event)
  return events
}

describe("the bytes of a stream", () => {
  it.each(["\n", "\r", "\r\n"])("events are the same wherever a piece ends, with the line break %j", (lineBreak) => {
    const bytes = encoder.encode(
      `\uFEFF: comment${lineBreak}${lineBreak}${frame(0, "A", { content: "🍵" }, lineBreak)}${
        frame(1, "B", { content: "ü" }, lineBreak)
      }`
    )
    const whole = parser()(bytes)
    assert.deepStrictEqual(whole.map(({ event, id }) => [id, event]), [["0", "A"], ["1", "B"]])
    for (let first = 0; first < bytes.length; first++) {
      const parse = parser()
      const two = [...parse(bytes.slice(0, first)), ...parse(bytes.slice(first))]
      assert.deepStrictEqual(two, whole, `cut at ${first}`)
    }
    const parse = parser()
    assert.deepStrictEqual(Array.from(bytes).flatMap((byte) => [...parse(Uint8Array.of(byte))]), whole)
  })

  it("bytes that are no UTF-8 become replacement characters", () => {
    const [message] = parser()(Uint8Array.of(...encoder.encode("data: a"), 0xff, ...encoder.encode("b\n\n")))
    assert.strictEqual(message?.data, "a\uFFFDb")
  })

  it("an event that arrives in many pieces takes time in proportion to its size", () => {
    const piece = encoder.encode("x".repeat(1000))
    assertLinear(2000, (count) => {
      const parse = parser()
      parse(encoder.encode("data: "))
      for (let index = 0; index < count; index++) parse(piece)
      assert.strictEqual(parse(encoder.encode("\n\n"))[0]?.data.length, count * 1000)
    })
  })
})

describe("a stream that breaks", () => {
  it("wherever it breaks off, each event is given once", async () => {
    const bytes = encoder.encode(frames.join(""))
    await Promise.all(Array.from(bytes, async (_, length) => {
      const { sent, svc } = respondingWith(
        () => eventStream(pieces([bytes.slice(0, length)], "breaks")),
        ({ headers }) => eventStream(pieces(frames.slice(Number(headers.get("last-event-id") ?? -1) + 1)))
      )
      assert.deepStrictEqual(await read(svc.agent("a").stream("hi")), names, `cut at ${length}`)
      const [start, again] = sent
      // without an event it is the same request again, with the same key
      if (again?.method === "POST") {
        assert.strictEqual(again.headers.get("idempotency-key"), start?.headers.get("idempotency-key"))
      }
    }))
  })

  it.each<[string, () => Response]>([
    ["is refused for now", () => json({ detail: "busy" }, { status: 429, headers: { "retry-after": "60" } })],
    ["breaks", () => eventStream(pieces(frames.slice(0, 1), "breaks"))],
    ["ends early", () => eventStream(pieces([]))]
  ])("a stream that %s is not requested again by a client with 0 retries", async (_, response) => {
    const { sent, svc } = respondingOnce(response)
    assert.instanceOf(await thrownBy(() => read(svc.agent("a").stream("hi"))), Error)
    assert.lengthOf(sent, 1)
  })

  it.each<[string, () => Response]>([
    ["a network that fails", () => {
      throw new TypeError("fetch failed", { cause: new Error("connect ECONNREFUSED 127.0.0.1:1") })
    }],
    ["a service that refuses for now", () => json({ detail: "busy" }, { status: 503 })]
  ])("a stream that never began fails after as many requests as run, with the same error: %s", async (_, respond) => {
    vi.useFakeTimers()
    try {
      const failed = async (work: (svc: Svc) => Promise<unknown>) => {
        const { sent, svc } = respondingWith(respond)
        const thrown = thrownBy(() => work(svc))
        await vi.advanceTimersByTimeAsync(1000)
        assert.lengthOf(sent, 3)
        return String(await thrown)
      }
      const ofRun = await failed((svc) => svc.agent("a").run("hi"))
      assert.strictEqual(await failed((svc) => svc.agent("a").stream("hi").result()), ofRun)
      assert.notInclude(ofRun, "CORS")
      const run = { run_id: "r", session_id: "s" }
      assert.include(await failed((svc) => svc.agent("a").watch(run).result()), ofRun.split(": ", 1)[0]!)
    } finally {
      vi.useRealTimers()
    }
  })

  it("a page of another origin gets an error that names CORS and the setting, and one of the same origin does not", async () => {
    const { svc } = respondingOnce(() => {
      throw new TypeError("Failed to fetch")
    })
    const messageAt = async (origin: string) => {
      vi.stubGlobal("location", { origin })
      const thrown = [
        await thrownBy(() => svc.agent("a").run("hi")),
        await thrownBy(() => read(svc.agent("a").stream("hi")))
      ]
      vi.unstubAllGlobals()
      const [ofRun, ofStream] = thrown.map((error) => (error as Error).message)
      assert.strictEqual(ofStream, ofRun)
      return ofRun
    }
    assert.strictEqual(
      await messageAt("http://shop.example"),
      "No response from http://svc.example/agents/a/runs: Failed to fetch. The service is away, or it refuses pages of " +
        "http://shop.example (CORS): its setting CORS_ORIGIN_LIST must have http://shop.example"
    )
    assert.notInclude(await messageAt("http://svc.example"), "CORS")
  })

  it("a stream that ends before its first event is requested again", async () => {
    const { svc } = respondingWith(() => eventStream(pieces([])), () => eventStream(pieces(frames)))
    assert.deepStrictEqual(await read(svc.agent("a").stream("hi")), names)
  })

  it("a stream that breaks after a pause in its past is read to the end of the run", async () => {
    const history = [frame(0, "RunStarted"), frame(1, "RunPaused"), frame(2, "RunContinued"), frame(3, "RunCompleted")]
    const { svc } = respondingWith(
      () => eventStream(pieces(history.slice(0, 3), "breaks")),
      () => eventStream(pieces(history.slice(3)))
    )
    const events = await read(svc.agent("a").watch({ run_id: "r", session_id: "s" }))
    assert.deepStrictEqual(events, ["RunStarted", "RunPaused", "RunContinued", "RunCompleted"])
  })

  it("the text of an answer that begins again ends with an error, and text of finished answers does not", async () => {
    const textOf = async (...history: ReadonlyArray<string>) => {
      const { svc } = respondingWith(() => eventStream(pieces(history)))
      let text = ""
      try {
        for await (const piece of svc.agent("a").stream("hi").textStream) text += piece
      } catch (error) {
        return [text, error]
      }
      return [text]
    }
    const begin = [frame(0, "RunStarted"), frame(1, "RunContent", { content: "Hel" })]
    const again = [frame(3, "RunContinued"), frame(4, "RunContent", { content: "Hello." }), frame(5, "RunCompleted")]
    const [text, error] = await textOf(...begin, ...again)
    assert.strictEqual(text, "Hel")
    assert.instanceOf(error, SvcRunError)
    assert.deepInclude(error, { status: "RUNNING", run: { run_id: "r", session_id: "s" } })
    assert.deepStrictEqual(await textOf(...begin, frame(2, "ModelRequestCompleted"), ...again), ["HelHello."])
    assert.deepStrictEqual(await textOf(begin[0]!, ...again), ["Hello."])
  })

  it("an event that is no JSON is requested again", async () => {
    const { svc } = respondingWith(
      () => eventStream(pieces([frames[0]!, "id: 1\ndata: {\"event\n\n"])),
      () => eventStream(pieces(frames.slice(1)))
    )
    assert.deepStrictEqual(await read(svc.agent("a").stream("hi")), names)
  })

  it("a stream that sends nothing for a minute, not even a heartbeat, is opened again", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] })
    const { clearTimeout: clear, setTimeout: set } = globalThis
    // other tests of this process can have timers too, so only those of a minute count
    const watches = new Set<unknown>()
    let begun = 0
    globalThis.setTimeout = ((call: () => void, millis: number) => {
      const timer = set(call, millis)
      if (millis === 60_000) {
        watches.add(timer)
        begun += 1
      }
      return timer
    }) as typeof set
    globalThis.clearTimeout = (timer) => {
      watches.delete(timer)
      clear(timer)
    }
    try {
      const { svc } = respondingWith(
        () => eventStream(pieces([frames[0]!, ": heartbeat\n\n"], "hangs")),
        () => eventStream(pieces(frames.slice(1)))
      )
      const events = read(svc.agent("a").stream("hi"))
      await vi.advanceTimersByTimeAsync(70_000)
      assert.deepStrictEqual(await events, names)
      assert.isAtLeast(begun, 4)
      assert.strictEqual(watches.size, 0)
    } finally {
      // before the real ones are back, which vitest looks for behind these
      Object.assign(globalThis, { clearTimeout: clear, setTimeout: set })
      vi.useRealTimers()
    }
  })

  it("an event without an index says that the stream breaks, and is not given to the loop", async () => {
    const { svc } = respondingWith(
      () => eventStream(pieces([frames[0]!, "event: error\ndata: {\"event\":\"error\",\"error\":\"it stops\"}\n\n"])),
      () => eventStream(pieces(frames.slice(1)))
    )
    assert.deepStrictEqual(await read(svc.agent("a").stream("hi")), names)
  })

  it("a page in place of a stream is an error that says so, and is not requested again", async () => {
    const { sent, svc } = respondingWith(() => new Response("<html>", { headers: { "content-type": "text/html" } }))
    const error = await thrownBy(() => svc.agent("a").stream("hi").result())
    assert.instanceOf(error, SvcError)
    assert.include(error.message, "text/html")
    assert.lengthOf(sent, 1)
  })

  it("a second loop over a stream that is read is refused", async () => {
    const { sent, svc } = respondingWith(() => eventStream(pieces(frames)))
    const stream = svc.agent("a").stream("hi")
    const first = stream[Symbol.asyncIterator]()
    await first.next()
    assert.instanceOf(await thrownBy(() => read(stream)), TypeError)
    await first.return(undefined)
    assert.lengthOf(sent, 1)
  })

  it("the run of a stream that was read to its end is requested without the events", async () => {
    const { sent, svc } = respondingWith(
      () => eventStream(pieces(frames)),
      () => json({ run_id: "r", status: "COMPLETED" })
    )
    const stream = svc.agent("a").stream("hi")
    await read(stream)
    assert.strictEqual((await stream.result()).status, "COMPLETED")
    assert.lengthOf(sent, 2)
  })

  it("a status that cannot be read after a stream ended is asked for again", async () => {
    const { svc } = respondingWith(
      () => eventStream(pieces(frames.slice(0, 1))),
      ...Array.from({ length: 3 }, () => () => json({}, { status: 503, headers: { "retry-after": "0" } })),
      () => eventStream(pieces(frames.slice(1)))
    )
    assert.deepStrictEqual(await read(svc.agent("a").stream("hi")), names)
  })

  it("a header that cannot be sent is an error at once", async () => {
    const { sent, svc } = respondingWith(() => eventStream(pieces(frames)))
    const error = await thrownBy(() => svc.agent("a").stream("hi", { headers: { "x-name": "a\nb" } }).result())
    assert.instanceOf(error, TypeError)
    assert.lengthOf(sent, 0)
  })

  it("no more is read from the connection than the loop takes", async () => {
    let taken = 0
    const endless = new ReadableStream<Uint8Array<ArrayBuffer>>({
      pull: (controller) => {
        controller.enqueue(encoder.encode(frame(taken++, "RunContent")))
      }
    }, { highWaterMark: 0 })
    const { svc } = respondingWith(() => eventStream(endless))
    const iterator = svc.agent("a").stream("hi")[Symbol.asyncIterator]()
    for (let index = 0; index < 3; index++) await iterator.next()
    assert.isAtMost(taken, 4)
    await iterator.return(undefined)
  })

  it("a stream reports the number of failed attempts before it connects again", async () => {
    vi.useFakeTimers()
    try {
      const { svc } = respondingWith(
        () => eventStream(pieces(frames.slice(0, 1), "breaks")),
        () => eventStream(pieces([], "breaks")),
        () => eventStream(pieces(frames.slice(1)))
      )
      const stream = svc.agent("a").stream("hi")
      const attempts: Array<number> = []
      stream.onCut = (attempt) => attempts.push(attempt)
      const events = read(stream)
      await vi.advanceTimersByTimeAsync(10_000)
      assert.deepStrictEqual(await events, names)
      assert.deepStrictEqual(attempts, [1, 2])
    } finally {
      vi.useRealTimers()
    }
  })

  it("the error of a connection that breaks each time has the reason", async () => {
    vi.useFakeTimers()
    try {
      const { svc } = respondingWith(() => eventStream(pieces([], "breaks")))
      const error = thrownBy(() => svc.agent("a").stream("hi").result())
      await vi.advanceTimersByTimeAsync(120_000)
      const thrown = await error
      assert.instanceOf(thrown, SvcConnectionError)
      assert.include(thrown.message, "terminated")
    } finally {
      vi.useRealTimers()
    }
  })
})
