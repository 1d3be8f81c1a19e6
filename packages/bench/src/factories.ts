// What a factory costs beyond its own work: resolving it by itself, and runs of an agent from a factory beside runs of
// the same agent as it is. `npm run bench:factories`.
import type * as AgentFactory from "@svc-runtime/agents/agent/define/AgentFactory"
import { untrusted } from "@svc-runtime/agents/factory/FactoryContext"
import * as FactoryInput from "@svc-runtime/agents/factory/FactoryInput"
import { FactoryResolver } from "@svc-runtime/agents/factory/FactoryResolver"
import * as EmbeddedPostgres from "@svc-runtime/test-support/EmbeddedPostgres"
import { Effect, Redacted } from "effect"
import { parseArgs } from "node:util"
import * as Factories from "./FactoryService.ts"
import { start, startFlags } from "./Process.ts"
import { inTurns, median } from "./Turns.ts"

const { values } = parseArgs({
  options: { seconds: { type: "string", default: "20" } }
})
const seconds = Number(values.seconds)
/** Milliseconds. */
const warmUp = 5_000

const say = (line: string) => process.stdout.write(`${line}\n`)
const input = JSON.stringify({ tenant: "acme", seats: 7 })
const times = 20_000

const resolving = Effect.fnUntraced(function*(name: string, factory: AgentFactory.AgentFactory) {
  const resolver = yield* FactoryResolver
  const request = { userId: null, sessionId: null, trusted: untrusted, request: null, input: FactoryInput.text(input) }
  const once = Effect.scoped(resolver.resolve(factory, request))
  const round = Effect.gen(function*() {
    const started = performance.now()
    for (let n = 0; n < times; n++) yield* once
    return (performance.now() - started) * 1000 / times
  })
  yield* round
  const figures = [yield* round, yield* round, yield* round]
  say(`  ${name.padEnd(44)} ${median(figures).toFixed(1).padStart(6)} µs`)
})

const ids = ["ready", "value", "checked", "closing", "unkept"] as const

const program = Effect.gen(function*() {
  say(`Resolving a factory, median of 3 times ${times.toLocaleString("en")}`)
  yield* resolving("that gives a value", Factories.value)
  yield* resolving("that gives a promise", Factories.promise)
  yield* resolving("that gives an Effect", Factories.effect)
  yield* resolving("whose input is checked", Factories.checked)
  yield* resolving("whose input is checked, with something to close", Factories.closing)

  const postgres = yield* EmbeddedPostgres.make()
  yield* postgres.start
  const env = { DATABASE_URL: Redacted.value(postgres.url), LOG_LEVEL: "Warn" }
  const file = new URL("./FactoryService.ts", import.meta.url).pathname
  yield* Effect.promise(async () => {
    const service = await start(file, env, "/ready", startFlags)
    for (const stream of [false, true]) {
      say(`\nA ${stream ? "streamed " : ""}run, one connection, PostgreSQL`)
      await inTurns({
        base: service.base,
        runs: ids.map((id) => ({ name: id, path: `/agents/${id}` })),
        fields: { message: "hi", stream: String(stream), factory_input: input },
        seconds,
        warmUp,
        say
      })
    }
    await service.stop()
  })
})

await Effect.runPromise(program.pipe(Effect.provide(FactoryResolver.layer({ timeout: "30 seconds" })), Effect.scoped))
