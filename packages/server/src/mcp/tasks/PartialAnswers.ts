// What clients have responded to some of the questions of a task, until the other responses arrive. It is in the memory
// of this process, so its bytes are bounded: the oldest responses are forgotten, and their questions are asked again.
import type * as Json from "@svc-runtime/domain/Json"
import type { Peers } from "@svc-runtime/domain/Worker"
import { Effect, Option, Schema } from "effect"

/** By the ids of their questions. */
type Responses = ReadonlyMap<string, Json.Value>

/** Of all tasks, and of those of one caller, whose oldest ones are forgotten first. */
export const defaultLimits = {
  tasks: 1000,
  characters: 16 * 1024 * 1024,
  ofCaller: { tasks: 100, characters: 2 * 1024 * 1024 }
}

interface Kept {
  readonly responses: Responses
  readonly size: number
  readonly caller: string
}

export const make = (limits = defaultLimits) => {
  const kept = new Map<string, Kept>()

  const forgetOldest = (
    max: { readonly tasks: number; readonly characters: number },
    isOne: (one: Kept) => boolean
  ) => {
    const own = [...kept].filter(([, one]) => isOne(one))
    let [tasks, size] = [own.length, own.reduce((sum, [, one]) => sum + one.size, 0)]
    for (const [run_id, one] of own) {
      if (tasks <= max.tasks && size <= max.characters) return
      kept.delete(run_id)
      tasks--
      size -= one.size
    }
  }

  return {
    of: (run_id: string): Responses => kept.get(run_id)?.responses ?? new Map(),
    /** `caller`: who responds. */
    set: (run_id: string, responses: Responses, caller: string): void => {
      kept.delete(run_id)
      if (responses.size === 0) return
      kept.set(run_id, { responses, size: JSON.stringify([...responses]).length, caller })
      forgetOldest(limits.ofCaller, (one) => one.caller === caller)
      forgetOldest(limits, () => true)
    },
    forget: (run_id: string): void => {
      kept.delete(run_id)
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
      if (question.areForgotten) partial.forget(question.run_id)
      return responses
    }))

/** The responses that other workers have. They forget them if the run continues. */
export const ofPeers = (peers: Peers, run_id: string, areForgotten = false): Effect.Effect<Responses> =>
  Effect.map(
    peers.ask(topic, { run_id, areForgotten }),
    (found) => new Map(found.flatMap(({ answer }) => Option.getOrElse(decode(answer), () => [])))
  )
