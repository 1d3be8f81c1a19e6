// Half of what a service can do, for a long time: streams of answers with calls of a tool, histories, memories, texts
// that are uploaded and searched, and sessions that are read. Memory and delays have to stay what they were.
import * as EmbeddedPostgres from "@svc-runtime/test-support/EmbeddedPostgres"
import { Effect, Redacted } from "effect"
import { mkdtempSync, rmSync } from "node:fs"
import { Agent, type IncomingMessage, request } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { type Form, formOf } from "./Load.ts"
import * as PacedModel from "./PacedModel.ts"
import { type Running, start, startFlags } from "./Process.ts"

const { values } = parseArgs({
  options: {
    minutes: { type: "string", default: "30" },
    streams: { type: "string", default: "100" },
    embedded: { type: "boolean", default: false }
  }
})
const minutes = Number(values.minutes)
const streams = Number(values.streams)
const words = 100
const millisBetween = 20

const say = (line: string) => process.stdout.write(`${line}\n`)
const pause = (millis: number) => new Promise((resolve) => setTimeout(resolve, millis))
const mebibytes = (bytes: number) => (bytes / 1024 / 1024).toFixed(0)

/** What came within a minute. */
let delays: Array<number> = []
let errors = 0
let firstError = ""
let counts = { runs: 0, uploads: 0, searches: 0, reads: 0 }

const failed = (text: string) => {
  errors++
  if (firstError === "") firstError = text.slice(0, 300)
}

const agent = new Agent({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY })

/** Reads the response to its end. What does not succeed is an error. */
const send = (
  base: string,
  method: string,
  path: string,
  { body, type }: Partial<Form> = {},
  onPiece: (piece: string) => void = () => {}
) =>
  new Promise<string>((resolve) => {
    const outgoing = request(base + path, {
      method,
      agent,
      headers: body === undefined ? {} : { "content-type": type, "content-length": Buffer.byteLength(body) }
    })
    outgoing.once("error", (error) => {
      failed(`${method} ${path}: ${String(error)}`)
      resolve("")
    })
    outgoing.once("response", (incoming: IncomingMessage) => {
      let text = ""
      incoming.setEncoding("utf8").on("data", (piece: string) => {
        text += piece
        onPiece(piece)
      })
      incoming.once("error", (error) => failed(`${method} ${path}: ${String(error)}`))
      incoming.once("close", () => {
        if ((incoming.statusCode ?? 0) >= 300) failed(`${method} ${path}: ${incoming.statusCode} ${text}`)
        resolve(text)
      })
    })
    outgoing.end(body)
  })

const onPiece = (piece: string) => {
  const now = PacedModel.moment()
  for (const block of piece.split("\n\n")) {
    if (!block.includes("event: RunContent\n")) continue
    for (const [, at] of block.matchAll(PacedModel.moments)) delays.push(now - Number(at))
  }
}

const runsOfSession = 20
const text = "Holidays begin on a Monday, and end when the snow has gone. ".repeat(400)

/** One user, who has one conversation after the other. */
const user = async (base: string, number: number, isOver: () => boolean) => {
  // not all at once
  await pause(Math.random() * words * millisBetween)
  for (let run = 0; !isOver(); run++) {
    const session = `s-${number}-${Math.floor(run / runsOfSession)}`
    const answer = `say ${words} every ${millisBetween}`
    const message = run % 4 === 0 ? `weather in Bern, and ${answer}. I like tea ${run}` : answer
    const form = formOf({ message, session_id: session, user_id: `u-${number}` })
    const stream = await send(base, "POST", "/agents/assistant/runs", form, onPiece)
    counts.runs++
    if (!stream.includes("event: RunCompleted\n") && stream !== "") {
      failed(`A run did not complete: ${stream.slice(-200)}`)
    }
    if (run % 5 === number % 5) {
      await send(base, "GET", `/sessions/${session}?type=agent&user_id=u-${number}`)
      counts.reads++
    }
    if (run % 25 === number % 25) {
      await send(base, "POST", "/knowledge/content", formOf({ name: `u-${number}-${run % 50}`, text_content: text }))
      counts.uploads++
      const query = { type: "application/json", body: JSON.stringify({ query: "When do holidays begin?" }) }
      await send(base, "POST", "/knowledge/search", query)
      counts.searches++
    }
  }
}

