// Starts a program that serves in a process of its own, on a free port and with an empty database.
import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"

export interface Service {
  readonly url: string
  readonly stop: () => Promise<void>
}

export const start = async (file: string): Promise<Service> => {
  const data = mkdtempSync(join(tmpdir(), "svc-project-"))
  const child = spawn(process.execPath, [join(import.meta.dirname, file)], {
    env: { ...process.env, PORT: "0", DATA_DIR: data, LOG_FORMAT: "json" },
    stdio: ["ignore", "ignore", "pipe"]
  })
  const stop = async () => {
    if (child.exitCode === null && child.kill()) await once(child, "exit")
    rmSync(data, { recursive: true, force: true })
  }
  const lines: Array<string> = []
  for await (const line of createInterface({ input: child.stderr })) {
    lines.push(line)
    const url = /answers on (http:\/\/[^\s"(]+)/.exec(line)?.[1]
    if (url !== undefined) {
      child.stderr.resume()
      return { url, stop }
    }
  }
  await stop()
  throw new Error(`The service ended:\n${lines.join("\n")}`)
}
