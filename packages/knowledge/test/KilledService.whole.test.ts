import { assert, describe, it } from "@effect/vitest"
import { Effect, Schedule } from "effect"
import { execFileSync, spawn } from "node:child_process"
import { once } from "node:events"
import { join } from "node:path"

/** A process that ended stays as a zombie until its parent asks for its end. */
const isRunning = (pid: string) => {
  try {
    return !execFileSync("ps", ["-o", "stat=", "-p", pid], { encoding: "utf8" }).trim().startsWith("Z")
  } catch {
    return false
  }
}

describe("a service that is killed", () => {
  it.live("a killed service leaves no reader process, also not one that is reading", () =>
    Effect.gen(function*() {
      const file = join(import.meta.dirname, "fixtures", "reading.ts")
      const service = spawn(process.execPath, [file], { stdio: ["ignore", "pipe", "inherit"] })
      yield* Effect.promise(() => once(service.stdout, "data"))
      const reader = execFileSync("pgrep", ["-P", String(service.pid)], { encoding: "utf8" }).trim()
      assert.isTrue(isRunning(reader))
      service.kill("SIGKILL")
      yield* Effect.sync(() => isRunning(reader)).pipe(
        Effect.repeat({ until: (running) => !running, schedule: Schedule.spaced("50 millis") })
      )
    }))
})
