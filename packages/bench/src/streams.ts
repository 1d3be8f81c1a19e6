// What a watcher of a run costs, and how late the events of many streams are.
import * as EmbeddedPostgres from "@svc-runtime/test-support/EmbeddedPostgres"
import { Effect, Redacted } from "effect"
import * as Listener from "./Listener.ts"
import * as PacedModel from "./PacedModel.ts"
import { quickstart, start, startFlags } from "./Process.ts"

const say = (line: string) => process.stdout.write(`${line}\n`)
const pause = (millis: number) => new Promise((resolve) => setTimeout(resolve, millis))

const service = (model: string, env: Readonly<Record<string, string>>) =>
  start(
    quickstart,
    { MODEL: "openai-compatible:paced", OPENAI_BASE_URL: model, LOG_LEVEL: "Warn", ...env },
    "/ready",
    startFlags
  )

const watchers = 1000
const streams = 200

const watching = async (model: string, url: string) => {
  const node = await service(model, { DATABASE_URL: url, NODE_NAME: "watched" })
  const idle = await Listener.start(node.base, "idle", "say 2 every 600000")
  await idle.hears("RunStarted")
  // what the first ones load is no cost of a watcher
  const first = await Promise.all(Array.from({ length: 50 }, () => Listener.watch(node.base, "idle")))
  await pause(1000)
  const before = node.residentMemory()
  const all = await Promise.all(Array.from({ length: watchers }, () => Listener.watch(node.base, "idle")))
  await pause(1000)
  say(`a watcher: ${((node.residentMemory() - before) / 1024 / watchers).toFixed(1)} KB of resident memory`)

  const delays: Array<number> = []
  const onPiece = (piece: string) => {
    const now = PacedModel.moment()
    // only pieces: the whole answer, at the end, has them all once more
    for (const block of piece.split("\n\n")) {
      if (!block.includes("event: RunContent\n")) continue
      for (const [, at] of block.matchAll(PacedModel.moments)) delays.push(now - Number(at))
    }
  }
  const running = await Promise.all(
    Array.from({ length: streams }, (_, index) => Listener.start(node.base, `s-${index}`, "say 40 every 250", onPiece))
  )
  await Promise.all(running.map(({ ended }) => ended))
  delays.sort((left, right) => left - right)
  const at = (share: number) => delays[Math.min(delays.length - 1, Math.floor(delays.length * share))]?.toFixed(1)
  const late = delays.filter((delay) => delay > 100).length
  say(
    `${watchers} idle watchers and ${streams} streams of 4 words a second: ${delays.length} words, from the model to the ` +
      `client in ${at(0.5)} ms (p50), ${at(0.99)} ms (p99), ${at(1)} ms (worst); ${late} later than 100 ms`
  )
  for (const { close } of [...first, ...all, idle]) close()
  await node.stop("SIGKILL")
}

const program = Effect.gen(function*() {
  const postgres = yield* EmbeddedPostgres.make({ durable: true })
  yield* postgres.start
  const model = yield* Effect.promise(PacedModel.start)
  yield* Effect.promise(() => watching(model.url, Redacted.value(postgres.url)))
  yield* Effect.promise(model.stop)
})

await Effect.runPromise(Effect.scoped(program))
