// The same bytes through the client of a provider alone and with the bypass give the same parts, however they are cut.
import type { LanguageModelV4CallOptions, LanguageModelV4StreamPart } from "@ai-sdk/provider"
import { assert, describe, it } from "@effect/vitest"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Effect } from "effect"
import { gzipSync } from "node:zlib"
import * as BoundedFetch from "../src/BoundedFetch.ts"
import * as DeltaBypass from "../src/DeltaBypass.ts"
import type * as DirectFetch from "../src/DirectFetch.ts"
import { type DocumentedStream, documentedStreams } from "./DocumentedStreams.ts"

type Event = DocumentedStream["events"][number]

const encoder = new TextEncoder()

const written = ({ data, event }: Event, end = "\n"): string =>
  `${event === undefined ? "" : `event: ${event}${end}`}data: ${data}${end}${end}`

const stream = (events: ReadonlyArray<Event>, end = "\n"): string => events.map((event) => written(event, end)).join("")

/** How a body is cut, and how it ends. */
interface Body {
  readonly chunks: ReadonlyArray<Uint8Array<ArrayBuffer>>
  readonly failure?: Error
  readonly encoding?: string
}

const bytes = (text: string): Uint8Array<ArrayBuffer> => encoder.encode(text)

const perEvent = (text: string): Body => ({ chunks: text.split(/(?<=\n\n|\r\n\r\n)/).map(bytes) })

const perByte = (text: string): Body => ({ chunks: Array.from(bytes(text), (byte) => Uint8Array.of(byte)) })

/** As a connection: each chunk arrives in a turn of its own, unless the handler of the response has paused it. */
const connection = ({ chunks, encoding, failure }: Body): DirectFetch.Dispatcher => ({
  dispatch: (_, handler) => {
    let next = 0
    let isPaused = false
    const send = (): void =>
      void setImmediate(() => {
        const chunk = chunks[next++]
        if (chunk === undefined) {
          if (failure === undefined) handler.onComplete([])
          else handler.onError(failure)
        } else if (!handler.onData(chunk)) isPaused = true
        else send()
      })
    const resume = () => {
      if (isPaused) send()
      isPaused = false
    }
    handler.onConnect(() => {})
    const headers = [
      "content-type",
      "text/event-stream",
      ...(encoding === undefined ? [] : ["content-encoding", encoding])
    ]
    handler.onHeaders(200, headers.map((text) => Buffer.from(text)), resume, "OK")
    send()
    return true
  }
})

interface Outcome {
  readonly parts: ReadonlyArray<unknown>
  readonly failure?: unknown
}

const failureOf = (cause: unknown): unknown =>
  cause instanceof Error
    ? { name: cause.name, message: cause.message, cause: failureOf(cause.cause) }
    : cause

/** As JSON: fields that are undefined count as absent. Clients make up the ids of sources. */
const comparable = (part: LanguageModelV4StreamPart): unknown =>
  JSON.parse(JSON.stringify(
    part.type === "error"
      ? { type: "error", error: failureOf(part.error) }
      : { ...part, ...(part.type === "source" && { id: "" }) }
  ))

const call = (settings: Partial<LanguageModelV4CallOptions> = {}) => ({
  ...settings,
  prompt: [{ role: "user" as const, content: [{ type: "text" as const, text: "Hi" }] }],
  abortSignal: new AbortController().signal
})

const read = (
  { client, format }: DocumentedStream,
  body: Body,
  settings: { readonly isBypassed: boolean; readonly call?: Partial<LanguageModelV4CallOptions> }
) => {
  let seen = 0
  const counted = new TransformStream<Uint8Array, Uint8Array>({
    transform: (chunk, controller) => {
      seen += chunk.length
      controller.enqueue(chunk)
    }
  })
  const target = connection(body)
  const model = client((_, init) => {
    const response = settings.isBypassed
      ? BoundedFetch.make(undefined, () => target)("http://provider.test/", init)
      : globalThis.fetch("http://provider.test/", { ...init, dispatcher: target } as RequestInit)
    return response.then((response) => new Response(response.body?.pipeThrough(counted), response))
  })
  return Effect.callback<Outcome & { readonly seen: number }>((resume) => {
    const parts: Array<unknown> = []
    const end = (rest: object = {}) => resume(Effect.sync(() => ({ parts, seen, ...rest })))
    const onFailure = (cause: unknown) => end({ failure: failureOf(cause) })
    DeltaBypass.open(model, call(settings.call), settings.isBypassed ? format : undefined).then((reader) => {
      const next = () =>
        reader.read({
          onParts: (read) => {
            if (read === undefined) return end()
            parts.push(...read.map(comparable))
            next()
          },
          onFailure
        })
      next()
    }, onFailure)
  })
}

/** A number that JSON can write and cannot hold. */
const infinite = "1e999"

