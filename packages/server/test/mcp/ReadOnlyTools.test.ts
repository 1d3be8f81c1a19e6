// The reads of MCP tools are limited like those of GET requests.
import { assert, describe, it } from "@effect/vitest"
import { CurrentPrincipal } from "@svc-runtime/api"
import * as Principal from "@svc-runtime/domain/Principal"
import * as ReadLimiter from "@svc-runtime/engine/limits/ReadLimiter"
import * as McpTool from "@svc-runtime/http/mcpTool/McpTool"
import { Effect, Schema } from "effect"
import { McpSchema } from "effect/ai"

const toolWith = (readOnlyHint: boolean) =>
  McpTool.make({
    name: "tool",
    description: "A tool.",
    parameters: Schema.Struct({ name: Schema.String }),
    output: Schema.Struct({ isReadOnly: Schema.Boolean }),
    annotations: { title: "Tool", readOnlyHint },
    isFor: () => true,
    call: () =>
      Effect.map(ReadLimiter.ReadLimiter, (limiter) => ({ structured: { isReadOnly: limiter?.isReadOnly ?? false } }))
  })

describe("read-only tools", () => {
  it.effect("only tools that change nothing read like a GET request", () =>
    Effect.gen(function*() {
      const limiter: ReadLimiter.Limiter = {
        isReadOnly: false,
        admit: () => Effect.void,
        pieces: ReadLimiter.unlimited
      }
      const request: ReadLimiter.Limiter = {
        ...limiter,
        reading: (effect) => Effect.provideService(effect, ReadLimiter.ReadLimiter, { ...limiter, isReadOnly: true })
      }
      for (const isReadOnly of [true, false]) {
        const { structuredContent } = yield* toolWith(isReadOnly).call({ name: "x" }).pipe(
          Effect.provideService(ReadLimiter.ReadLimiter, request),
          Effect.provideService(CurrentPrincipal, Principal.open),
          Effect.provideService(McpSchema.McpRequestContext, {} as never)
        )
        assert.deepStrictEqual(structuredContent, { isReadOnly })
      }
    }))
})
