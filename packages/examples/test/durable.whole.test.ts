// The durable example, as a person sees it who starts it.
import { assert, describe, it } from "@effect/vitest"
import { ServiceProcess } from "@svc-runtime/test-support"
import { Effect } from "effect"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { fileURLToPath } from "node:url"

const file = fileURLToPath(new URL("../src/durable.ts", import.meta.url))

const started = Effect.acquireRelease(
  Effect.sync(() =>
    spawn(process.execPath, [file], {
      env: { ...ServiceProcess.environment(), STEP_MILLIS: "300" },
      // a group of its own, which ends with the service that it has started
      detached: true,
      stdio: ["ignore", "pipe", "inherit"]
    })
  ),
  ({ exitCode, pid }) =>
    Effect.sync(() => exitCode === null && pid !== undefined ? process.kill(-pid, "SIGKILL") : undefined)
)

const shown = Effect.gen(function*() {
  const child = yield* started
  let text = ""
  child.stdout.setEncoding("utf8").on("data", (piece: string) => (text += piece))
  const [code] = yield* Effect.promise(() => once(child, "close"))
  return { code: code as number, text }
})

describe("durable", () => {
  it.live("the stream continues without a gap after the service was killed", () =>
    Effect.gen(function*() {
      const { code, text } = yield* shown
      assert.strictEqual(code, 0, text)
      const [before, after] = text.split(/kill -9 \d+/) as [string, string]
      const events = (part: string) =>
        [...part.matchAll(/^ +(\d+) {2}(\w+)$/gm)].map(([, id, event]) => [Number(id), event])
      const all = [...events(before), ...events(after)]
      assert.deepStrictEqual(all.map(([id]) => id), all.map((_, index) => index))
      assert.strictEqual(events(before).at(-1)?.[1], "ToolCallStarted")
      assert.strictEqual(events(after)[0]?.[1], "RunContinued")
      assert.strictEqual(events(after).at(-1)?.[1], "RunCompleted")
      assert.include(after, "The water stands at 2.31 m.")
    }))
})
