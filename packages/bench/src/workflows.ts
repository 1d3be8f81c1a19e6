// What a workflow costs with its journal on PostgreSQL, where a commit waits for the disk: per step, for rows of 10 to
// 1,000 steps, and beyond its slowest branch for twenty at once. `npm run bench:workflows`.
import * as EmbeddedPostgres from "@svc-runtime/test-support/EmbeddedPostgres"
import { Effect, Redacted } from "effect"
import { parseArgs } from "node:util"
import { formOf, run } from "./Load.ts"
import { start, startFlags } from "./Process.ts"

const { values } = parseArgs({ options: { seconds: { type: "string", default: "5" } } })
const seconds = Number(values.seconds)

const say = (line: string) => process.stdout.write(`${line}\n`)

/** One run after the other. */
const measure = async (base: string, workflow: string) => {
  const form = formOf({ message: "go", stream: "false" })
  const figures = await run(base, {
    connections: 1,
    seconds,
    one: (send) => send("POST", `/workflows/${workflow}/runs`, form),
    isGood: ({ text }) => text.includes(`"status":"COMPLETED"`)
  })
  if (figures.errors > 0) throw new Error(`${workflow}: ${figures.firstError}`)
  return figures
}

const ms = (value: number) => `${value.toFixed(1)} ms`

const measureAll = async (url: string) => {
  const service = await start(
    new URL("./workflowService.ts", import.meta.url).pathname,
    { DATABASE_URL: url, MODEL: "fixed", LOG_LEVEL: "Warn" },
    "/ready",
    startFlags
  )
  for (const steps of [10, 100, 1000]) {
    const { p50, p99 } = await measure(service.base, `steps-${steps}`)
    say(`${`${steps} steps`.padStart(12)}  p50 ${ms(p50)}, p99 ${ms(p99)}, ${ms(p50 / steps)} a step`)
  }
  const { p50, p99 } = await measure(service.base, "branches-20")
  say(`${"20 branches".padStart(12)}  p50 ${ms(p50)}, p99 ${ms(p99)}, ${ms(p50 - 100)} beyond the slowest, of 100 ms`)
  await service.stop()
}

const program = Effect.gen(function*() {
  const postgres = yield* EmbeddedPostgres.make({ durable: true })
  yield* postgres.start
  yield* Effect.promise(() => measureAll(Redacted.value(postgres.url)))
})

await Effect.runPromise(Effect.scoped(program))
