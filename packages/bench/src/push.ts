// How long a push notification of A2A takes: from the moment at which a subscriber sees a change of a task until its
// receiver has it. The tasks run one after the other, or several at a time with `--concurrency`.
import { randomUUID } from "node:crypto"
import { mkdtempSync, rmSync } from "node:fs"
import { createServer } from "node:http"
import { createRequire } from "node:module"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { parseArgs } from "node:util"
import * as PacedModel from "./PacedModel.ts"
import { start, startFlags } from "./Process.ts"

const { values } = parseArgs({
  options: { tasks: { type: "string", default: "100" }, concurrency: { type: "string", default: "1" } }
})
const tasks = Number(values.tasks)
const concurrency = Number(values.concurrency)

interface StatusUpdate {
  readonly taskId: string
  readonly status: { readonly state: string }
}

interface Item {
  readonly task?: { readonly id: string }
  readonly statusUpdate?: StatusUpdate
}

const keyOf = ({ status, taskId }: StatusUpdate) => `${taskId} ${status.state}`

const end = "TASK_STATE_COMPLETED"

/** The first one is left out if the second one happens before it was sent. */
const states = ["TASK_STATE_WORKING", end]

const delivered = new Map<string, number>()
let onDelivered = () => {}

const receiver = createServer((request, response) => {
  const chunks: Array<Buffer> = []
  request.on("data", (chunk: Buffer) => chunks.push(chunk))
  request.on("end", () => {
    const at = performance.now()
    const { statusUpdate } = JSON.parse(Buffer.concat(chunks).toString()) as Item
    if (statusUpdate !== undefined && !delivered.has(keyOf(statusUpdate))) delivered.set(keyOf(statusUpdate), at)
    response.end()
    onDelivered()
  })
})
await new Promise<void>((resolve) => receiver.listen(0, "127.0.0.1", resolve))
const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/changes`

const DATA_DIR = mkdtempSync(join(tmpdir(), "svc-push-"))
const model = await PacedModel.start()
const running = await start(
  createRequire(import.meta.url).resolve("./plainService.ts"),
  {
    DATA_DIR,
    MODEL: "openai-compatible:paced",
    OPENAI_BASE_URL: model.url,
    LOG_LEVEL: "Warn",
    FETCH_ALLOW: "127.0.0.1"
  },
  "/ready",
  startFlags
)

/** When a subscriber saw each change. */
const seen = new Map<string, number>()

const execute = async () => {
  const response = await fetch(`${running.base}/a2a/agents/plain/message:stream`, {
    method: "POST",
    headers: { "content-type": "application/json", "a2a-version": "1.0" },
    body: JSON.stringify({
      message: { messageId: randomUUID(), role: "ROLE_USER", parts: [{ text: "say 20 every 20" }] },
      configuration: { taskPushNotificationConfig: { url } }
    })
  })
  if (response.status !== 200 || response.body === null) throw new Error(`The service answered ${response.status}`)
  let rest = ""
  for await (const text of response.body.pipeThrough(new TextDecoderStream())) {
    const at = performance.now()
    const frames = (rest + text).split("\n\n")
    rest = frames.pop() ?? ""
    for (const frame of frames) {
      if (!frame.startsWith("data: ")) continue
      const { statusUpdate } = JSON.parse(frame.slice("data: ".length)) as Item
      if (statusUpdate !== undefined && !seen.has(keyOf(statusUpdate))) seen.set(keyOf(statusUpdate), at)
    }
  }
}

const executeAll = async (count: number) => {
  let left = count
  const worker = async () => {
    while (left-- > 0) await execute()
  }
  await Promise.all(Array.from({ length: concurrency }, worker))
}

const arrived = (count: number) =>
  new Promise<void>((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`Not all of ${count} ends were delivered`)), 60_000)
    onDelivered = () => {
      if ([...delivered.keys()].filter((key) => key.endsWith(end)).length < count) return
      clearTimeout(timer)
      resolve()
    }
    onDelivered()
  })

const measure = async (count: number) => {
  delivered.clear()
  seen.clear()
  await executeAll(count)
  await arrived(count)
}

await measure(10)
await measure(tasks)
for (const state of states) {
  const times = [...seen].filter(([key]) => key.endsWith(state) && delivered.has(key))
    .map(([key, at]) => (delivered.get(key) ?? at) - at).sort((left, right) => left - right)
  const at = (part: number) => (times[Math.floor(times.length * part)] ?? Number.NaN).toFixed(1)
  process.stdout.write(
    `${state.padEnd(22)} ${times.length} of ${tasks} delivered, after ${at(0.5)} ms (median), ${at(0.95)} ms (95 %), ` +
      `${times.at(-1)?.toFixed(1)} ms (slowest)\n`
  )
}
await running.stop("SIGKILL")
await model.stop()
receiver.close()
receiver.closeAllConnections()
rmSync(DATA_DIR, { recursive: true })
