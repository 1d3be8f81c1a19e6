// The text of a remote agent, up to the limit of the answers of all models, before it is collected.
import { ByteLimits, bytesOf } from "@svc-runtime/engine/limits/ByteLimits"
import { Effect } from "effect"
import { type Remote, RemoteFailed } from "./RemoteTasks.ts"

export const of = Effect.fnUntraced(function*({ id }: Remote, onText: (text: string) => Effect.Effect<void>) {
  const { output: limit } = yield* ByteLimits
  const message = `The answer of the remote agent ${id} is larger than ${limit} bytes (OUTPUT_MAX_BYTES)`
  let bytes = 0
  return (text: string): Effect.Effect<void, RemoteFailed> => {
    bytes += bytesOf(text)
    return bytes <= limit ? onText(text) : Effect.fail(new RemoteFailed({ message }))
  }
})
