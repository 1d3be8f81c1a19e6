// What traces cost: runs with spans that are sent to a collector, against runs without, in turns; and the memory of a
// service whose collector never answers. `npm run bench:traces`, `-- --seconds 10 --rounds 5` for steadier figures.
import * as EmbeddedPostgres from "@svc-runtime/test-support/EmbeddedPostgres"
import { Effect, Redacted } from "effect"
import { once } from "node:events"
import { createServer } from "node:http"
import { parseArgs } from "node:util"
import { type Figures, run } from "./Load.ts"
import { type Running, start, startFlags } from "./Process.ts"
import * as Rounds from "./Rounds.ts"
import { runs } from "./scenarios.ts"

const { values } = parseArgs({
  options: { seconds: { type: "string", default: "5" }, rounds: { type: "string", default: "3" } }
})
const [seconds, rounds] = [Number(values.seconds), Number(values.rounds)]

const say = (line: string) => process.stdout.write(`${line}\n`)

const collector = async (answers: boolean) => {
  let bytes = 0
  const server = createServer((incoming, response) => {
    incoming.on("data", (chunk: Buffer) => (bytes += chunk.length))
    incoming.on("end", () => answers ? response.writeHead(200).end() : undefined)
  }).listen(0, "127.0.0.1")
  await once(server, "listening")
  const address = server.address()
  const port = typeof address === "object" && address !== null ? address.port : 0
  return { url: `http://127.0.0.1:${port}`, bytes: () => bytes, close: () => server.closeAllConnections() }
}

const serve = (databaseUrl: string, env: Readonly<Record<string, string>>) =>
  start(
    new URL("./plainService.ts", import.meta.url).pathname,
    { DATABASE_URL: databaseUrl, MODEL: "fixed", LOG_LEVEL: "Error", ...env },
    "/ready",
    startFlags
  )

const load = ({ base, cpuSeconds }: Running, warmUpRequests: number) =>
  run(base, { ...runs(20, seconds, "plain"), cpuSeconds, warmUpRequests })

const row = (name: string, { cpuMicros, errors, p50, perSecond }: Figures) =>
  say(
    `${name.padEnd(40)} ${perSecond.toFixed(0).padStart(6)} run/s ${p50.toFixed(2).padStart(8)} ms ` +
      `${cpuMicros.toFixed(0).padStart(6)} us${errors === 0 ? "" : ` ERRORS ${errors}`}`
  )

/** Runs before the first measure: the compiler has optimized their path then. */
const warmUp = 12_000

const compare = async (databaseUrl: string) => {
  const { bytes, close, url } = await collector(true)
  const env = { OTEL_EXPORTER_OTLP_ENDPOINT: url }
  const content = { ...env, OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: "true" }
  const [plain = [], ...traced] = await Rounds.run(
    [
      { name: "without traces", start: () => serve(databaseUrl, {}) },
      { name: "with traces", start: () => serve(databaseUrl, env) },
      { name: "with traces and content", start: () => serve(databaseUrl, content) }
    ],
    rounds,
    async (service, name) => {
      const found = await load(service, warmUp)
      row(name, found)
      return found
    }
  )
  for (const [place, figures] of traced.entries()) {
    const [rate, cpu] = [Rounds.ratio(figures, plain, "perSecond"), Rounds.ratio(figures, plain, "cpuMicros")]
    const name = place === 0 ? "with traces" : "with traces and content"
    say(`${name}: ${rate.toFixed(3)} of the rate, ${cpu.toFixed(3)} times the processor time`)
  }
  say(`the collector got ${(bytes() / 1024 / 1024).toFixed(0)} MiB`)
  close()
}

const silent = async (databaseUrl: string) => {
  const { close, url } = await collector(false)
  const memory: Array<number> = []
  for (const env of [{}, { OTEL_EXPORTER_OTLP_ENDPOINT: url }]) {
    const service = await serve(databaseUrl, env)
    await load(service, warmUp)
    for (let round = 0; round < rounds; round++) await load(service, 0)
    memory.push(service.residentMemory() / 1024 / 1024)
    await service.stop()
  }
  const [plain = 0, traced = 0] = memory
  say(
    `a collector that never answers: ${traced.toFixed(0)} MiB of resident memory, ` +
      `and ${plain.toFixed(0)} MiB without traces: ${(traced - plain).toFixed(0)} MiB more`
  )
  close()
}

await Effect.runPromise(Effect.scoped(Effect.gen(function*() {
  const postgres = yield* EmbeddedPostgres.make({ durable: true })
  yield* postgres.start
  const url = Redacted.value(postgres.url)
  yield* Effect.promise(() => compare(url))
  yield* Effect.promise(() => silent(url))
})))
process.exit(0)
