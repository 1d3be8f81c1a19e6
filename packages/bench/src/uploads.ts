// What uploads cost: the memory of the service, and how long `/health` takes meanwhile. With the
// argument `--background` it measures without the answers, which repeat the file.
import { randomBytes } from "node:crypto"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { type Running, start, startFlags } from "./Process.ts"

const { values } = parseArgs({
  options: {
    mebibytes: { type: "string", default: "60" },
    together: { type: "string", default: "8" },
    background: { type: "boolean", default: false }
  }
})
const size = Number(values.mebibytes) * 1024 * 1024

const say = (line: string) => process.stdout.write(`${line}\n`)
const mebibytes = (bytes: number) => `${Math.round(bytes / 1024 / 1024)} MiB`

const dataDir = mkdtempSync(join(tmpdir(), "svc-uploads-"))
const file = new File([randomBytes(size)], "large.pdf", { type: "application/pdf" })

const upload = async (base: string) => {
  const form = new FormData()
  form.set("message", "hi")
  form.set("stream", "false")
  form.set("background", String(values.background))
  form.set("files", file)
  const answer = await fetch(`${base}/agents/plain/runs`, { method: "POST", body: form })
  const body = await answer.text()
  return answer.ok ? String(answer.status) : `${answer.status} ${body.slice(0, 120)}`
}

/** The least of three seconds: what starting has left is collected meanwhile. */
const settledMemory = async ({ residentMemory }: Running) => {
  let least = Number.POSITIVE_INFINITY
  for (let n = 0; n < 30; n++) {
    least = Math.min(least, residentMemory())
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  return least
}

const service = await start(
  new URL("plainService.ts", import.meta.url).pathname,
  { DATA_DIR: dataDir, MODEL: "fixed", LOG_LEVEL: "Error" },
  "/ready",
  startFlags
)
try {
  let peak = 0
  let slowest = 0
  const over = new AbortController()
  const watching = (async () => {
    while (!over.signal.aborted) {
      const at = performance.now()
      await fetch(`${service.base}/health`)
      slowest = Math.max(slowest, performance.now() - at)
      peak = Math.max(peak, service.residentMemory())
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
  })()
  for (const together of [1, Number(values.together)]) {
    const before = await settledMemory(service)
    peak = 0
    slowest = 0
    const statuses = await Promise.all(Array.from({ length: together }, () => upload(service.base)))
    say(
      `${together} of ${mebibytes(size)} at once: ${statuses.join(" ")}; memory ${mebibytes(before)}, at most ` +
        `${mebibytes(peak)} (${((peak - before) / size).toFixed(1)} times one upload); /health at most ${
          slowest.toFixed(0)
        } ms`
    )
  }
  over.abort()
  await watching
} finally {
  await service.stop()
  rmSync(dataDir, { recursive: true })
}
