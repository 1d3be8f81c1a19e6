// A server in a process of its own: started, waited for, measured, and never left behind.
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { createServer } from "node:net"

export interface Running {
  readonly base: string
  /** Milliseconds from the start of the process to its first good answer. */
  readonly upAfter: number
  /** Bytes. */
  readonly residentMemory: () => number
  /** Seconds of a core that the process has used. */
  readonly cpuSeconds: () => number
  readonly stop: (signal?: NodeJS.Signals) => Promise<void>
}

const started = new Set<ChildProcess>()
process.on("exit", () => {
  for (const child of started) child.kill("SIGKILL")
})

export const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, "127.0.0.1")
  await once(server, "listening")
  const address = server.address()
  server.close()
  await once(server, "close")
  return typeof address === "object" && address !== null ? address.port : 0
}

const answers = async (url: string): Promise<boolean> => {
  try {
    // a server that is just starting may take a connection and never answer on it
    return (await fetch(url, { signal: AbortSignal.timeout(1_000) })).ok
  } catch {
    return false
  }
}

/** Of Linux. */
const ticksPerSecond = 100

/** What a process has used, in its code and in the kernel, and then the same of its children that have ended. */
const ticks = (pid: number): ReadonlyArray<number> =>
  readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ").slice(11, 15).map(Number) ?? []

/** Seconds of a core that a process and its children have used. */
export const cpuSecondsOfTree = (pid: number): number => {
  const all = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").split(" ").filter(Boolean).flatMap((child) => {
    try {
      return ticks(Number(child)).slice(0, 2)
    } catch {
      // it has just ended
      return []
    }
  })
  return [...ticks(pid), ...all].reduce((sum, each) => sum + each, 0) / ticksPerSecond
}

const timeout = 120_000

/** The service that most benchmarks measure. */
export const quickstart = createRequire(import.meta.url).resolve("../../examples/src/quickstart.ts")

/** The flags of `npm start`: a figure is about what a user starts. */
export const startFlags = [
  "--max-semi-space-size=16",
  "--heap-growing-percent=80",
  `--import=${new URL("../../../scripts/bundled.mjs", import.meta.url).href}`
]

export const start = async (
  file: string,
  env: Readonly<Record<string, string>>,
  probe: string,
  flags: ReadonlyArray<string> = []
): Promise<Running> => {
  const port = await freePort()
  const base = `http://127.0.0.1:${port}`
  const at = performance.now()
  const child = spawn(process.execPath, [...flags, file], {
    env: { ...process.env, ...env, PORT: String(port) },
    stdio: ["ignore", "ignore", "pipe"]
  })
  started.add(child)
  let output = ""
  child.stderr.on("data", (chunk: Buffer) => {
    output = (output + chunk.toString()).slice(-4000)
  })
  while (!(await answers(base + probe))) {
    if (child.exitCode !== null || performance.now() - at > timeout) {
      child.kill("SIGKILL")
      throw new Error(`${file} does not answer. Its output:\n${output}`)
    }
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
  return {
    base,
    upAfter: performance.now() - at,
    residentMemory: () => {
      const status = readFileSync(`/proc/${child.pid}/status`, "utf8")
      return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1] ?? 0) * 1024
    },
    cpuSeconds: () => ticks(child.pid ?? 0).slice(0, 2).reduce((sum, each) => sum + each, 0) / ticksPerSecond,
    stop: async (signal = "SIGTERM") => {
      if (child.exitCode === null && child.signalCode === null) {
        child.kill(signal)
        await once(child, "exit")
      }
      started.delete(child)
    }
  }
}
