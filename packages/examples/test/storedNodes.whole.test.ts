// Stored components on two nodes of one PostgreSQL: changes at once, changes while runs begin, and a node that is
// killed. Real processes, a real database.
import { assert, layer } from "@effect/vitest"
import { Reply, ServiceProcess } from "@svc-runtime/test-support"
import * as PostgresLayer from "@svc-runtime/test-support/PostgresLayer"
import * as OpenAiChat from "@svc-runtime/test-support/wire/OpenAiChat"
import { Context, Effect, Layer, Redacted } from "effect"
import { fileURLToPath } from "node:url"
import { readUntil } from "./readUntil.ts"
import * as SharedProcesses from "./sharedProcesses.ts"

const quickstart = fileURLToPath(new URL("../src/quickstart.ts", import.meta.url))

interface Answer {
  readonly status: number
  readonly text: string
  readonly json: any // oxlint-disable-line typescript/no-explicit-any -- raw answers are read as they are
}

const ask = (url: string, init: RequestInit = {}) =>
  Effect.promise(async (): Promise<Answer> => {
    const response = await fetch(url, init)
    const text = await response.text()
    return { status: response.status, text, json: text === "" ? undefined : JSON.parse(text) }
  })

const send = (method: string, url: string, body: object) =>
  ask(url, { method, headers: { "content-type": "application/json" }, body: JSON.stringify(body) })

const accepted = Effect.fnUntraced(function*(answer: Effect.Effect<Answer>) {
  const { json, status, text } = yield* answer
  assert.isBelow(status, 300, text)
  return json
})

/** A word in the instructions of a request, with which the model answers. */
const wordIn = (body: unknown) => /word-[\w-]+/.exec(JSON.stringify(body))?.[0] ?? "none"

/** Two nodes, whose model stops in the middle of its first answer to "stall". */
class Nodes extends Context.Service<Nodes, {
  readonly node: (
    name: "one" | "other"
  ) => Effect.Effect<ServiceProcess.ServiceProcess, ServiceProcess.ServiceDidNotStart>
}>()("@svc-runtime/examples/test/StoredNodes") {
  static readonly layer = Layer.effect(
    Nodes,
    Effect.gen(function*() {
      let stalled = 0
      const provider = yield* OpenAiChat.answering((request) =>
        JSON.stringify(request.body).includes("stall") && stalled++ === 0
          ? Reply.broken("stall", 2, { text: ["half", " an answer"] })
          : Reply.text(wordIn(request.body))
      )
      const env = {
        DATABASE_URL: Redacted.value(yield* PostgresLayer.url),
        MODEL: "openai-compatible:local",
        OPENAI_BASE_URL: provider.url,
        PORT: "0",
        NODE_TIMEOUT: "6 seconds",
        SHUTDOWN_TIMEOUT: "1 second"
      }
      const node = yield* SharedProcesses.make((name: "one" | "other") =>
        ServiceProcess.start(quickstart, { ...env, NODE_NAME: name })
      )
      return Nodes.of({ node })
    })
  )
}

const pair = Effect.gen(function*() {
  const { node } = yield* Nodes
  const [one, other] = yield* Effect.all([node("one"), node("other")], { concurrency: "unbounded" })
  return { one, other }
})

const fields = (more: Readonly<Record<string, string>> = {}) => ({
  method: "POST",
  body: new URLSearchParams({ message: "Hi", stream: "false", ...more })
})

