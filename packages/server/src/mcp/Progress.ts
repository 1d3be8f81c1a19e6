// Reports the progress of a call to a client that requested it.
import { Effect, Option } from "effect"
import { McpSchema, type McpServer } from "effect/ai"

export interface Progress {
  /** Whether the client requested progress. */
  readonly isWanted: boolean
  /** Comes before the response, in the order of the calls. */
  readonly report: (message: string) => Effect.Effect<void>
}

/** Of a call that can become a task: tasks have no progress. */
export const none: Progress = { isWanted: false, report: () => Effect.void }

/** Requests in sessions and requests without a session have the metadata of a call in different places. */
const metadata = Effect.gen(function*() {
  const client = yield* Effect.serviceOption(McpSchema.McpServerClient)
  return Option.isSome(client) ? client.value.requestMetadata : (yield* McpSchema.McpRequestContext).requestMetadata
})

const isToken = (token: unknown): token is string | number => typeof token === "string" || typeof token === "number"

export const make = Effect.fnUntraced(function*(server: McpServer.McpServer["Service"]) {
  const given: Readonly<Record<string, unknown>> | undefined = yield* metadata
  const progressToken = given?.["progressToken"]
  const context = yield* McpSchema.McpRequestContext
  let next = 0
  const progress: Progress = {
    isWanted: isToken(progressToken),
    report: (message) =>
      isToken(progressToken)
        ? server.notifications["notifications/progress"]({ progressToken, progress: next++, message }).pipe(
          Effect.provideService(McpSchema.McpRequestContext, context)
        )
        : Effect.void
  }
  return progress
})
