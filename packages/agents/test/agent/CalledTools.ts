// Tools, and turns of a model that calls them.
import * as Tool from "@svc-runtime/engine/tool/Tool"
import { text, toolCall } from "@svc-runtime/test-support/ScriptedModel"
import { z } from "zod"

export const add = Tool.make({
  name: "add",
  parameters: z.object({ a: z.number(), b: z.number() }),
  execute: ({ a, b }) => a + b
})

export const failing = Tool.make({
  name: "fail",
  execute: () => {
    throw new Error("Out of order")
  }
})

export const once = (name: string, params: unknown = {}) => [[toolCall(name, params)], [text("Done")]]
