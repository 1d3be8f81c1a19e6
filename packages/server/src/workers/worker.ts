// What a worker has of the process that started it: its peers, and whom it tells that it serves.
import type * as Json from "@svc-runtime/domain/Json"
import type { Answer, Peers } from "@svc-runtime/domain/Worker"
import { Effect, Layer } from "effect"
import { isMessage, type Message } from "./Message.ts"

const timeout = "1 second"

type AnswerOf = (question: Json.Value) => Effect.Effect<Json.Value>

/** A question that waits for its answers. */
interface OpenQuestion {
  count: number
  readonly answers: Array<Answer>
  readonly done: () => void
}

/** `send` reaches the first process, and `receive` gets what comes from it. */
export const make = (send: (message: Message) => void) => {
  const open = new Map<number, OpenQuestion>()
  const topics = new Map<string, AnswerOf>()
  let last = 0

  const ask: Peers["ask"] = (topic, question) =>
    Effect.suspend(() => {
      const id = ++last
      const answers: Array<Answer> = []
      return Effect.callback<void>((resume) => {
        open.set(id, { count: Number.POSITIVE_INFINITY, answers, done: () => resume(Effect.void) })
        send({ svc: "ask", id, topic, question })
      }).pipe(
        Effect.timeoutOption(timeout),
        Effect.ensuring(Effect.sync(() => open.delete(id))),
        Effect.as(answers)
      )
    })

  const answer: Peers["answer"] = (topic, answerOf) =>
    Effect.asVoid(Effect.acquireRelease(
      Effect.sync(() => topics.set(topic, answerOf)),
      () => Effect.sync(() => topics.delete(topic))
    ))

  const settle = (question: OpenQuestion | undefined) => {
    if (question !== undefined && question.answers.length >= question.count) question.done()
  }

  const receive = (message: unknown): void => {
    if (!isMessage(message)) return
    switch (message.svc) {
      case "ask": {
        const { from = 0, id, question, topic } = message
        const answerOf = topics.get(topic) ?? (() => Effect.succeed(null))
        Effect.runFork(Effect.map(answerOf(question), (answer) => send({ svc: "answer", id, to: from, answer })))
        return
      }
      case "asked": {
        const question = open.get(message.id)
        if (question !== undefined) question.count = message.count
        return settle(question)
      }
      case "answer": {
        const question = open.get(message.id)
        question?.answers.push({ worker: message.from ?? 0, answer: message.answer })
        return settle(question)
      }
      case "started":
    }
  }
  return { peers: { ask, answer } satisfies Peers, receive }
}

const send = (message: Message): void => {
  // the first process is gone: this one is about to end
  if (process.connected) process.send?.(message, undefined, {}, () => {})
}

/** The peers of a worker, and a layer that says that it serves. */
export const joined = () => {
  const { peers, receive } = make(send)
  process.on("message", receive)
  return { peers, started: Layer.effectDiscard(Effect.sync(() => send({ svc: "started" }))) }
}
