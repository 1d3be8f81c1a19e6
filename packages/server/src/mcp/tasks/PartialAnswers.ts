// What clients have responded to some of the questions of a task, until the other responses arrive. It is in the memory
// of this process, so its bytes are bounded: the oldest responses are forgotten, and their questions are asked again.
import type * as Json from "@svc-runtime/domain/Json"
import { Effect, Option, Schema } from "effect"
import type { Peers } from "../../workers/Peers.ts"

/** By the ids of their questions. */
type Responses = ReadonlyMap<string, Json.Value>

/** Of all tasks. */
export const defaultLimits = { tasks: 1000, characters: 16 * 1024 * 1024 }

export const make = (limits = defaultLimits) => {
  const kept = new Map<string, { readonly responses: Responses; readonly size: number }>()
  let size = 0

  const forget = (run_id: string): void => {
    size -= kept.get(run_id)?.size ?? 0
    kept.delete(run_id)
  }

  return {
    of: (run_id: string): Responses => kept.get(run_id)?.responses ?? new Map(),
    set: (run_id: string, responses: Responses): void => {
      forget(run_id)
      if (responses.size === 0) return
      const own = JSON.stringify([...responses]).length
      kept.set(run_id, { responses, size: own })
      size += own
      for (const oldest of kept.keys()) {
        if (kept.size <= limits.tasks && size <= limits.characters) return
        forget(oldest)
      }
    }
  }
}

export type PartialAnswers = ReturnType<typeof make>

const topic = "answers of tasks"

const decode = Schema.decodeUnknownOption(Schema.Array(Schema.Tuple([Schema.String, Schema.Json])))

const isQuestion = Schema.is(Schema.Struct({ run_id: Schema.String, areForgotten: Schema.Boolean }))

/** Lets the other workers read those of this one. */
export const shareWith = (peers: Peers, partial: PartialAnswers) =>
  peers.answer(topic, (question) =>
    Effect.sync(() => {
      if (!isQuestion(question)) return null
      const responses = [...partial.of(question.run_id)]
      if (question.areForgotten) partial.set(question.run_id, new Map())
      return responses
    }))

/** The responses that other workers have. They forget them if the run continues. */
export const ofPeers = (peers: Peers, run_id: string, areForgotten = false): Effect.Effect<Responses> =>
  Effect.map(
    peers.ask(topic, { run_id, areForgotten }),
    (found) => new Map(found.flatMap(({ answer }) => Option.getOrElse(decode(answer), () => [])))
  )
