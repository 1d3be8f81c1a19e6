// Calls of a model over a server that speaks the format of its provider.
import * as Reply from "@svc-runtime/test-support/wire/Reply"
import type * as WireServer from "@svc-runtime/test-support/wire/WireServer"
import { Effect, Redacted } from "effect"
import type { Scope } from "effect"
import * as AiSdkModel from "../src/AiSdkModel.ts"
import type * as ModelRetry from "../src/ModelRetry.ts"
import type { ModelSettings } from "../src/ModelSettings.ts"

export type Body = WireServer.RecordedRequest["body"]

export interface Subject {
  readonly name: string
  readonly modelId: string
  readonly server: Effect.Effect<WireServer.WireServer, never, Scope.Scope>
  readonly client: (url: string, apiKey: string) => AiSdkModel.AiSdkLanguageModel
  /** How many events of a stream come before the first piece of text. */
  readonly eventsBeforeText: number
  readonly sent: {
    readonly tools: (body: Body) => unknown
    readonly toolChoice: (body: Body) => unknown
    readonly schema: (body: Body) => unknown
    readonly image: (body: Body) => unknown
    readonly toolResults: (body: Body) => unknown
  }
  readonly expected: {
    readonly tools: unknown
    readonly toolChoice: { readonly required: unknown; readonly add: unknown }
    readonly image: unknown
    readonly imageUrl: unknown
    readonly toolResults: unknown
  }
}

export const apiKey = "sk-test-0123456789abcdef"
export const quick: ModelRetry.Options = { baseDelay: 0 }

export const connect = Effect.fnUntraced(function*(
  subject: Subject,
  retry: ModelRetry.Options = quick,
  settings: ModelSettings = {}
) {
  const server = yield* subject.server
  const model = yield* AiSdkModel.make({
    model: subject.client(server.url, apiKey),
    provider: subject.name,
    retry,
    settings,
    secrets: [Redacted.make(apiKey)]
  })
  return { server, model }
})

export const hello = Reply.text("Hel", "lo ", "there")