/** The value with each of its fields replaced, in turn, by what could stand there. */
const variants = (value: unknown): ReadonlyArray<unknown> =>
  typeof value !== "object" || value === null
    ? [null, false, 7, "", "other", [], {}, [null], [{}], infinite].filter((other) => other !== value)
    : Array.isArray(value)
    ? [[], {}, 7, [...value, ...value], ...value.flatMap((item) => variants(item).map((other) => [other]))]
    : [
      ...Object.entries(value).flatMap(([name, field]) =>
        variants(field).map((other) => ({ ...value, [name]: other }))
      ),
      ...Object.keys(value).map((name) => ({ ...value, [name]: undefined })),
      ...[null, 7, "", false, {}, []].map((other) => ({ ...value, unknown: other }))
    ]

/** Both ways give the same. Returns what the client has seen with the bypass, in bytes. */
const same = Effect.fnUntraced(function*(
  documented: DocumentedStream,
  body: Body,
  call?: Partial<LanguageModelV4CallOptions>
) {
  const alone = yield* read(documented, body, { isBypassed: false, ...(call && { call }) })
  const { seen, ...bypassed } = yield* read(documented, body, { isBypassed: true, ...(call && { call }) })
  const { seen: all, ...expected } = alone
  assert.deepStrictEqual(bypassed, expected)
  return { all, seen, ...expected }
})

Tier.oneIn(6)

describe.each(documentedStreams)(
  "parts of $name that wait for their reader",
  ({ beginning, client, events, format, plain }) => {
    it.effect("the parts are bounded by bytes: the connection is paused behind a reader that reads no further", () =>
      Effect.gen(function*() {
        const word = bytes(stream([plain("x".repeat(8000))]))
        const begun = perEvent(stream([...events.slice(0, beginning), plain("first")])).chunks
        const body = connection({ chunks: begun })
        let deliver: DirectFetch.Handler["onData"] = () => true
        const target: DirectFetch.Dispatcher = {
          dispatch: (options, handler) => {
            deliver = handler.onData
            return body.dispatch(options, { ...handler, onComplete: () => {} })
          }
        }
        const send = BoundedFetch.make(undefined, () => target)
        const model = client((_, init) => send("http://provider.test/", init))
        const reader = yield* Effect.promise(() => Promise.resolve(DeltaBypass.open(model, call(), format)))
        // until the first word: the bypass is open from there on
        yield* Effect.callback<void>((resume) => {
          const next = () =>
            reader.read({
              onParts: (parts) => parts?.some(({ type }) => type === "text-delta") ? resume(Effect.void) : next(),
              onFailure: (cause) => resume(Effect.die(cause))
            })
          next()
        })
        let delivered = 0
        while (delivered < 16 * 1024 * 1024 && deliver(word)) delivered += word.length
        assert.isAbove(delivered, 0)
        assert.isBelow(delivered, 1024 * 1024)
      }))
  }
)

