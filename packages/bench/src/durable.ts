// What durable and watched runs cost: how long a run stands still after its process was killed, what a watcher costs,
// how late events are under many streams, and what a second node costs a run on the first.
import * as EmbeddedPostgres from "@svc-runtime/test-support/EmbeddedPostgres"
import { Effect, Redacted } from "effect"
import { mkdtempSync, rmSync } from "node:fs"
import { createRequire } from "node:module"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Listener from "./Listener.ts"
import { run } from "./Load.ts"
import * as PacedModel from "./PacedModel.ts"
import { start, startFlags } from "./Process.ts"
import { runs } from "./scenarios.ts"

const quickstart = createRequire(import.meta.url).resolve("../../examples/src/quickstart.ts")

const say = (line: string) => process.stdout.write(`${line}\n`)
const pause = (millis: number) => new Promise((resolve) => setTimeout(resolve, millis))

const service = (model: string, env: Readonly<Record<string, string>>) =>
  start(
    quickstart,
    { MODEL: "openai-compatible:paced", OPENAI_BASE_URL: model, LOG_LEVEL: "Warn", ...env },
    "/ready",
    startFlags
  )

/** From the start of the next process to the first event of the resumed run. */
const restart = async (name: string, model: string, env: Readonly<Record<string, string>>) => {
  const times: Array<number> = []
  for (let round = 0; round < 3; round++) {
    const first = await service(model, { ...env, NODE_NAME: "one" })
    const streamed = await Listener.start(first.base, `${name}-${round}`, "say 80 every 25")
    await streamed.hears("@")
    await first.stop("SIGKILL")
    const killedAt = performance.now()
    const second = await service(model, { ...env, NODE_NAME: "one" })
    const watched = await Listener.watch(second.base, `${name}-${round}`)
    await watched.hears("RunContinued")
    times.push(performance.now() - killedAt)
    await watched.ended
    await second.stop()
  }
  times.sort((left, right) => left - right)
  say(
    `killed and started again, ${name}: the run resumes after ` +
      `${times.map((time) => time.toFixed(0)).join(", ")} ms`
  )
}

const takeover = async (model: string, url: string) => {
  const env = { DATABASE_URL: url }
  const [one, two] = [
    await service(model, { ...env, NODE_NAME: "one" }),
    await service(model, { ...env, NODE_NAME: "two" })
  ]
  const streamed = await Listener.start(one.base, "taken", "say 400 every 25")
  await streamed.hears("@")
  const watched = await Listener.watch(two.base, "taken")
  await one.stop("SIGKILL")
  const killedAt = performance.now()
  await watched.hears("RunContinued")
  say(`killed, and taken over by another node: after ${((performance.now() - killedAt) / 1000).toFixed(1)} s`)
  watched.close()
  await two.stop("SIGKILL")
}

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

const manyNodes = async (url: string) => {
  const env = { DATABASE_URL: url, MODEL: "fixed", LOG_LEVEL: "Warn" }
  const nodes = await Promise.all(["0 seconds", "8 seconds"].map(async (timeout) => ({
    node: await start(quickstart, { ...env, NODE_NAME: timeout, NODE_TIMEOUT: timeout }, "/ready", startFlags),
    figures: new Array<number>()
  })))
  // in turns, so that what else the machine does falls on both
  for (let round = 0; round < 4; round++) {
    for (const { figures, node } of nodes) figures.push((await run(node.base, runs(1, 2))).p50)
  }
  const [alone, one] = nodes.map(({ figures }) => Math.min(...figures).toFixed(2))
  say(`a run on its own node: ${alone} ms alone, ${one} ms as one of many (best p50 of 4)`)
  for (const { node } of nodes) await node.stop()
}

const program = Effect.gen(function*() {
  const postgres = yield* EmbeddedPostgres.make({ durable: true })
  yield* postgres.start
  const url = Redacted.value(postgres.url)
  const directory = mkdtempSync(join(tmpdir(), "svc-bench-"))
  const model = yield* Effect.promise(PacedModel.start)
  yield* Effect.promise(async () => {
    await restart("embedded", model.url, { DATA_DIR: join(directory, "data") })
    await restart("PostgreSQL", model.url, { DATABASE_URL: url })
    await takeover(model.url, url)
    await watching(model.url, url)
    await manyNodes(url)
    await model.stop()
  })
  rmSync(directory, { recursive: true, force: true })
})

await Effect.runPromise(Effect.scoped(program))
