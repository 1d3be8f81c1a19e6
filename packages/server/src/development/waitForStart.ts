// Before the program of a process: it loads the service, and waits until the program may start.
// @effect-diagnostics processEnv:off asyncFunction:off newPromise:off -- this process has no Effect yet
import { existsSync } from "node:fs"
import { registerHooks } from "node:module"
import { fileURLToPath } from "node:url"
import { versionOf } from "./FileWatch.ts"
import { environmentFile, processMark } from "./processMark.ts"
import type { Report } from "./ProgramProcess.ts"

/** Open runs do not delay a restart, and people read the log. */
const settings = { SHUTDOWN_TIMEOUT: "0 seconds", DRAIN_TIMEOUT: "0 seconds", LOG_FORMAT: "readable" }

/** Files of packages do not change. */
const isOwn = (url: string): boolean => url.startsWith("file:") && !url.includes("/node_modules/")

const report = (message: Report): void => {
  process.send?.(message)
}

export const waitForStart = async (): Promise<void> => {
  registerHooks({
    load: (url, context, next) => {
      const file = isOwn(url) ? fileURLToPath(url) : undefined
      if (file !== undefined) report({ loaded: { file, version: versionOf(file) } })
      return next(url, context)
    }
  })
  // the process that started this one was killed
  process.once("disconnect", () => process.kill(process.pid, "SIGTERM"))
  const started = new Promise((resolve) => process.once("message", resolve))
  report({ isReady: true })
  await import("../index.ts")
  const { onScanned } = await import("@svc-runtime/features/knowledge/LocalFolder")
  onScanned((folder) => report({ folder }))
  await started
  delete process.env[processMark]
  // one process is restarted faster
  process.env["WORKERS"] = "1"
  for (const [name, value] of Object.entries(settings)) process.env[name] ??= value
  if (existsSync(environmentFile)) process.loadEnvFile(environmentFile)
  // the program ends when it has nothing to do, although this process could get messages
  process.channel?.unref()
}
