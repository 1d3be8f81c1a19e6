// What a streamed run costs on the wire of each protocol, against the same run on the HTTP API: the processor time of
// the service for a run, and the time until the first bytes. The wires take turns, so that the machine is the same.
import { randomUUID } from "node:crypto"
import { mkdtempSync, rmSync } from "node:fs"
import { createRequire } from "node:module"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { parseArgs } from "node:util"
import * as PacedModel from "./PacedModel.ts"
import { type Running, start, startFlags } from "./Process.ts"

const { values } = parseArgs({
  options: { runs: { type: "string", default: "40" }, words: { type: "string", default: "400" } }
})
const rounds = Number(values.runs)
const words = Number(values.words)

const service = createRequire(import.meta.url).resolve("./plainService.ts")

const say = (line: string) => process.stdout.write(`${line}\n`)

const id = () => randomUUID()
const text = `say ${words} every 1`

interface Wire {
  readonly name: string
  readonly request: () => readonly [path: string, body: object]
}

const message = { id: "m", role: "user", content: text, parts: [{ type: "text", text }] }

const wires: ReadonlyArray<Wire> = [
  { name: "HTTP API", request: () => ["/agents/plain/runs", { message: text, session_id: id() }] },
  {
    name: "AG-UI",
    request: () => ["/agents/plain/agui", { threadId: id(), runId: id(), protocolVersion: "1.0", messages: [message] }]
  },
  { name: "UI message stream", request: () => ["/agents/plain/chat", { id: id(), messages: [message] }] },
  {
    name: "OpenAI completions",
    request: () => [
      "/v1/chat/completions",
      { model: "plain", stream: true, messages: [{ role: "user", content: text }] }
    ]
  },
  { name: "OpenAI responses", request: () => ["/v1/responses", { model: "plain", stream: true, input: text }] },
  {
    name: "A2A",
    request: () => [
      "/a2a/agents/plain/message:stream",
      { message: { messageId: id(), contextId: id(), role: "ROLE_USER", parts: [{ text }] } }
    ]
  }
]

/** Milliseconds until the first bytes. */
const execute = async ({ base }: Running, { request }: Wire): Promise<number> => {
  const [path, body] = request()
  const since = performance.now()
  const response = await fetch(`${base}${path}`, {
    method: "POST",
    headers: { "content-type": "application/json", "a2a-version": "1.0" },
    body: JSON.stringify(body)
  })
  const reader = response.body?.getReader()
  if (response.status !== 200 || reader === undefined) throw new Error(`${path}: ${response.status}`)
  await reader.read()
  const first = performance.now() - since
  while (!(await reader.read()).done);
  return first
}

interface Figures {
  readonly cpu: Array<number>
  readonly first: Array<number>
}

const median = (values: ReadonlyArray<number>): number => values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0

const measure = async (running: Running, figures: ReadonlyArray<Figures>) => {
  for (let round = 0; round < rounds; round++) {
    for (let offset = 0; offset < wires.length; offset++) {
      const place = (round + offset) % wires.length
      const wire = wires[place]
      if (wire === undefined) continue
      const before = running.cpuSeconds()
      const first = await execute(running, wire)
      figures[place]?.first.push(first)
      figures[place]?.cpu.push((running.cpuSeconds() - before) * 1000)
    }
  }
}

const none = () => wires.map((): Figures => ({ cpu: [], first: [] }))

const DATA_DIR = mkdtempSync(join(tmpdir(), "svc-protocols-"))
const model = await PacedModel.start()
const running = await start(
  service,
  { DATA_DIR, MODEL: "openai-compatible:paced", OPENAI_BASE_URL: model.url, LOG_LEVEL: "Warn" },
  "/ready",
  startFlags
)
// before, compiling its code is a large part of a run
await measure(running, none())
const figures = none()
await measure(running, figures)
const [native] = figures
const mean = (values: ReadonlyArray<number>) => values.reduce((sum, each) => sum + each, 0) / values.length
const cpuOf = ({ cpu }: Figures) => mean(cpu)

/** The standard error of the difference to the same rounds of the HTTP API, as a part of its processor time. */
const errorOf = ({ cpu }: Figures, native: Figures) => {
  const differences = cpu.map((each, round) => each - (native.cpu[round] ?? each))
  const middle = mean(differences)
  return Math.sqrt(mean(differences.map((each) => (each - middle) ** 2)) / differences.length) / cpuOf(native)
}
for (const [place, { name }] of wires.entries()) {
  const own = figures[place] ?? { cpu: [], first: [] }
  const more = native === undefined ? 0 : (cpuOf(own) / cpuOf(native) - 1) * 100
  const error = native === undefined ? 0 : errorOf(own, native) * 100
  const later = native === undefined ? 0 : median(own.first) - median(native.first)
  say(
    `${name.padEnd(20)} ${cpuOf(own).toFixed(1)} ms of a core for a run of ${words} words (${more.toFixed(1)} ± ${
      error.toFixed(1)
    } %), ` +
      `first bytes after ${median(own.first).toFixed(1)} ms (${later.toFixed(1)} ms later)`
  )
}
await running.stop("SIGKILL")
await model.stop()
rmSync(DATA_DIR, { recursive: true })
