// Messages on a channel of two nodes: how soon they are acknowledged, and when people see something. Then nodes are
// killed and the platform delivers again: whether each message is answered once, and in its order.
import * as EmbeddedPostgres from "@svc-runtime/test-support/EmbeddedPostgres"
import * as ChatPlatform from "@svc-runtime/test-support/platforms/ChatPlatform"
import * as PlatformListener from "@svc-runtime/test-support/platforms/PlatformListener"
import { Effect, Redacted } from "effect"
import { createRequire } from "node:module"
import { parseArgs } from "node:util"
import { type Running, start, startFlags } from "./Process.ts"

const { values } = parseArgs({
  options: {
    messages: { type: "string", default: "1000" },
    rate: { type: "string", default: "100" },
    seconds: { type: "string", default: "10" },
    every: { type: "string", default: "6" }
  }
})
const [messages, rate, seconds, every] = [values.messages, values.rate, values.seconds, values.every].map(Number) as [
  number,
  number,
  number,
  number
]
const goals = { acknowledged: 500, sign: 1000 }
const threads = 100

const service = createRequire(import.meta.url).resolve("../../test-support/chaos/chat-service.ts")

const say = (line: string) => process.stdout.write(`${line}\n`)
const pause = (millis: number) => new Promise((resolve) => setTimeout(resolve, millis))

const percentile = (times: ReadonlyArray<number>, part: number): number =>
  times.toSorted((one, other) => one - other)[Math.min(times.length - 1, Math.floor(times.length * part))] ?? 0

const shownOf = (times: ReadonlyArray<number>) =>
  [0.5, 0.99, 1].map((part) => `${(part * 100).toFixed(0)} %: ${percentile(times, part).toFixed(0)} ms`).join(", ")

const textOf = (content: unknown): string => typeof content === "string" ? content : JSON.stringify(content)

const answerTo = (question: string): string => `Answer to ${question}.`

/** A model that answers at once, in three words. */
const model = PlatformListener.listen(({ body }) => {
  const { messages }: { readonly messages: ReadonlyArray<{ readonly role: string; readonly content?: unknown }> } = JSON
    .parse(body.toString())
  const question = textOf(messages.findLast(({ role }) => role === "user")?.content)
  const chunk = (delta: object, finish_reason: string | null = null) =>
    `data: ${
      JSON.stringify({
        id: "c",
        created: 0,
        model: "m",
        object: "chat.completion.chunk",
        choices: [{ index: 0, delta, finish_reason }]
      })
    }\n\n`
  const words = ["Answer ", "to ", `${question}.`].map((content) => chunk({ content })).join("")
  return { headers: { "content-type": "text/event-stream" }, body: `${words}${chunk({}, "stop")}data: [DONE]\n\n` }
})

