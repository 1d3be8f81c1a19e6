// Measures the runs of other callers before and while small messages are sent into a session with three uploads in its
// history: `npm run bench:isolation`.
import { randomBytes } from "node:crypto"
import { mkdtempSync, rmSync } from "node:fs"
import { createRequire } from "node:module"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { parseArgs } from "node:util"
import * as Load from "./Load.ts"
import { start, startFlags } from "./Process.ts"

const { values } = parseArgs({
  options: {
    seconds: { type: "string", default: "10" },
    mebibytes: { type: "string", default: "40" },
    agent: { type: "string", default: "assistant" }
  }
})
const { agent } = values

const say = (line: string) => process.stdout.write(`${line}\n`)

const dataDir = mkdtempSync(join(tmpdir(), "svc-isolation-"))
const service = await start(
  createRequire(import.meta.url).resolve("../../examples/src/quickstart.ts"),
  { DATA_DIR: dataDir, MODEL: "fixed", LOG_LEVEL: "Error" },
  "/ready",
  startFlags
)

const post = async (fields: Readonly<Record<string, string>>, file?: File) => {
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) form.set(name, value)
  if (file !== undefined) form.set("files", file)
  const answer = await fetch(`${service.base}/agents/${agent}/runs`, { method: "POST", body: form })
  await answer.text()
  return answer.status
}

const heavy = { message: "hi", stream: "false", session_id: "heavy" }

/** With the runs for each second of processor time, which other programs of the machine do not change much. */
const innocent = async () => {
  const before = service.cpuSeconds()
  const seen = await innocentLoad()
  return { ...seen, perCpuSecond: (seen.perSecond * Number(values.seconds)) / (service.cpuSeconds() - before) }
}

const innocentLoad = () =>
  Load.run(service.base, {
    connections: 4,
    seconds: Number(values.seconds),
    one: (send, index) =>
      send(
        "POST",
        `/agents/${agent}/runs`,
        Load.formOf({ message: "hi", stream: "false", session_id: `innocent-${index}` })
      )
  })

try {
  const file = new File([randomBytes(Number(values.mebibytes) * 1024 * 1024)], "large.pdf", { type: "application/pdf" })
  for (let n = 0; n < 3; n++) say(`upload of ${values.mebibytes} MiB: ${await post(heavy, file)}`)
  // the first runs compile the code
  await innocent()
  const before = await innocent()
  say(`undisturbed: ${before.perSecond.toFixed(0)} runs/s, ${before.errors} refused`)
  const beside = async (what: string, once: () => Promise<number>) => {
    const over = new AbortController()
    const statuses: Array<number> = []
    const hammer = (async () => {
      while (!over.signal.aborted) statuses.push(await once())
    })()
    const during = await innocent()
    over.abort()
    await hammer
    const share = (100 * during.perSecond) / before.perSecond
    const cpuShare = (100 * during.perCpuSecond) / before.perCpuSecond
    say(
      `beside ${what}: ${during.perSecond.toFixed(0)} runs/s (${share.toFixed(0)} %; ${
        cpuShare.toFixed(0)
      } % of the processor time), ` +
        `${during.errors} refused` +
        `${during.firstError === undefined ? "" : ` (${during.firstError})`}; it had ${statuses.length} answers, ` +
        `${statuses.filter((status) => status !== 200).length} refused`
    )
  }
  const runIn = (session_id: string) => () => post({ ...heavy, session_id })
  const read = (session_id: string) => async () => {
    const answer = await fetch(`${service.base}/sessions/${session_id}`)
    await answer.arrayBuffer()
    return answer.status
  }
  // a session without uploads takes a share as well: the difference between the two is what the uploads cost
  await beside("runs in a light session", runIn("light"))
  await beside("runs in a heavy session", runIn("heavy"))
  await beside("reads of a light session", read("light"))
  await beside("reads of a heavy session", read("heavy"))
} finally {
  await service.stop()
  rmSync(dataDir, { recursive: true })
}
