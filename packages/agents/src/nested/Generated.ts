// A request to a model by a tool or by a function of a workflow: a run of an agent that has nothing but the question.
import type { EarlierMessage } from "@svc-runtime/domain/EarlierMessage"
import type * as Json from "@svc-runtime/domain/Json"
import type { Question, Schema } from "@svc-runtime/engine/durable/Durable"
import { CallFailed } from "@svc-runtime/engine/durable/Durable"
import type { ModelRef } from "@svc-runtime/models/ModelCatalog"
import { Effect, Result } from "effect"
import * as Agent from "../agent/define/Agent.ts"

export interface Generated {
  readonly agent: Agent.Agent
  readonly input: Json.Value
  readonly earlier_messages: ReadonlyArray<EarlierMessage> | undefined
}

const id = "generate"

const invalid = (message: string) => new CallFailed({ kind: "Error", message })

/** `model`: unless the question names another one. */
export const of = (
  question: Question<Schema | undefined>,
  model: ModelRef | undefined
): Effect.Effect<Generated, CallFailed> =>
  Effect.suspend(() => {
    const { instructions, messages, prompt, schema: outputSchema } = question
    const last = messages?.at(-1)
    const input = prompt ?? (last?.role === "user" ? last.content : undefined)
    if (input === undefined) {
      return Effect.fail(invalid("generate() needs a prompt, or messages that end with one of the user"))
    }
    const agent = Result.try(() => Agent.define({ id, model: question.model ?? model, instructions, outputSchema }, []))
    return Result.isFailure(agent)
      ? Effect.fail(invalid(agent.failure instanceof Error ? agent.failure.message : String(agent.failure)))
      : Effect.succeed({ agent: agent.success, input, earlier_messages: messages?.slice(0, -1) })
  })
