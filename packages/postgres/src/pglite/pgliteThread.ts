// The embedded database on disk has a thread of its own, so that requests do not wait while it executes statements.
// `openInThread` starts the thread, whose program is this file too.
// @effect-diagnostics asyncFunction:off newPromise:off globalTimers:off -- the thread does not load Effect
import { Buffer } from "node:buffer"
import { isMainThread, type MessagePort, parentPort, Worker, workerData } from "node:worker_threads"
import type { Engine } from "./pgliteEngine.ts"
import { type EngineOnDisk, type OnDisk, openOnDisk } from "./pgliteOpen.ts"

/**
 * A call of a method of the engine. The calls of one turn are one message, and so are their replies, in their order:
 * to wake a thread costs as much as a short statement.
 */
type Call =
  | { readonly method: "run"; readonly bytes: Uint8Array<ArrayBuffer>; readonly endsReady: boolean }
  | { readonly method: "startup"; readonly bytes: Uint8Array<ArrayBuffer> }
  | { readonly method: "close" | "discard" }

type Reply =
  | { readonly bytes: Uint8Array<ArrayBuffer> | undefined }
  | { readonly problem: string }

interface Pending {
  readonly resolve: (bytes: Uint8Array | undefined) => void
  readonly reject: (cause: unknown) => void
}

/** A copy that can be transferred. */
const own = (bytes: Uint8Array): Uint8Array<ArrayBuffer> => new Uint8Array(bytes)

const buffersOf = (message: Call | Reply): Array<ArrayBuffer> =>
  "bytes" in message && message.bytes !== undefined ? [message.bytes.buffer] : []

const problemOf = (cause: unknown) => cause instanceof Error ? cause.message : String(cause)

const file = import.meta.url.endsWith(".ts")
  ? new URL("./pgliteThread.ts", import.meta.url)
  : new URL("./pgliteThread.js", import.meta.url)

/** Other threads of the process import this file too: only one with this field in its data is a database. */
const key = "svc.database"

/** It may not use the memory that a main thread may use: it holds only the bytes of one batch. */
const resourceLimits = { maxYoungGenerationSizeMb: 4, maxOldGenerationSizeMb: 512 }

/** The thread does not keep the process running while nothing waits for it. */
export const openInThread = async (source: OnDisk): Promise<Engine> => {
  // what the process imports first is not for this thread
  const thread = new Worker(file, { workerData: { [key]: source }, resourceLimits, name: "database", execArgv: [] })
  let pending: Array<Pending> = []
  let unsent: Array<Call> = []
  let ended: Error | undefined
  const end = (reason: Error) => {
    if (ended !== undefined) return
    ended = reason
    for (const { reject } of pending) reject(reason)
    pending = []
  }
  thread.on("error", (cause) => end(new Error(`Its thread failed: ${problemOf(cause)}`, { cause })))
  thread.on("exit", (code) => end(new Error(`Its thread ended with the code ${code}`)))
  thread.on("message", (replies: ReadonlyArray<Reply>) => {
    const replied = pending.splice(0, replies.length)
    if (pending.length === 0) thread.unref()
    replies.forEach((reply, index) => {
      if ("problem" in reply) replied[index]?.reject(new Error(reply.problem))
      else replied[index]?.resolve(reply.bytes)
    })
  })
  const reply = () =>
    new Promise<Uint8Array | undefined>((resolve, reject) => {
      if (ended !== undefined) return reject(ended)
      if (pending.length === 0) thread.ref()
      pending.push({ resolve, reject })
    })
  const send = () => {
    const calls = unsent
    unsent = []
    if (ended === undefined) thread.postMessage(calls, calls.flatMap(buffersOf))
  }
  const call = (message: Call) => {
    const replied = reply()
    if (unsent.push(message) === 1) queueMicrotask(send)
    return replied
  }
  const bytesOf = (bytes: Uint8Array | undefined) => bytes ?? Buffer.alloc(0)
  // without the reference, the process would end here if nothing else keeps it running
  const terminate = () => {
    thread.ref()
    return thread.terminate()
  }
  const last = (method: "close" | "discard") => call({ method }).finally(terminate).then(() => undefined)

  await reply().catch((cause: unknown) => terminate().then(() => Promise.reject(cause)))
  return {
    run: (messages, { endsReady }) => call({ method: "run", bytes: own(messages), endsReady }).then(bytesOf),
    startup: (packet) => call({ method: "startup", bytes: own(packet) }).then(bytesOf),
    // a thread that has ended has closed its files, and the next start recovers
    close: () => ended === undefined ? last("close") : Promise.resolve(),
    discard: () => ended === undefined ? last("discard") : Promise.resolve()
  }
}

const execute = async (engine: Engine, call: Call): Promise<Uint8Array | undefined> => {
  switch (call.method) {
    case "run":
      return engine.run(call.bytes, call)
    case "startup":
      return engine.startup(call.bytes)
    case "close":
      await engine.close()
      return undefined
    case "discard":
      await engine.discard()
      return undefined
  }
}

/** Milliseconds, and batches of prepared statements: after either a start is over. */
const startMillis = 10_000
const load = 300

const isPrepared = (call: Call): boolean => call.method === "run" && call.bytes[0] === "B".charCodeAt(0)

const isLast = ({ method }: Call): boolean => method === "close" || method === "discard"

const settleAfterStart = ({ settle }: EngineOnDisk) => {
  let prepared = 0
  let isStarting = true
  const cancel = () => {
    isStarting = false
    clearTimeout(timer)
  }
  const end = () => {
    cancel()
    try {
      settle()
    } catch {
      // it only makes statements faster
    }
  }
  const timer = setTimeout(end, startMillis)
  return {
    /** Before the last call, which closes the files in later turns. */
    cancel,
    /** After each reply, because the end of a start takes time. */
    replied: (call: Call) => {
      if (isStarting && isPrepared(call) && ++prepared === load) end()
    }
  }
}

const replyOf = (result: Promise<Uint8Array | undefined>): Promise<Reply> =>
  result.then((bytes) => ({ bytes: bytes === undefined ? undefined : own(bytes) }))
    .catch((cause: unknown) => ({ problem: problemOf(cause) }))

const send = (port: Pick<MessagePort, "postMessage">, replies: ReadonlyArray<Reply>): void =>
  port.postMessage(replies, replies.flatMap(buffersOf))

/** Executes the calls one after the other. Exported for tests. */
export const answer = (port: Pick<MessagePort, "on" | "postMessage">, engine: EngineOnDisk): void => {
  const start = settleAfterStart(engine)
  const answerAll = async (calls: ReadonlyArray<Call>) => {
    const replies: Array<Reply> = []
    for (const call of calls) {
      if (isLast(call)) start.cancel()
      replies.push(await replyOf(execute(engine, call)))
    }
    send(port, replies)
    calls.forEach(start.replied)
  }
  let done: Promise<unknown> = Promise.resolve()
  port.on("message", (calls: ReadonlyArray<Call>) => {
    done = done.then(() => answerAll(calls))
  })
}

const serve = async (port: MessagePort, source: OnDisk) => {
  const opening = openOnDisk(source)
  send(port, [await replyOf(opening.then(() => undefined))])
  answer(port, await opening)
}

if (!isMainThread && parentPort !== null && workerData?.[key] !== undefined) {
  // a failure has been reported
  serve(parentPort, workerData[key] as OnDisk).catch(() => undefined)
}