const measure = async (
  database: string,
  modelUrl: string,
  platform: Effect.Success<ReturnType<typeof ChatPlatform.make>>
) => {
  const startNode = (name: string) =>
    start(
      service,
      {
        MODEL: "openai-compatible:m",
        OPENAI_BASE_URL: modelUrl,
        LOG_LEVEL: "Error",
        DATABASE_URL: database,
        NODE_NAME: name,
        NODE_TIMEOUT: "2 seconds",
        CHAT_URL: platform.url
      },
      "/ready",
      startFlags
    )
  const nodes: Array<Running> = [await startNode("a"), await startNode("b")]

  const deliverOnce = (thread: string, text: string, node: number): Promise<boolean> =>
    fetch(`${nodes[node % 2]?.base}/channels/chat/events`, {
      ...ChatPlatform.delivery({ id: `${thread} ${text}`, type: "message", thread, text }),
      signal: AbortSignal.timeout(5000)
    }).then(({ ok }) => ok, () => false)

  const answered = (prefix: string) =>
    [...platform.messages.values()].filter(({ text, thread }) => thread.startsWith(prefix) && text === answerTo("1"))

  /** Sends messages of new conversations at the rate, and waits for their answers. */
  const rated = async (name: string, count: number) => {
    const sentAt = new Map<string, number>()
    const acknowledged: Array<number> = []
    const floor: Array<number> = []
    const all: Array<Promise<unknown>> = []
    const cpu = () => nodes.reduce((sum, { cpuSeconds }) => sum + cpuSeconds(), 0)
    const [before, began] = [cpu(), performance.now()]
    for (let index = 0; index < count; index++) {
      const thread = `${name} ${index}`
      const at = performance.now()
      sentAt.set(thread, at)
      all.push(
        deliverOnce(thread, "1", index).then((isStored) => {
          acknowledged.push(isStored ? performance.now() - at : Infinity)
        })
      )
      // what a request costs on this machine at the moment
      if (index % 5 === 0) {
        all.push(fetch(`${nodes[index % 2]?.base}/health`).then(() => void floor.push(performance.now() - at)))
      }
      await pause(Math.max(0, began + (index + 1) * 1000 / rate - performance.now()))
    }
    await Promise.all(all)
    const waited = performance.now()
    while (answered(name).length < count && performance.now() - waited < 120_000) await pause(100)
    const millis = (cpu() - before) * 1000 / count
    const signs = [...platform.messages.values()].flatMap(({ postedAt, thread }) => {
      const at = sentAt.get(thread)
      return at === undefined ? [] : [postedAt - at]
    })
    say(`${name}: ${count} messages at ${rate}/s, ${millis.toFixed(1)} ms of a core for each`)
    say(`  acknowledged ${shownOf(acknowledged)} (goal 99 %: ${goals.acknowledged})`)
    say(`  GET /health  ${shownOf(floor)}`)
    say(`  first sign   ${shownOf(signs)} (goal ${goals.sign}), answered ${answered(name).length} of ${count}`)
  }

  const killed = async () => {
    let [acknowledged, kills, repeats] = [0, 0, 0]
    const sender = async (name: number) => {
      const thread = `killed ${name}`
      for (let index = 0; index < messages / threads; index++) {
        let node = name + index
        while (!await deliverOnce(thread, String(index), node++)) await pause(200)
        acknowledged++
        // platforms deliver again what they have not seen acknowledged
        if ((name + index) % 3 === 0) {
          repeats++
          void deliverOnce(thread, String(index), node)
        }
      }
    }
    const count = () => [...platform.messages.values()].filter(({ text }) => text.startsWith("Answer to ")).length
    const before = count()
    const sending = Promise.all(Array.from({ length: threads }, (_, name) => sender(name)))
    const state = { isSent: false }
    void sending.then(() => {
      state.isSent = true
    })
    let [last, lastAt] = [0, performance.now()]
    let killedAt = performance.now()
    while (!state.isSent || count() - before < messages) {
      await pause(250)
      if (count() !== last) [last, lastAt] = [count(), performance.now()]
      if (state.isSent && performance.now() - lastAt > 60_000) break
      if (performance.now() - killedAt < every * 1000) continue
      const node = kills++ % 2
      await nodes[node]?.stop("SIGKILL")
      nodes[node] = await startNode(node === 0 ? "a" : "b")
      killedAt = performance.now()
    }
    // what would be written twice is written by now
    await pause(5000)
    let [lost, twice, disordered] = [0, 0, 0]
    for (let name = 0; name < threads; name++) {
      const seen = [...platform.messages.values()].filter(({ thread }) => thread === `killed ${name}`)
      const answers = seen.map(({ text }) => text)
      const wanted = Array.from({ length: Math.ceil(messages / threads) }, (_, index) => answerTo(String(index)))
      for (const answer of wanted) {
        const found = answers.filter((text) => text === answer).length
        if (found === 0) lost++
        if (found > 1) twice++
      }
      const inOrder = answers.filter((text) => wanted.includes(text))
      if (inOrder.some((text, index) => index > 0 && wanted.indexOf(text) < wanted.indexOf(inOrder[index - 1] ?? ""))) {
        disordered++
      }
      const others = answers.filter((text) => !wanted.includes(text))
      if (others.length > 0) say(`thread ${name}: ${JSON.stringify(others)}`)
    }
    say(
      `${acknowledged} messages acknowledged, ${repeats} delivered again, ${kills} kills: ${lost} lost, ${twice} twice, ` +
        `${disordered} conversations out of order`
    )
  }

  await rated("warming up", rate * 3)
  await rated("rated", rate * seconds)
  await killed()
  for (const node of nodes) await node.stop()
}

const program = Effect.gen(function*() {
  const server = yield* EmbeddedPostgres.make({ durable: true })
  yield* server.start
  const platform = yield* ChatPlatform.make()
  const { url } = yield* model
  yield* Effect.promise(() => measure(Redacted.value(server.url), url, platform))
})

await Effect.runPromise(Effect.scoped(program))
