// A remote agent as a tool: the calling model reads its answer, and answers its questions itself.
import * as Tool from "@svc-runtime/engine/tool/Tool"
import { Duration, Effect, Option, Schema } from "effect"
import { type Remote, type RemotePart, type RemoteTask, RemoteTasks, unavailable } from "../../remote/RemoteTasks.ts"
import * as Text from "../execute/Text.ts"
import * as RemoteModel from "./RemoteModel.ts"

export interface Options {
  /** Letters, digits, `_` and `-`, at most 64. Default: the id of the agent. */
  readonly name?: string | undefined
  /** Tells the model when to use the tool. Default: the role or the description of the agent. */
  readonly description?: string | undefined
}

const Ask = Schema.Struct({
  message: Schema.String.annotate({ description: "What the agent is asked, with all that it needs to know" }),
  task_id: Schema.optionalKey(
    Schema.String.annotate({ description: "To answer a question of the agent: the id that came with the question" })
  )
})

const decode = Schema.decodeUnknownEffect(Ask)

const failed = (error: { readonly message: string }) => new Tool.ToolFailed({ message: error.message, cause: error })

const textOf = ({ data, text, url }: RemotePart): string => text ?? url ?? (data === undefined ? "" : Text.ofJson(data))

/** How long the end of a cancelled run waits for the cancel of its remote task. */
const cancelling = Duration.seconds(5)

const answerTo = Effect.fnUntraced(function*(tasks: RemoteTasks["Service"], remote: Remote, task: RemoteTask) {
  let answer = ""
  const onText = yield* RemoteModel.limitedText(remote, (text) => Effect.sync(() => void (answer += text)))
  const end = yield* tasks.follow(remote, task, onText)
  if (end._tag === "Asks") {
    return `${end.question}\n\nTo answer, call this tool again with the answer as message and task_id ${task.task_id}.`
  }
  const addresses = end.files.flatMap(({ url }) => url ?? [])
  return [answer, ...addresses].join("\n")
})

export const make = (remote: Remote, { description, name }: Options): Tool.Tool => {
  const declared = Tool.make({
    name: name ?? remote.id,
    description,
    parameters: Ask,
    effects: remote.deduplicates ? "idempotent" : "once",
    execute: () => Effect.die(new Error(`Nothing answers the calls of '${remote.id}'`))
  })
  return {
    ...declared,
    call: Effect.fnUntraced(function*(input, { effectId, isCancelled }) {
      const tasks = Option.getOrUndefined(yield* Effect.serviceOption(RemoteTasks))
      if (tasks === undefined) return yield* failed(unavailable)
      const { message, task_id } = yield* Effect.mapError(decode(input), failed)
      const outgoing = { message_id: effectId, task_id, parts: [{ text: message }] }
      const sent = yield* Effect.mapError(tasks.send(remote, outgoing, isCancelled), failed)
      if (sent.task_id === undefined) return (sent.parts ?? []).map(textOf).join("")
      const task = { message_id: effectId, task_id: sent.task_id }
      return yield* answerTo(tasks, remote, task).pipe(
        Effect.onInterrupt(() =>
          isCancelled()
            ? Effect.ignore(Effect.timeoutOption(tasks.cancel(remote, task.task_id), cancelling), { log: true })
            : Effect.void
        ),
        Effect.mapError(failed)
      )
    })
  }
}
