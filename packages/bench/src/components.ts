// What a stored component costs: runs of a stored agent, team and workflow beside runs of the same ones in code.
// `npm run bench:components`.
import * as EmbeddedPostgres from "@svc-runtime/test-support/EmbeddedPostgres"
import { Effect, Redacted } from "effect"
import { parseArgs } from "node:util"
import { start, startFlags } from "./Process.ts"
import { inTurns } from "./Turns.ts"

const { values } = parseArgs({
  options: { seconds: { type: "string", default: "20" } }
})
const seconds = Number(values.seconds)
const [warmUp, goal] = [5_000, 300]

const say = (line: string) => process.stdout.write(`${line}\n`)

const stored: ReadonlyArray<readonly [path: string, body: object]> = [
  ["/agents", { name: "stored-agent", model: "fixed" }],
  ["/teams", { name: "stored-team", model: "fixed", members: [{ type: "agent", agent_id: "stored-agent" }] }],
  ["/workflows", { name: "stored-workflow", steps: [{ name: "s", agent_id: "stored-agent" }] }]
]

const store = async (base: string) => {
  for (const [path, body] of stored) {
    const headers = { "content-type": "application/json" }
    const answer = await fetch(`${base}${path}`, { method: "POST", headers, body: JSON.stringify(body) })
    if (answer.status !== 201) throw new Error(`${path}: ${answer.status} ${await answer.text()}`)
  }
}

const program = Effect.gen(function*() {
  const postgres = yield* EmbeddedPostgres.make()
  yield* postgres.start
  const env = { DATABASE_URL: Redacted.value(postgres.url), LOG_LEVEL: "Warn" }
  const file = new URL("./componentService.ts", import.meta.url).pathname
  yield* Effect.promise(async () => {
    const service = await start(file, env, "/ready", startFlags)
    await store(service.base)
    for (const kind of ["agent", "team", "workflow"]) {
      say(`\nA run of each ${kind}, one connection, PostgreSQL (goal: less than ${goal} µs more)`)
      const runs = ["code", "stored"].map((name) => ({ name, path: `/${kind}s/${name}-${kind}` }))
      await inTurns({ base: service.base, runs, fields: { message: "hi", stream: "false" }, seconds, warmUp, say })
    }
    await service.stop()
  })
})

await Effect.runPromise(Effect.scoped(program))