describe.each(documentedStreams)("the bypass of $name", (documented) => {
  const { beginning, error, events, plain } = documented
  const whole = stream(events)
  const begun = events.slice(0, beginning)
  const often = Array.from({ length: 40 }, (_, index) => plain(`word ${index}`))
  const text = stream([...begun, ...often])

  it.effect("the parts are those of the client, with events that arrive one by one", () =>
    Effect.gen(function*() {
      const { failure, parts } = yield* same(documented, perEvent(whole))
      assert.isUndefined(failure)
      assert.isAbove(parts.length, events.length / 2)
    }))

  it.effect("the parts are those of the client, with one byte at a time", () => same(documented, perByte(whole)))

  it.effect("the parts are those of the client, with all events at once", () =>
    same(documented, { chunks: [bytes(whole)] }))

  it.effect("the parts are those of the client, with lines that end with CRLF", () =>
    Effect.gen(function*() {
      const { all, seen } = yield* same(documented, perEvent(stream(events, "\r\n")))
      assert.isBelow(seen, all)
      yield* same(documented, perByte(stream(events, "\r\n")))
    }))

  it.effect("the client sees less than half of a long text", () =>
    Effect.gen(function*() {
      const { all, seen } = yield* same(documented, perEvent(text))
      assert.isBelow(seen, all / 2)
    }))

  it.effect("the parts are those of the client, wherever a chunk is cut", () =>
    Effect.gen(function*() {
      const cut = bytes(stream([plain("é🙂")], "\r\n") + stream([plain("é")]))
      const cuts = Array.from(cut, (_, at) => [cut.slice(0, at), cut.slice(at)]).slice(1).flat()
      const first = stream([...begun, plain("first")])
      const { seen } = yield* same(documented, { chunks: [...perEvent(first).chunks, ...cuts] })
      assert.isAtMost(seen, bytes(first).length)
    }))

  it.effect.each(["\r", "\uFEFF"])("the client gets a whole body that has %j", (odd) =>
    Effect.gen(function*() {
      const body = odd === "\r" ? stream(events, "\r") : odd + whole
      const { all, seen } = yield* same(documented, perEvent(body))
      assert.strictEqual(seen, all)
      yield* same(documented, { chunks: [bytes(body)] })
    }))

  it.effect("the client gets a whole body that is compressed", () =>
    Effect.gen(function*() {
      const body = { chunks: [gzipSync(text)], encoding: "gzip" }
      const { parts } = yield* same(documented, body)
      assert.include(JSON.stringify(parts), "word 39")
    }))

  it.effect("comments, retries, ids and unknown fields change nothing", () =>
    same(
      documented,
      perEvent(events.map((event) => `: ping\n\nid: 7\nretry: 5\nfield: x\n${written(event)}\n:\n\n`).join(""))
    ))

  it.effect("data of several lines changes nothing", () =>
    Effect.gen(function*() {
      const lines = JSON.stringify(JSON.parse(plain("lines").data), null, 1).split("\n").map((line) =>
        `data: ${line}\n`
      )
      yield* same(documented, perEvent(`${text}${lines.join("")}\n${stream([plain("after"), plain("that")])}`))
    }))

  it.effect("data without a space after the colon changes nothing", () =>
    same(documented, perEvent(text.replaceAll("data: ", "data:"))))

  it.effect("the words before an error of the provider come before it", () =>
    Effect.gen(function*() {
      const { parts } = yield* same(documented, perEvent(stream([...begun, ...often, error, plain("after")])))
      assert.isTrue(parts.some((part) => (part as { readonly type: string }).type === "error"))
      yield* same(documented, { chunks: [bytes(stream([...begun, ...often])), bytes(stream([...often, error]))] })
      yield* same(documented, perEvent(stream([error])))
    }))

  it.effect("the words before an event that is no JSON come before its error", () =>
    same(documented, perEvent(`${text}data: {"this is": not JSON\n\n${stream(often)}`)))

  it.effect("the words before a broken connection come before its error", () =>
    Effect.gen(function*() {
      const failure = new TypeError("terminated", {
        cause: Object.assign(new Error("closed"), { code: "UND_ERR_SOCKET" })
      })
      const broken = yield* same(documented, { ...perEvent(text), failure })
      assert.isDefined(broken.failure)
      yield* same(documented, { chunks: [...perEvent(text).chunks, bytes("data: {\"half")], failure })
    }))

  it.effect("the end of a body that ends early is that of the client", () =>
    Effect.gen(function*() {
      yield* same(documented, perEvent(text))
      yield* same(documented, perEvent(`${text}${written(plain("half")).slice(0, -1)}`))
      yield* same(documented, perEvent(`${text}data: {"half`))
      yield* same(documented, { chunks: [] })
    }))

  it.effect("the client gets an event that is too long to hold, and what follows", () =>
    Effect.gen(function*() {
      const long = written(plain("long ".repeat(300_000)))
      const parted = long.match(/[^]{1,65536}/g) ?? []
      const { parts } = yield* same(documented, {
        chunks: [...perEvent(text).chunks, ...parted.map(bytes), ...perEvent(stream(often)).chunks]
      })
      assert.isAbove(JSON.stringify(parts).length, 1_500_000)
    }))

  it.effect("the client decodes bytes that are no text", () =>
    Effect.gen(function*() {
      const broken = bytes(written(plain("b?oken"))).map((byte) => byte === 63 ? 0xe2 : byte)
      const { parts } = yield* same(documented, {
        chunks: [...perEvent(text).chunks, broken, ...perEvent(stream(often)).chunks]
      })
      assert.include(JSON.stringify(parts), "b\uFFFDoken")
    }))

  it.effect("the client gets events with fields that it refuses or reads in its own way", () =>
    Effect.gen(function*() {
      const event = plain("odd")
      const odd = variants(JSON.parse(event.data)).map((data) =>
        JSON.stringify(data).replace(`"${infinite}"`, infinite)
      )
      const texts = [
        event.data.replace("{", "{\"__proto__\":{\"a\":1},"),
        event.data.replace("{", "{\"__proto__\":1,"),
        event.data.replace("{", "{\"constructor\":{\"prototype\":1},"),
        event.data.replace("{", "{\"error\":\"text\","),
        event.data.replace("{", "{\"error\":null,"),
        event.data.replace("\"odd\"", "\"\""),
        event.data.replace("\"odd\"", "null"),
        event.data.replace("\"odd\"", "\"\\ud83d\""),
        "null",
        "[]",
        "7",
        ""
      ]
      const two = [plain("two"), plain("words")]
      const odds = [...odd, ...texts].flatMap((data) => [{ ...event, data }, ...two])
      const { parts } = yield* same(documented, perEvent(stream([...begun, ...two, ...odds])))
      assert.isAbove(parts.length, 2 * odd.length)
    }))
})
