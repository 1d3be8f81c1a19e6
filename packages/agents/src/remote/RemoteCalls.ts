// The calls by which a run speaks to a remote agent. They are in the journal as calls of tools are: a message is not
// sent twice, and the task that it began is known before its answer is awaited.
import * as Json from "@svc-runtime/domain/Json"
import * as Tool from "@svc-runtime/engine/tool/Tool"
import { Effect, Option, Schema } from "effect"
import { type Outgoing, type Remote, RemotePart, RemoteTasks, Sent, unavailable } from "./RemoteTasks.ts"

export const sendName = "send_to_remote_agent"
export const answerName = "answer_remote_agent"

/** The arguments of the call that sends a message. */
export const Send = Schema.Struct({
  message: Schema.String,
  files: Schema.optionalKey(Schema.Array(RemotePart)),
  context_id: Schema.optionalKey(Schema.String)
})
export type Send = typeof Send.Type

/** Those of the call that answers a question. A person supplies the answer. */
export const Answer = Schema.Struct({
  question: Schema.String,
  task_id: Schema.String,
  context_id: Schema.optionalKey(Schema.String),
  answer: Schema.String
})
export type Answer = typeof Answer.Type

const encodeSent = Schema.encodeSync(Schema.fromJsonString(Sent))

const decodeSent = Schema.decodeUnknownOption(Schema.fromJsonString(Sent))

/** None for a result that a person has supplied. */
export const sentIn = (result: string) => decodeSent(result)

const failed = (error: { readonly message: string }) => new Tool.ToolFailed({ message: error.message, cause: error })

/** An object is sent as data, which remote agents ask for with a schema. */
const answerPart = (answer: string): RemotePart => {
  const data = Json.parseInput(answer)
  return data._tag === "Some" && Json.isObject(data.value) ? { data: data.value } : { text: answer }
}

const toolOf = <A>(
  remote: Remote,
  options: Omit<Tool.Options<Schema.Codec<A, Json.Object>>, "effects" | "execute"> & {
    readonly parameters: Schema.Codec<A, Json.Object>
  },
  messageOf: (input: A) => Omit<Outgoing, "message_id">
): Tool.Tool => {
  const decode = Schema.decodeUnknownEffect(options.parameters)
  const declared = Tool.make({
    ...options,
    effects: remote.deduplicates ? "idempotent" : "once",
    execute: () => Effect.die(new Error(`Nothing answers the calls of '${options.name}'`))
  })
  return {
    ...declared,
    call: Effect.fnUntraced(function*(input, { effectId, isCancelled }) {
      const tasks = Option.getOrUndefined(yield* Effect.serviceOption(RemoteTasks))
      if (tasks === undefined) return yield* failed(unavailable)
      const message = messageOf(yield* Effect.mapError(decode(input), failed))
      const sending = tasks.send(remote, { ...message, message_id: effectId }, isCancelled)
      return encodeSent(yield* Effect.mapError(sending, failed))
    })
  }
}

export const make = (remote: Remote): ReadonlyArray<Tool.Tool> => [
  toolOf(
    remote,
    { name: sendName, description: "Sends a message to the remote agent.", parameters: Send },
    ({ context_id, files = [], message }) => ({
      context_id,
      parts: [...message === "" && files.length > 0 ? [] : [{ text: message }], ...files]
    })
  ),
  toolOf(
    remote,
    {
      name: answerName,
      description: "Answers a question of the remote agent.",
      parameters: Answer,
      requiresUserInput: ["answer"]
    },
    ({ answer, context_id, task_id }) => ({ context_id, task_id, parts: [answerPart(answer)] })
  )
]
