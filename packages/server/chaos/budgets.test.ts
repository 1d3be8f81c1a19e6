// Nodes that share budgets, one of which is killed while models answer: what was spent, and how far beyond a budget.
import { assert, describe, it } from "@effect/vitest"
import { ServiceProcess } from "@svc-runtime/test-support"
import * as EmbeddedPostgres from "@svc-runtime/test-support/EmbeddedPostgres"
import * as TemporaryDirectory from "@svc-runtime/test-support/TemporaryDirectory"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Effect, Fiber, Redacted } from "effect"
import { writeFileSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { at, list } from "../test/Wire.ts"

const file = fileURLToPath(new URL("budget-service.ts", import.meta.url))

const usage = { prompt_tokens: 700, completion_tokens: 300, total_tokens: 1000 }

/** Of a request, in US dollars: 100 for a million tokens. */
const cost = 0.1

const completion = JSON.stringify({
  id: "c",
  object: "chat.completion",
  created: 1,
  model: "m",
  choices: [{ index: 0, finish_reason: "stop", message: { role: "assistant", content: "Yes" } }],
  usage
})

/** A provider that takes a while, and counts its requests. Each process has an address of its own there. */
const provider = Effect.acquireRelease(
  Effect.callback<{
    readonly urlOf: (process: string) => string
    readonly requests: () => number
    /** Their processes get the answer. */
    readonly answered: () => number
    /** No request is answered meanwhile. */
    readonly hold: (isHeld: boolean) => void
    /** No request of the process is answered any more. Its connections may seem to be open after it was killed. */
    readonly forget: (process: string) => void
    readonly close: () => void
  }>((resume) => {
    let requests = 0
    let answered = 0
    let isHeld = false
    const forgotten = new Set<string | undefined>()
    const server = createServer((request, response) => {
      request.resume()
      request.on("end", () => {
        requests++
        const timer = setInterval(() => {
          if (isHeld) return
          clearInterval(timer)
          if (forgotten.has(request.url?.split("/")[1])) return
          answered++
          response.writeHead(200, { "content-type": "application/json" })
          response.end(completion)
        }, 200)
      })
    })
    server.listen(0, "127.0.0.1", () =>
      resume(Effect.succeed({
        urlOf: (process) => `http://127.0.0.1:${(server.address() as AddressInfo).port}/${process}/v1`,
        requests: () => requests,
        answered: () => answered,
        hold: (held) => {
          isHeld = held
        },
        forget: (process) => {
          forgotten.add(process)
        },
        close: () => {
          server.close()
          server.closeAllConnections()
        }
      })))
  }),
  ({ close }) => Effect.sync(close)
)

const nodes = Effect.gen(function*() {
  const postgres = yield* EmbeddedPostgres.make()
  yield* postgres.start
  const model = yield* provider
  const prices = join(yield* TemporaryDirectory.make, "prices.json")
  writeFileSync(prices, JSON.stringify({ models: [{ models: ["m"], input: 100, output: 100 }] }))
  const start = (node: string, process = node) =>
    ServiceProcess.start(file, {
      DATABASE_URL: Redacted.value(postgres.url),
      NODE_NAME: node,
      // A node without processor time for so long would lose its runs. Their requests are charged as reserved then,
      // although they are answered. A node of the same name takes over those of a killed one when it starts.
      NODE_TIMEOUT: "1 minute",
      PORT: "0",
      MODEL: "openai-compatible:m",
      MODEL_PRICES: prices,
      OPENAI_BASE_URL: model.urlOf(process),
      OPENAI_API_KEY: "sk-budgets"
    })
  return { model, start }
})

const json = (url: string) => Effect.promise(() => fetch(url).then((response) => response.json() as Promise<unknown>))

const run = (url: string, user: string) =>
  Effect.promise(() => {
    const body = new URLSearchParams({ message: "Hi", stream: "false", user_id: user })
    return fetch(`${url}/agents/a/runs`, { method: "POST", body }).then((response) => response.text())
  })

/** Starts runs until one is refused. How many have completed. */
const caller = (urlOf: () => string, user: string) =>
  Effect.promise(async () => {
    let completed = 0
    for (;;) {
      const body = new URLSearchParams({ message: "Hi", stream: "false", user_id: user })
      try {
        const response = await fetch(`${urlOf()}/agents/a/runs`, { method: "POST", body })
        const { status } = await response.json() as { readonly status?: string }
        if (response.status === 429 || (response.status === 200 && status === "ERROR")) return completed
        if (response.status === 200 && status === "COMPLETED") completed++
      } catch {
        // the node is dead: the next one is asked
      }
    }
  })

const left = (url: string, name: string) =>
  Effect.map(json(`${url}/budgets`), (budgets) => {
    const found = list(budgets, "data").find((budget) => at(budget, "name") === name)
    return { spent: Number(at(found, "current", "spent")), reserved: Number(at(found, "current", "reserved")) }
  })

const settled = (url: string) =>
  Effect.repeat(Effect.delay(left(url, "all"), "200 millis"), { until: ({ reserved }) => reserved === 0 })

Tier.oneIn(2)

describe("budgets that three nodes share", () => {
  it.live(
    "64 callers at once spend what the provider counts, and not more beyond it than was running",
    () =>
      Effect.scoped(Effect.gen(function*() {
        const { model, start } = yield* nodes
        const urls: Array<string> = []
        for (const node of ["one", "two", "three"]) urls.push((yield* start(node)).url)
        const completed = yield* Effect.forEach(
          Array.from({ length: 64 }, (_, index) => index),
          (index) => caller(() => urls[index % 3] ?? "", `user-${index % 8}`),
          { concurrency: "unbounded" }
        )
        const { reserved, spent } = yield* left(urls[0] ?? "", "all")
        const requests = model.requests()
        const sum = completed.reduce((total, count) => total + count, 0)
        process.stderr.write(`spent ${spent}, requests ${requests}, completed ${sum}\n`)
        assert.strictEqual(reserved, 0)
        assert.closeTo(spent, requests * cost, 1e-9)
        assert.strictEqual(sum, requests)
        assert.isAtLeast(spent, 10)
        // what was reserved last was less than what its request has used
        assert.isAtMost(spent, 10 + cost)
      })),
    300_000
  )

  it.live(
    "a node that is killed while models answer leaves no charge behind, and none is counted twice",
    () =>
      Effect.scoped(Effect.gen(function*() {
        const { model, start } = yield* nodes
        const services = [yield* start("one"), yield* start("two"), yield* start("three")]
        const urls = services.map(({ url }) => url)
        // one request, so that what is reserved for each is known
        model.hold(true)
        const first = yield* Effect.forkChild(run(urls[0] ?? "", "first"))
        const { reserved } = yield* Effect.repeat(Effect.delay(left(urls[0] ?? "", "all"), "20 millis"), {
          until: ({ reserved }) => reserved > 0
        })
        model.hold(false)
        yield* Fiber.join(first)
        model.hold(true)
        // the node that is killed certainly waits for the model, however slow the machine is
        const begun = model.requests() + 1
        const until = (count: number) =>
          Effect.repeat(Effect.delay(Effect.sync(model.requests), "5 millis"), {
            until: (requests) => requests >= count
          })
        const waiting = yield* Effect.forkChild(caller(() => urls[2] ?? "", "waiting"))
        yield* until(begun)
        const calling = yield* Effect.forkChild(Effect.forEach(
          Array.from({ length: 64 }, (_, index) => index),
          (index) => {
            let next = index
            return caller(() => urls[next++ % 3] ?? "", `user-${index % 8}`)
          },
          { concurrency: "unbounded" }
        ))
        yield* until(begun + 29)
        yield* services[2]?.end("SIGKILL") ?? Effect.void
        model.forget("three")
        model.hold(false)
        urls[2] = (yield* start("three", "three-again")).url
        yield* Fiber.join(calling)
        yield* Fiber.join(waiting)
        const { spent } = yield* settled(urls[0] ?? "")
        const [requests, answered] = [model.requests(), model.answered()]
        // each request of the killed node costs what was reserved for it, whether the provider has seen it or not
        const lost = (spent - answered * cost) / reserved
        process.stderr.write(`spent ${spent}, requests ${requests}, answered ${answered}, lost ${lost}\n`)
        assert.closeTo(lost, Math.round(lost), 1e-6)
        assert.isAtLeast(lost, requests - answered)
        assert.isAtLeast(lost, 1)
        assert.isAtMost(spent, 10 + lost * (reserved - cost) + cost)
      })),
    300_000
  )
})
