// Hooks, and a tool with a secret in its result and its arguments.
import type * as Json from "@svc-runtime/domain/Json"
import * as Tool from "@svc-runtime/engine/tool/Tool"
import { toolCall } from "@svc-runtime/test-support/ScriptedModel"
import * as Hook from "../../src/agent/define/Hook.ts"

export const masked = (value: string) => value.replaceAll("Ada", "***")

export const hook = (
  functions: Omit<Hook.RunHook, "name">
): ReadonlyArray<Hook.RunHook> => [{ name: "guard", ...functions }]

export const reject = () => {
  throw new Hook.CheckFailed({ reason: "off_topic", message: "Not here" })
}

export const look = (options: { readonly requiresConfirmation?: boolean; readonly stopAfterCall?: boolean } = {}) => {
  const given: Array<Json.Value> = []
  const tool = Tool.make({
    name: "look",
    parameters: { type: "object", additionalProperties: true },
    effects: "read",
    ...options,
    execute: (args: Json.Object) => {
      given.push(args)
      return "The code is Ada"
    }
  })
  return { given, tool }
}

export const asks = toolCall("look", { at: "Ada" })
