// The requests of the clients of providers, without most of `fetch`. That makes a request, a signal, headers, responses
// and several web streams for each of them, which costs more than the rest of a short request. Here a request goes to
// the dispatcher that `fetch` would give it to, with its connections, proxies and time limits, and the response has one
// web stream. Bytes that are not read yet wait in a queue. The connection is paused while it is full.
import { Data } from "effect"
import * as InterceptedBody from "./InterceptedBody.ts"

type Bytes = InterceptedBody.Bytes

/** What a connection reports of a request. Every version of `undici` accepts handlers like this. */
export interface Handler {
  readonly onConnect: (abort: (reason: unknown) => void) => void
  readonly onHeaders: (
    status: number,
    headers: ReadonlyArray<Uint8Array>,
    resume: () => void,
    text: string
  ) => boolean
  /** Returns whether more may come. */
  readonly onData: (chunk: Bytes) => boolean
  readonly onComplete: (trailers: ReadonlyArray<unknown>) => void
  readonly onError: (cause: unknown) => void
}

export interface Dispatcher {
  readonly dispatch: (options: object, handler: Handler) => unknown
}

let known: { readonly fetch: typeof fetch; readonly isOfNode: boolean } | undefined

/** It can be replaced before this module is loaded, so its source tells. */
const isOfNode = (current: typeof fetch): boolean => {
  known = known?.fetch === current
    ? known
    : { fetch: current, isOfNode: String(current).includes("internal/deps/undici/undici") }
  return known.isOfNode
}

/** Undefined if `fetch` is replaced, as tests of authors do it, and before the first use of it or `Headers`. */
export const ofProcess = (): Dispatcher | undefined =>
  isOfNode(globalThis.fetch) ? Reflect.get(globalThis, Symbol.for("undici.globalDispatcher.1")) : undefined

export interface Options {
  readonly dispatcher: Dispatcher
  /** Of all bytes of the body. With more it fails, and the connection is closed. */
  readonly limit: number
  /** Changes the bytes where the connection delivers them. */
  readonly splitter?: InterceptedBody.Splitter | undefined
}

export class ResponseTooLarge extends Data.TaggedError("ResponseTooLarge") {}

/** The answer is for `fetch`: it follows redirects. */
export class Redirected extends Data.TaggedError("Redirected") {}

const maxQueuedBytes = 64 * 1024

const redirects: ReadonlySet<number> = new Set([301, 302, 303, 307, 308])
const withoutBody: ReadonlySet<number> = new Set([204, 205, 304])

const textOf = (bytes: Uint8Array): string => String.fromCharCode(...bytes)

const headersOf = (pairs: ReadonlyArray<Uint8Array>): Headers => {
  const headers = new Headers()
  pairs.forEach((value, at) => {
    const name = at % 2 === 0 ? undefined : pairs[at - 1]
    if (name !== undefined) headers.append(textOf(name), textOf(value))
  })
  return headers
}

/** As `fetch` sends them, but for the encoding: a compressed stream would be decompressed piece by piece. */
const sentHeaders = (given: HeadersInit | undefined): Readonly<Record<string, string>> => {
  const headers = new Headers(given)
  if (!headers.has("accept-encoding")) headers.set("accept-encoding", "identity")
  if (!headers.has("accept")) headers.set("accept", "*/*")
  if (!headers.has("user-agent")) headers.set("user-agent", "node")
  // a dispatcher of the author can copy them
  return Object.fromEntries(headers)
}

const compressions = { br: "brotli", deflate: "deflate", gzip: "gzip", "x-gzip": "gzip" }

const decompressed = (body: ReadableStream<Bytes>, encoding: string): ReadableStream<Bytes> =>
  encoding.toLowerCase().split(",").reduceRight<ReadableStream<Bytes>>((bytes, each) => {
    const name = each.trim()
    if (!Object.hasOwn(compressions, name)) return bytes
    const format = compressions[name as keyof typeof compressions] as CompressionFormat
    return bytes.pipeThrough(new DecompressionStream(format) as ReadableWritablePair<Bytes, Bytes>)
  }, body)

const bounded = (limit: number): InterceptedBody.Change => {
  let total = 0
  return {
    next: (chunk) => {
      if ((total += chunk.length) > limit) throw new ResponseTooLarge()
      return chunk
    },
    end: () => new Uint8Array()
  }
}

/** The response of `fetch`, with the same limit. */
export const limited = (response: Response, limit: number): Response =>
  InterceptedBody.ofResponse(response, bounded(limit))

/** The URL of a request that `send` can send: clients of providers send texts, with no other options of `fetch`. */
export const urlOf = (input: unknown, init: RequestInit | undefined): URL | undefined => {
  if (typeof input !== "string" || init?.method !== "POST" || typeof init.body !== "string") return undefined
  const { body: _, headers: __, method: ___, signal: ____, ...others } = init
  if (Object.keys(others).length > 0) return undefined
  const url = URL.parse(input)
  return url !== null && /^https?:$/.test(url.protocol) && url.username === "" && url.password === "" ? url : undefined
}

