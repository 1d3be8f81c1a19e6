// What it costs that many watch one run on a node that does not execute it: statements and transactions a second, in
// all, and how late they hear each word.
import * as EmbeddedPostgres from "@svc-runtime/test-support/EmbeddedPostgres"
import { Effect, Redacted } from "effect"
import { createRequire } from "node:module"
import { parseArgs } from "node:util"
import postgres from "postgres"
import * as Listener from "./Listener.ts"
import * as PacedModel from "./PacedModel.ts"
import { type Running, start, startFlags } from "./Process.ts"

const { values } = parseArgs({ options: { watchers: { type: "string", default: "1000" } } })
const watchers = Number(values.watchers)

const quickstart = createRequire(import.meta.url).resolve("../../examples/src/quickstart.ts")

const say = (line: string) => process.stdout.write(`${line}\n`)
const pause = (millis: number) => new Promise((resolve) => setTimeout(resolve, millis))

const measure = async (sql: postgres.Sql, nodes: readonly [Running, Running], name: string, every: number) => {
  const words = Math.ceil(30_000 / every)
  const delays: Array<number> = []
  let isMeasured = false
  const onPiece = (piece: string) => {
    if (!isMeasured) return
    const now = PacedModel.moment()
    for (const block of piece.split("\n\n")) {
      if (!block.includes("event: RunContent\n")) continue
      for (const [, at] of block.matchAll(PacedModel.moments)) delays.push(now - Number(at))
    }
  }
  const transactions = async () => {
    await pause(1500) // each connection says once a second what it has done
    const [row] = await sql`select (xact_commit + xact_rollback)::int as count from pg_stat_database
      where datname = current_database()`
    return { count: Number(row?.["count"]), at: performance.now() }
  }
  const idle = await transactions()
  const rested = await transactions()
  const run = await Listener.start(nodes[0].base, name, `say ${words} every ${every}`)
  await run.hears("@")
  const all = await Promise.all(
    // the delay is taken of some of them: this process has to keep up
    Array.from({ length: watchers }, (_, n) => Listener.watch(nodes[1].base, name, n % 20 === 0 ? onPiece : undefined))
  )
  await pause(8000) // until all have read what was there before
  const before = await transactions()
  isMeasured = true
  const cpu = nodes[1].cpuSeconds()
  await pause(4000)
  isMeasured = false
  const shown = delays.length * (watchers / Math.ceil(watchers / 20))
  const perWord = ((nodes[1].cpuSeconds() - cpu) * 1e6) / shown
  const after = await transactions()
  const rate = (from: typeof before, to: typeof before) => ((to.count - from.count) * 1000) / (to.at - from.at)
  delays.sort((left, right) => left - right)
  const at = (share: number) => delays[Math.min(delays.length - 1, Math.floor(delays.length * share))]?.toFixed(1)
  say(
    `a word every ${every} ms, ${watchers} watchers on another node: ${
      rate(before, after).toFixed(0)
    } transactions/s in all, ` +
      `${rate(idle, rested).toFixed(0)} of them without any run; ${delays.length} words, late by ${
        at(0.5)
      } ms (p50), ` +
      `${at(0.99)} ms (p99), ${at(1)} ms (worst); ${perWord.toFixed(0)} µs of a core per word and watcher`
  )
  for (const { close } of [...all, run]) close()
}

const program = Effect.gen(function*() {
  const server = yield* EmbeddedPostgres.make({ durable: true })
  yield* server.start
  const url = Redacted.value(server.url)
  const model = yield* Effect.promise(PacedModel.start)
  yield* Effect.promise(async () => {
    const env = {
      DATABASE_URL: url,
      MODEL: "openai-compatible:paced",
      OPENAI_BASE_URL: model.url,
      LOG_LEVEL: "Warn"
    }
    const one = await start(quickstart, { ...env, NODE_NAME: "one" }, "/ready", startFlags)
    const two = await start(quickstart, { ...env, NODE_NAME: "two" }, "/ready", startFlags)
    const sql = postgres(url, { max: 1 })
    for (const every of [100]) await measure(sql, [one, two], `watched-${every}`, every)
    await sql.end()
    await one.stop("SIGKILL")
    await two.stop("SIGKILL")
    await model.stop()
  })
})

await Effect.runPromise(Effect.scoped(program))