/** Bytes of objects, also of unused ones that are not collected yet. */
const heapOf = async ({ base }: Running) => {
  const text = await (await fetch(`${base}/metrics/prometheus`)).text()
  return Number(/^svc_heap_used_bytes (\S+)/m.exec(text)?.[1] ?? Number.NaN)
}

interface Minute {
  readonly memory: number
  /** The least, which is that after a collection. */
  readonly heap: number
  readonly p99: number
}

/** Prints a line for a minute. Its memory is the median of a value for each second. */
const minute = async (service: Running, number: number): Promise<Minute> => {
  delays = []
  counts = { runs: 0, uploads: 0, searches: 0, reads: 0 }
  const cpu = service.cpuSeconds()
  const memories: Array<number> = []
  const heaps: Array<number> = []
  for (let second = 0; second < 60; second++) {
    await pause(1000)
    memories.push(service.residentMemory())
    heaps.push(await heapOf(service))
  }
  const heap = Math.min(...heaps)
  const used = service.cpuSeconds() - cpu
  const late = delays.sort((left, right) => left - right)
  const at = (share: number) => late[Math.min(late.length - 1, Math.floor(late.length * share))] ?? Number.NaN
  const memory = memories.sort((left, right) => left - right)[30] ?? 0
  say(
    `minute ${number}: ${mebibytes(memory)} MiB (heap ${mebibytes(heap)}), ${late.length} words, ${
      at(0.5).toFixed(1)
    } ms late (p50), ` +
      `${at(0.99).toFixed(1)} ms (p99), ${(used / 60 * 100).toFixed(0)} % of a core, ${counts.runs} runs, ` +
      `${counts.uploads} uploads, ${counts.searches} searches, ${counts.reads} reads, ${errors} errors`
  )
  return { memory, heap, p99: at(0.99) }
}

const soak = async (env: Readonly<Record<string, string>>) => {
  const model = await PacedModel.start()
  const service = await start(
    new URL("soakService.ts", import.meta.url).pathname,
    { MODEL: "openai-compatible:paced", OPENAI_BASE_URL: model.url, EMBEDDER: "demo", LOG_LEVEL: "Error", ...env },
    "/ready",
    startFlags
  )
  say(`${values.embedded ? "embedded" : "PostgreSQL"}, ${streams} streams: ${mebibytes(service.residentMemory())} MiB`)
  let isOver = false
  const users = Array.from({ length: streams }, (_, number) => user(service.base, number, () => isOver))
  const seen: Array<Minute> = []
  for (let number = 1; number <= minutes; number++) seen.push(await minute(service, number))
  isOver = true
  await Promise.all(users)
  const [early, late] = [seen[Math.min(4, seen.length - 1)], seen.at(-1)]
  if (early !== undefined && late !== undefined) {
    say(
      `From minute ${Math.min(5, seen.length)} to ${seen.length}: memory ${(late.memory / early.memory).toFixed(3)} ` +
        `times, heap ${(late.heap / early.heap).toFixed(3)} times, p99 ${early.p99.toFixed(1)} and ${
          late.p99.toFixed(1)
        } ms, ${errors} errors ${firstError}`
    )
  }
  await pause(60_000)
  say(`A minute after the end: ${mebibytes(service.residentMemory())} MiB`)
  agent.destroy()
  await service.stop()
  await model.stop()
}

if (values.embedded) {
  const dataDir = mkdtempSync(join(tmpdir(), "svc-soak-"))
  await soak({ DATA_DIR: dataDir }).finally(() => rmSync(dataDir, { recursive: true }))
} else {
  await Effect.runPromise(Effect.scoped(Effect.gen(function*() {
    const postgres = yield* EmbeddedPostgres.make({ durable: true })
    yield* postgres.start
    yield* Effect.promise(() => soak({ DATABASE_URL: Redacted.value(postgres.url) }))
  })))
}
