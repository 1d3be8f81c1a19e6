// What clients cost that do not read their responses: the memory of the service, and the time of `/health` and of a
// small run meanwhile. `npm run bench:responses`; `-- --readers 200 --mixed` reads several endpoints, `--path` one.
import { randomBytes } from "node:crypto"
import { mkdtempSync, rmSync } from "node:fs"
import { connect, type Socket } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { start, startFlags } from "./Process.ts"

const { values } = parseArgs({
  options: {
    mebibytes: { type: "string", default: "30" },
    readers: { type: "string", default: "40" },
    seconds: { type: "string", default: "60" },
    mixed: { type: "boolean", default: false },
    path: { type: "string" }
  }
})

const say = (line: string) => process.stdout.write(`${line}\n`)
const mebibytes = (bytes: number) => `${Math.round(bytes / 1024 / 1024)} MiB`

const dataDir = mkdtempSync(join(tmpdir(), "svc-answers-"))
const service = await start(
  new URL("plainService.ts", import.meta.url).pathname,
  { DATA_DIR: dataDir, MODEL: "fixed", LOG_LEVEL: "Error" },
  "/ready",
  startFlags
)
const port = Number(new URL(service.base).port)

const upload = async (fields: Readonly<Record<string, string>>, bytes: number) => {
  const form = new FormData()
  for (const [name, value] of Object.entries({ message: "hi", stream: "false", background: "true", ...fields })) {
    form.set(name, value)
  }
  form.set("files", new File([randomBytes((bytes * 3) / 4)], "large.pdf", { type: "application/pdf" }))
  const answer = await fetch(`${service.base}/agents/plain/runs`, { method: "POST", body: form })
  await answer.text()
  if (!answer.ok) throw new Error(`An upload was answered with ${answer.status}`)
}

const small = { message: "hi", stream: "false", session_id: "small", run_id: "small" }
const json = (method: string, path: string, body: object) =>
  fetch(service.base + path, { method, headers: { "content-type": "application/json" }, body: JSON.stringify(body) })

/** Waits until the large run is stored with its answer. */
const isCompleted = async () => {
  const answer = await fetch(`${service.base}/agents/plain/runs/large?session_id=s`)
  return answer.ok && (await answer.text()).includes("\"status\":\"COMPLETED\"")
}

const largeRun = "/agents/plain/runs/large?session_id=s"
const mixed = [
  largeRun,
  "/sessions/s",
  "/sessions/s/runs",
  "/sessions/s/runs/large",
  "/agents/plain/runs?session_id=s",
  "/agents/plain/runs/large/events?session_id=s",
  "/sessions?limit=100000",
  "/sessions/many/runs",
  "/sessions/many"
]

const statuses = new Map<string, number>()

/** Sends one request and reads its first line only. It starts anew when its connection is closed. */
const reader = (path: string, over: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const begin = () => {
      if (over.aborted) return resolve()
      const socket: Socket = connect(port, "127.0.0.1", () => {
        socket.write(`GET ${path} HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\n\r\n`)
      })
      socket.once("data", (chunk: Buffer) => {
        const status = /^HTTP\/1.1 (\d+)/.exec(chunk.toString("latin1"))?.[1] ?? "?"
        statuses.set(status, (statuses.get(status) ?? 0) + 1)
        if (status === "200") socket.pause()
        else socket.destroy()
      })
      socket.on("error", () => {})
      socket.once("close", () => setTimeout(begin, 500))
      over.addEventListener("abort", () => socket.destroy(), { once: true })
    }
    begin()
  })

try {
  await upload({ session_id: "s", run_id: "large" }, Number(values.mebibytes) * 1024 * 1024)
  while (!(await isCompleted())) await new Promise((resolve) => setTimeout(resolve, 100))
  await (await fetch(`${service.base}/agents/plain/runs`, { method: "POST", body: new URLSearchParams(small) })).text()
  if (values.mixed) {
    for (let n = 0; n < 60; n++) {
      const body = new URLSearchParams({ message: "m".repeat(400_000), stream: "false", session_id: "many" })
      await (await fetch(`${service.base}/agents/plain/runs`, { method: "POST", body })).text()
    }
    for (let n = 0; n < 40; n++) {
      await (await json("POST", "/sessions?type=agent", { session_state: { text: "x".repeat(900_000) } })).text()
    }
    for (let n = 0; n < 2000; n++) await (await json("POST", "/sessions?type=agent", {})).text()
  }
  const before = service.residentMemory()
  const over = new AbortController()
  const paths = values.path === undefined ? values.mixed ? mixed : [largeRun] : [values.path]
  const readers = Array.from(
    { length: Number(values.readers) },
    (_, n) => reader(paths[n % paths.length] ?? largeRun, over.signal)
  )
  let peak = 0
  const slowest = { health: 0, run: 0 }
  let failures = 0
  const timed = async (name: keyof typeof slowest, path: string) => {
    const at = performance.now()
    const answer = await fetch(service.base + path)
    await answer.text()
    if (!answer.ok) failures++
    slowest[name] = Math.max(slowest[name], performance.now() - at)
  }
  const end = performance.now() + Number(values.seconds) * 1000
  while (performance.now() < end) {
    await timed("health", "/health")
    await timed("run", "/agents/plain/runs/small?session_id=small")
    peak = Math.max(peak, service.residentMemory())
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  over.abort()
  await Promise.all(readers)
  say(
    `${values.readers} clients that do not read ${paths.length} endpoints for ${values.seconds} s: memory ` +
      `${mebibytes(before)}, at most ${mebibytes(peak)}; /health at most ${
        slowest.health.toFixed(0)
      } ms, a small run at ` +
      `most ${slowest.run.toFixed(0)} ms, ${failures} of these failed; answers ` +
      [...statuses].map(([status, count]) => `${count} × ${status}`).join(", ")
  )
} finally {
  await service.stop("SIGKILL")
  rmSync(dataDir, { recursive: true })
}
