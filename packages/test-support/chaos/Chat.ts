// What tests of channels that kill nodes have: the platform, the model, nodes, and what people see in the end.
import { assert } from "@effect/vitest"
import { Reply, ServiceProcess } from "@svc-runtime/test-support"
import * as ChatPlatform from "@svc-runtime/test-support/platforms/ChatPlatform"
import * as PostgresLayer from "@svc-runtime/test-support/PostgresLayer"
import * as OpenAiChat from "@svc-runtime/test-support/wire/OpenAiChat"
import { Effect, Redacted } from "effect"
import { fileURLToPath } from "node:url"
import * as Progress from "./Progress.ts"

const file = fileURLToPath(new URL("chat-service.ts", import.meta.url))

/** What happens to the node that comes by, once. */
export interface Trap {
  /** `model`: the model is asked. */
  readonly moment: ChatPlatform.Moment | "model"
  /** In the text of the message or of the question. */
  readonly text: string
  readonly signal: NodeJS.Signals
}

interface Sent {
  readonly role: string
  readonly content?: unknown
}

const textOf = (content: unknown): string => typeof content === "string" ? content : JSON.stringify(content)

/** Calls the tool for a message that begins with `pay`. Others are answered at once. */
const answerOf = (messages: ReadonlyArray<Sent>): Reply.Reply => {
  const question = textOf(messages.findLast(({ role }) => role === "user")?.content)
  if (messages.at(-1)?.role === "tool") return Reply.text("Paid ", "for ", question)
  return question.startsWith("pay")
    ? Reply.answer({ toolCalls: [{ id: `call-${question}`, name: "pay", arguments: ["{}"] }] })
    : Reply.text("Answer ", "to ", question, ".")
}

export const world = Effect.fnUntraced(function*(finds: boolean) {
  const url = yield* PostgresLayer.url
  const nodes = new Map<string, ServiceProcess.Launched>()
  let trap: Trap | undefined
  /** The node that was stopped or killed. */
  let caught: string | undefined
  const spring = (moment: Trap["moment"], text: string, name: string) => {
    const node = nodes.get(name)
    if (trap === undefined || node === undefined || trap.moment !== moment || !text.includes(trap.text)) return
    const { signal } = trap
    trap = undefined
    caught = name
    process.kill(node.pid, signal)
    // what is sent by a node that is killed before has no effect, and that of a frozen one arrives
    if (signal === "SIGKILL" && moment.endsWith("before")) throw new Error("The node is dead")
  }
  const platform = yield* ChatPlatform.make(spring)
  const model = yield* OpenAiChat.answering(({ body }) => {
    const messages = body["messages"] as ReadonlyArray<Sent>
    spring("model", textOf(messages.findLast(({ role }) => role === "user")?.content), [...nodes.keys()][0] ?? "")
    return answerOf(messages)
  })
  const start = Effect.fnUntraced(function*(name: string) {
    const node = yield* ServiceProcess.launch(file, {
      DATABASE_URL: Redacted.value(url),
      NODE_TIMEOUT: "2 seconds",
      NODE_NAME: name,
      PORT: "0",
      MODEL: "openai-compatible:local",
      OPENAI_BASE_URL: model.url,
      LOG_LEVEL: "Info",
      CHAT_URL: platform.url,
      CHAT_FINDS: String(finds)
    })
    nodes.set(name, node)
    return { ...node, url: yield* node.greeted }
  })
  const seen = (thread: string) => [...platform.messages.values()].filter((message) => message.thread === thread)

  return {
    start,
    seen,
    messages: platform.messages,
    setTrap: (next: Trap | undefined) => {
      trap = next
      caught = undefined
    },
    caught: () => caught,
    signs: Progress.ofOutput([() => [...nodes.values()].map(({ stdout }) => stdout()).join("\n")]),
    /** Delivers an event, and again until it is acknowledged. */
    deliver: (urls: ReadonlyArray<() => string>, event: Parameters<typeof ChatPlatform.delivery>[0]) => {
      let next = 0
      const once = Effect.suspend(() => {
        const base = urls[next++ % urls.length]?.() ?? ""
        return Effect.promise(() =>
          fetch(`${base}/channels/chat/events`, {
            ...ChatPlatform.delivery(event),
            signal: AbortSignal.timeout(5000)
          }).then(({ status }) => status === 200, () => false)
        )
      })
      return Effect.repeat(Effect.tap(once, (isStored) => isStored ? Effect.void : Effect.sleep("100 millis")), {
        until: (isStored) => isStored
      })
    },
    /** Each question of the thread is answered once, in their order, and nothing else is written. */
    check: (thread: string, answers: ReadonlyArray<string>) => {
      const texts = seen(thread).map(({ text }) => text)
      // a platform on which posts are not found can have a sign that was posted again without words
      const answered = finds ? texts : texts.filter((text) => text !== "…")
      assert.deepStrictEqual(answered, answers, `${thread}: ${JSON.stringify(texts)}`)
    }
  }
})

/** Waits until it is so. */
export const until = (isTrue: () => boolean) =>
  Effect.repeat(Effect.delay(Effect.sync(isTrue), "50 millis"), { until: (is) => is })
