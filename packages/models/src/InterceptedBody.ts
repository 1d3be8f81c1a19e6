// Changes the bodies of the responses of `fetch` where the connection delivers them, before they enter a web stream.
// `fetch` calls a dispatcher for each request, and gives it a handler for the response. Everything else is left to
// `fetch` and to the dispatcher of the process: redirects, proxies, time limits, compression and errors.

export interface Splitter {
  /** The rest of the body is passed on. */
  readonly leave: () => void
  /** Returns what is passed on instead of these bytes. */
  readonly next: (chunk: Uint8Array) => Uint8Array
  /** Returns what is passed on before the end. */
  readonly end: () => Uint8Array
}

const nothing = new Uint8Array()

type Handler = Record<string, (...args: Array<unknown>) => unknown>

export interface Dispatcher {
  readonly dispatch: (options: unknown, handler: Handler) => boolean
}

/** The names of one version of handlers. The last argument is the chunk in both. */
interface Version {
  /** Of the dispatcher that `fetch` takes by itself. */
  readonly symbol: string
  readonly onStart: string
  readonly onData: string
  readonly onEnd: string
}

const older: Version = {
  symbol: "undici.globalDispatcher.1",
  onStart: "onHeaders",
  onData: "onData",
  onEnd: "onComplete"
}

/** Of Node 26 and later. */
const newer: Version = {
  symbol: "undici.globalDispatcher.2",
  onStart: "onResponseStart",
  onData: "onResponseData",
  onEnd: "onResponseEnd"
}

const ofProcess = ({ symbol }: Version): Dispatcher => Reflect.get(globalThis, Symbol.for(symbol))

/** Headers are pairs in the older version, and fields in the newer one. */
const isEncoded = (headers: unknown): boolean =>
  Array.isArray(headers)
    ? headers.some((each) => /^content-encoding$/i.test(String(each)))
    : typeof headers === "object" && headers !== null && Object.hasOwn(headers, "content-encoding")

const intercept = (handler: Handler, names: Version, splitter: Splitter): void => {
  const { [names.onData]: onData, [names.onEnd]: onEnd, [names.onStart]: onStart } = handler
  const pass = (args: ReadonlyArray<unknown>, bytes: Uint8Array): unknown =>
    bytes.length === 0 ? true : onData?.apply(handler, [...args.slice(0, -1), bytes])
  handler[names.onStart] = (...args) => {
    if (args.some(isEncoded)) splitter.leave()
    return onStart?.apply(handler, args)
  }
  handler[names.onData] = (...args) => pass(args, splitter.next(args.at(-1) as Uint8Array))
  handler[names.onEnd] = (...args) => {
    pass(args, splitter.end())
    return onEnd?.apply(handler, args)
  }
}

type Bytes = ReadableStream<Uint8Array<ArrayBuffer>>

/**
 * The body behind `fetch` with other bytes: those of each chunk, and the rest at its end. If `change` throws, the body
 * fails and the connection is closed. A transform stream has two more queues and a pump, for each response and chunk.
 */
export const changed = (
  body: Bytes,
  change: (chunk: Uint8Array<ArrayBuffer>) => Uint8Array<ArrayBuffer>,
  rest: () => Uint8Array<ArrayBuffer> = () => nothing
): Bytes => {
  const reader = body.getReader()
  const next = (controller: ReadableStreamDefaultController<Uint8Array<ArrayBuffer>>): Promise<void> =>
    reader.read().then(({ done, value }) => {
      const bytes = done ? rest() : change(value)
      if (bytes.length > 0) controller.enqueue(bytes)
      if (done) return controller.close()
      // a pull that has given nothing is not repeated
      return bytes.length > 0 ? undefined : next(controller)
    })
  return new ReadableStream({
    pull: (controller) =>
      next(controller).catch((cause) => {
        controller.error(cause)
        reader.cancel(cause).catch(() => {})
      }),
    cancel: (reason) => reader.cancel(reason)
  }, { highWaterMark: 0 })
}

/** A dispatcher for `fetch`. Each response has a splitter of its own. */
export const dispatcher = (splitter: () => Splitter, target = ofProcess): Dispatcher => ({
  dispatch: (options, handler) => {
    const version = older.onData in handler ? older : newer
    intercept(handler, version, splitter())
    return target(version).dispatch(options, handler)
  }
})
