// Two workers that are peers of each other, in one process.
import type { Peers } from "@svc-runtime/domain/Worker"
import { Effect } from "effect"

type AnswerOf = Parameters<Peers["answer"]>[1]

/** Before the first has an answer to a topic, its peer gets none. */
export const peerPair = (): readonly [Peers, Peers] => {
  const [first, second] = [new Map<string, AnswerOf>(), new Map<string, AnswerOf>()]
  const peersOf = (own: Map<string, AnswerOf>, other: Map<string, AnswerOf>): Peers => ({
    ask: (topic, question) => {
      const answered = other.get(topic)?.(question)
      return answered === undefined
        ? Effect.succeed([])
        : Effect.map(answered, (answer) => [{ worker: 2, answer }])
    },
    answer: (topic, answerOf) => Effect.sync(() => void own.set(topic, answerOf))
  })
  return [peersOf(first, second), peersOf(second, first)]
}
