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

const innocent = () =>
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
  const before = await innocent()
  say(`undisturbed: ${before.perSecond.toFixed(0)} runs/s, ${before.errors} refused`)
  const beside = async (session_id: string) => {
    const over = new AbortController()
    const statuses: Array<number> = []
    const hammer = (async () => {
      while (!over.signal.aborted) statuses.push(await post({ ...heavy, session_id }))
    })()
    const during = await innocent()
    over.abort()
    await hammer
    const share = (100 * during.perSecond) / before.perSecond
    say(
      `beside a ${session_id} session: ${during.perSecond.toFixed(0)} runs/s (${
        share.toFixed(0)
      } %), ${during.errors} refused` +
        `${
          during.firstError === undefined ? "" : ` (${during.firstError})`
        }; ${statuses.length} runs in that session, ` +
        `${statuses.filter((status) => status !== 200).length} refused`
    )
  }
  // a session without uploads takes a share as well: the difference between the two is what the uploads cost
  await beside("light")
  await beside("heavy")
} finally {
  await service.stop()
  rmSync(dataDir, { recursive: true })
}
