// Measures the runs of other callers alone, and beside a caller who uses one session without a pause:
// `npm run bench:isolation`. One more caller takes a share of the machine in any case. So the figure is the rate beside
// a session with large uploads, as a share of the rate beside a session without: what the uploads cost. With `-- --keys
// 500` the heavy session has a state of this many keys instead of uploads, and each of its runs changes one of them;
// `--characters` is the length of a value.
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
    seconds: { type: "string", default: "4" },
    rounds: { type: "string", default: "6" },
    mebibytes: { type: "string", default: "40" },
    keys: { type: "string" },
    characters: { type: "string", default: "9" },
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

const runIn = (session_id: string, file?: File) => post({ message: "hi", stream: "false", session_id }, file)

const keys = Number(values.keys ?? 0)
let changes = 0

const runInHeavy = () => {
  const change = { [`key-${changes++ % keys}`]: `value ${changes}`.padEnd(Number(values.characters), "x") }
  return keys === 0
    ? runIn("heavy")
    : post({ message: "hi", stream: "false", session_id: "heavy", session_state: JSON.stringify(change) })
}

const fillState = async (session_id: string) => {
  const state = Object.fromEntries(
    Array.from(
      { length: keys },
      (_, index) => [`key-${index}`, `value ${index}`.padEnd(Number(values.characters), "x")]
    )
  )
  const fields = { message: "hi", stream: "false", session_id, session_state: JSON.stringify(state) }
  say(`state of ${keys} keys: ${await post(fields)}`)
}

const readOf = async (session_id: string) => {
  const answer = await fetch(`${service.base}/sessions/${session_id}`)
  await answer.arrayBuffer()
  return answer.status
}

const connections = 4
let loads = 0

/** Runs in new sessions. Other programs of the machine change their number by processor time less than their rate. */
const innocent = (): Promise<Load.Figures> => {
  const name = `innocent-${loads++}`
  return Load.run(service.base, {
    connections,
    seconds: Number(values.seconds),
    warmUp: 300,
    cpuSeconds: service.cpuSeconds,
    one: (send, index) =>
      send(
        "POST",
        `/agents/${agent}/runs`,
        Load.formOf({ message: "hi", stream: "false", session_id: `${name}-${index}` })
      )
  })
}

interface Round {
  readonly perSecond: number
  readonly perCpuSecond: number
}

interface Case {
  readonly title: string
  /** What the other caller does again and again. */
  readonly once?: () => Promise<number>
  readonly rounds: Array<Round>
  refused: number
  /** Of the other caller. */
  answers: number
  answersRefused: number
}

const makeCase = (title: string, once?: () => Promise<number>): Case => ({
  title,
  ...(once === undefined ? {} : { once }),
  rounds: [],
  refused: 0,
  answers: 0,
  answersRefused: 0
})

const measure = async (one: Case) => {
  const over = new AbortController()
  const hammer = (async () => {
    while (one.once !== undefined && !over.signal.aborted) {
      one.answers++
      if (await one.once() !== 200) one.answersRefused++
    }
  })()
  const seen = await innocent()
  over.abort()
  await hammer
  one.refused += seen.errors
  if (seen.firstError !== undefined) say(`${one.title}: ${seen.firstError}`)
  one.rounds.push({ perSecond: seen.perSecond, perCpuSecond: 1e6 / seen.cpuMicros })
}

const sorted = (numbers: ReadonlyArray<number>) => numbers.toSorted((left, right) => left - right)
const median = (numbers: ReadonlyArray<number>) => sorted(numbers)[Math.floor(numbers.length / 2)] ?? Number.NaN

/** Of each round, whose measurements follow each other: the median, and the range of the middle half. */
const share = (one: Case, other: Case, key: keyof Round): string => {
  const shares = sorted(one.rounds.map((round, index) => 100 * round[key] / (other.rounds[index]?.[key] ?? Number.NaN)))
  const quarter = Math.floor(shares.length / 4)
  const [low = Number.NaN, high = Number.NaN] = [shares[quarter], shares[shares.length - 1 - quarter]]
  return `${median(shares).toFixed(0)} % (${low.toFixed(0)} to ${high.toFixed(0)})`
}

const alone = makeCase("alone")
const lightRuns = makeCase("beside runs in a light session", () => runIn("light"))
const heavyRuns = makeCase("beside runs in a heavy session", runInHeavy)
const lightReads = makeCase("beside reads of a light session", () => readOf("light-read"))
const heavyReads = makeCase("beside reads of a heavy session", () => readOf("heavy-read"))
const cases = [alone, lightRuns, heavyRuns, lightReads, heavyReads]

try {
  const file = new File([randomBytes(Number(values.mebibytes) * 1024 * 1024)], "large.pdf", { type: "application/pdf" })
  if (keys > 0) { for (const session of ["heavy", "heavy-read"]) await fillState(session) }
  for (let n = 0; n < 3; n++) {
    if (keys === 0) {
      say(`upload of ${values.mebibytes} MiB: ${await runIn("heavy", file)}, ${await runIn("heavy-read", file)}`)
    }
    await runIn("light")
    await runIn("light-read")
  }
  // the first runs compile the code
  for (let n = 0; n < 3; n++) await innocent()
  // in turns, in both orders: the database grows, and the machine is not the same all the time
  for (let n = 0; n < Number(values.rounds); n++) {
    for (const one of n % 2 === 0 ? cases : cases.toReversed()) await measure(one)
  }
  for (const one of cases) {
    say(
      `${one.title}: ${median(one.rounds.map(({ perSecond }) => perSecond)).toFixed(0)} runs/s, ` +
        `${one.refused} refused` +
        (one === alone
          ? ""
          : `; ${share(one, alone, "perSecond")} of the rate alone; the other caller had ${one.answers} answers, ` +
            `${one.answersRefused} refused`)
    )
  }
  say(
    `an equal share for each of ${connections + 1} connections: ${(100 * connections / (connections + 1)).toFixed(0)} %`
  )
  for (const [what, heavy, light] of [["runs", heavyRuns, lightRuns], ["reads", heavyReads, lightReads]] as const) {
    say(
      `${what} in a heavy session instead of a light one: ${share(heavy, light, "perSecond")} of the rate, ` +
        `${share(heavy, light, "perCpuSecond")} for each second of processor time`
    )
  }
} finally {
  await service.stop()
  rmSync(dataDir, { recursive: true })
}
