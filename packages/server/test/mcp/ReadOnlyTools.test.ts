// The reads of MCP tools are limited like those of GET requests.
import { assert, describe, it } from "@effect/vitest"
import { CurrentPrincipal } from "@svc/api"
import * as Principal from "@svc/domain/Principal"
import * as ReadGate from "@svc/runtime/limits/ReadGate"
import { Effect, Schema } from "effect"
import { McpSchema } from "effect/ai"
import * as McpTool from "../../src/mcpTool/McpTool.ts"

const toolWith = (readOnlyHint: boolean) =>
  McpTool.make({
    name: "tool",
    description: "A tool.",
    parameters: Schema.Struct({ name: Schema.String }),
    output: Schema.Struct({ isReadOnly: Schema.Boolean }),
    annotations: { title: "Tool", readOnlyHint },
    isFor: () => true,
    call: () => Effect.map(ReadGate.ReadGate, (gate) => ({ structured: { isReadOnly: gate?.isReadOnly ?? false } }))
  })

describe("read-only tools", () => {
  it.effect("only tools that change nothing read like a GET request", () =>
    Effect.gen(function*() {
      const gate: ReadGate.Gate = { isReadOnly: false, admit: () => Effect.void, pieces: ReadGate.unlimited }
      const request: ReadGate.Gate = {
        ...gate,
        reading: (effect) => Effect.provideService(effect, ReadGate.ReadGate, { ...gate, isReadOnly: true })
      }
      for (const isReadOnly of [true, false]) {
        const { structuredContent } = yield* toolWith(isReadOnly).call({ name: "x" }).pipe(
          Effect.provideService(ReadGate.ReadGate, request),
          Effect.provideService(CurrentPrincipal, Principal.open),
          Effect.provideService(McpSchema.McpRequestContext, {} as never)
        )
        assert.deepStrictEqual(structuredContent, { isReadOnly })
      }
    }))
})