layer(Nodes.layer, { excludeTestServices: true })("stored components on two nodes", (it) => {
  it.effect("versions that two nodes publish at once all exist, and the one that was stored last is current", () =>
    Effect.gen(function*() {
      const { one, other } = yield* pair
      yield* accepted(send("POST", `${one.url}/agents`, { name: "Raced", instructions: "word-0" }))
      const words = Array.from({ length: 10 }, (_, index) => `word-${index + 1}`)
      const published = yield* Effect.all(
        words.map((instructions, index) =>
          accepted(send("POST", `${(index % 2 === 0 ? one : other).url}/components/raced/configs`, {
            config: { instructions },
            stage: "published"
          }))
        ),
        { concurrency: "unbounded" }
      )
      const versions = published.map(({ version }) => Number(version))
      assert.deepStrictEqual(versions.toSorted((a, b) => a - b), words.map((_, index) => index + 2))
      const current = yield* accepted(ask(`${one.url}/components/raced`))
      assert.strictEqual(current.current_version, words.length + 1)
      const last = words[versions.indexOf(words.length + 1)]
      for (const { url } of [one, other]) {
        assert.strictEqual((yield* accepted(ask(`${url}/agents/raced/runs`, fields()))).content, last)
      }
    }))

  it.effect("exactly one of two changes on two nodes that close a circle together is refused", () =>
    Effect.gen(function*() {
      const { one, other } = yield* pair
      for (const round of [1, 2, 3, 4, 5]) {
        const [a, b] = [`a-${round}`, `b-${round}`] as const
        for (const name of [a, b]) {
          const steps = [{ name: "s", agent_id: "assistant" }]
          yield* accepted(send("POST", `${one.url}/workflows`, { name, steps }))
        }
        const naming = (url: string, id: string, named: string) =>
          send("PATCH", `${url}/workflows/${id}`, { steps: [{ name: "s", workflow_id: named }] })
        const answers = yield* Effect.all([naming(one.url, a, b), naming(other.url, b, a)], {
          concurrency: "unbounded"
        })
        assert.deepStrictEqual(answers.map(({ status }) => status).toSorted(), [200, 422])
      }
    }))

  it.effect("runs on both nodes have a published version while versions are published and rolled back on one", () =>
    Effect.gen(function*() {
      const { one, other } = yield* pair
      yield* accepted(send("POST", `${one.url}/agents`, { name: "Busy", instructions: "word-1" }))
      let isOver = false
      const contents = new Set<string>()
      const running = (url: string) =>
        Effect.repeat(
          Effect.tap(accepted(ask(`${url}/agents/busy/runs`, fields())), ({ content, status }) =>
            Effect.sync(() => {
              assert.strictEqual(status, "COMPLETED")
              contents.add(content)
            })),
          { until: () => isOver }
        )
      const changing = Effect.gen(function*() {
        for (const number of [2, 3, 4, 5]) {
          yield* accepted(send("PATCH", `${one.url}/agents/busy`, { instructions: `word-${number}` }))
          // a node sees a change at its next request
          assert.strictEqual(
            (yield* accepted(ask(`${other.url}/agents/busy/runs`, fields()))).content,
            `word-${number}`
          )
          yield* accepted(send("POST", `${other.url}/components/busy/configs/1/set-current`, {}))
          assert.strictEqual((yield* accepted(ask(`${one.url}/agents/busy/runs`, fields()))).content, "word-1")
        }
        isOver = true
      })
      yield* Effect.all([running(one.url), running(other.url), changing], { concurrency: "unbounded" })
      for (const content of contents) assert.match(content, /^word-[1-5]$/)
      yield* accepted(ask(`${one.url}/agents/busy`, { method: "DELETE" }))
      assert.strictEqual((yield* ask(`${other.url}/agents/busy/runs`, fields())).status, 404)
    }))

  it.effect("a run of a killed node resumes on the other one with its version, although that is neither current nor there", () =>
    Effect.gen(function*() {
      const { one, other } = yield* pair
      yield* accepted(send("POST", `${other.url}/agents`, { name: "Kept", instructions: "word-first" }))
      const names = { message: "stall", session_id: "kept", run_id: "kept", stream: "true" }
      const response = yield* Effect.promise(() => fetch(`${one.url}/agents/kept/runs`, fields(names)))
      yield* readUntil(response, "half")
      yield* accepted(send("PATCH", `${one.url}/agents/kept`, { instructions: "word-second" }))
      yield* accepted(ask(`${other.url}/agents/kept`, { method: "DELETE" }))
      assert.strictEqual(yield* one.end("SIGKILL"), "SIGKILL")
      const path = `${other.url}/agents/kept/runs/kept`
      const events = yield* Effect.promise(() => fetch(`${path}/events?session_id=kept`))
      assert.include(yield* (yield* readUntil(events, "RunCompleted")).rest, "RunContinued")
      const { content, status } = yield* accepted(ask(`${path}?session_id=kept`))
      assert.deepStrictEqual([status, content], ["COMPLETED", "word-first"])
    }))
})