/** Rejects as `fetch` does. */
export const send = (
  url: URL,
  { body, headers, method, signal }: RequestInit,
  { dispatcher, limit, splitter }: Options
): Promise<Response> => {
  const { promise, reject, resolve } = Promise.withResolvers<Response>()
  const queue: Array<Bytes> = []
  const admit = bounded(limit)
  let change: InterceptedBody.Change | undefined
  let queued = 0
  let isPaused = false
  let isAnswered = false
  let result: { readonly failure?: unknown } | undefined
  let wake: (() => void) | undefined
  let abort: ((reason: unknown) => void) | undefined
  let resume: (() => void) | undefined

  const end = (ended: { readonly failure?: unknown }): void => {
    if (result !== undefined) return
    result = ended
    signal?.removeEventListener("abort", onAbort)
    if ("failure" in ended && !isAnswered) reject(ended.failure)
    wake?.()
  }

  /** Nothing more of the body is read. */
  const stop = (failure: unknown): void => {
    queue.length = 0
    if (result !== undefined) return
    end({ failure })
    abort?.(failure)
  }

  const onAbort = () => stop(signal?.reason)

  const put = (bytes: Bytes): void => {
    if (bytes.length === 0) return
    queue.push(bytes)
    queued += bytes.length
    wake?.()
  }

  const take = (chunk: Bytes): void => {
    queued -= chunk.length
    if (!isPaused || queued >= maxQueuedBytes) return
    isPaused = false
    resume?.()
  }

  const give = (controller: ReadableStreamDefaultController<Bytes>, bytes: Bytes): boolean => {
    if (bytes.length > 0) controller.enqueue(bytes)
    return bytes.length > 0
  }

  const next = (controller: ReadableStreamDefaultController<Bytes>): void | Promise<void> => {
    for (let chunk = queue.shift(); chunk !== undefined; chunk = queue.shift()) {
      take(chunk)
      if (give(controller, change === undefined ? chunk : change.next(chunk))) return
    }
    if (result === undefined) {
      const more = Promise.withResolvers<void>()
      wake = more.resolve
      return more.promise.then(() => next(controller))
    }
    if ("failure" in result) return controller.error(result.failure)
    if (change !== undefined) give(controller, change.end())
    controller.close()
  }

  const pull = (controller: ReadableStreamDefaultController<Bytes>): void | Promise<void> => {
    try {
      return next(controller)
    } catch (cause) {
      stop(cause)
      throw cause
    }
  }

  const answered = (status: number, text: string, headers: Headers): Response => {
    const statusText = InterceptedBody.statusTextOf(text)
    if (redirects.has(status) && headers.has("location")) throw new Redirected()
    // what has no body needs no decompression
    const encoding = headers.get("content-length") === "0" ? null : headers.get("content-encoding")
    if (encoding !== null) splitter?.leave()
    const stream = withoutBody.has(status)
      ? null
      : new ReadableStream<Bytes>({ pull, cancel: stop }, { highWaterMark: 0 })
    if (encoding !== null && stream !== null) {
      return limited(new Response(decompressed(stream, encoding), { status, statusText, headers }), limit)
    }
    const response = new Response(stream, { status, statusText, headers })
    InterceptedBody.takesChange(response, (given) => change = given)
    return response
  }

  if (signal?.aborted === true) return Promise.reject(signal.reason)
  signal?.addEventListener("abort", onAbort, { once: true })
  const failed = (cause: unknown): TypeError => new TypeError(isAnswered ? "terminated" : "fetch failed", { cause })
  const handler: Handler = {
    onConnect: (stopping) => {
      abort = stopping
      if (result !== undefined) stopping(result.failure)
    },
    onHeaders: (status, pairs, continued, text) => {
      if (status < 200 || result !== undefined) return true
      resume = continued
      try {
        const response = answered(status, text, headersOf(pairs))
        isAnswered = true
        resolve(response)
      } catch (cause) {
        stop(cause instanceof Redirected ? cause : failed(cause))
      }
      return true
    },
    onData: (chunk) => {
      if (result !== undefined) return true
      try {
        const bytes = admit.next(chunk)
        put(splitter === undefined ? bytes : splitter.next(bytes))
      } catch (cause) {
        stop(cause)
      }
      isPaused = queued >= maxQueuedBytes
      return !isPaused
    },
    onComplete: () => {
      if (result === undefined && splitter !== undefined) put(splitter.end())
      end({})
    },
    onError: (cause) => end({ failure: failed(cause) })
  }
  try {
    const options = {
      origin: url.origin,
      path: url.pathname + url.search,
      method,
      headers: sentHeaders(headers),
      body
    }
    dispatcher.dispatch(options, handler)
  } catch (cause) {
    end({ failure: failed(cause) })
  }
  return promise
}
