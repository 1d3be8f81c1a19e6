// Converts tools, the tool choice and the format of the answer to the AI SDK. The definition of a tool is cached by its
// object, so later requests of a run reuse it.
import type {
  JSONSchema7,
  LanguageModelV4CallOptions,
  LanguageModelV4FunctionTool,
  LanguageModelV4ProviderTool,
  LanguageModelV4ToolChoice
} from "@ai-sdk/provider"
import type { JsonSchema } from "effect"
import { LanguageModel, Tool } from "effect/ai"
import type { ResponseFormat } from "./RequestOptions.ts"

type Definition = LanguageModelV4FunctionTool | LanguageModelV4ProviderTool
type Format = NonNullable<LanguageModelV4CallOptions["responseFormat"]>

const definitions = new WeakMap<Tool.Any, Definition>()

/** Providers require an object with properties, even for a tool without parameters. */
const inputSchema = (schema: JsonSchema.JsonSchema): JSONSchema7 => {
  const isObject = schema.type === undefined || schema.type === "object"
  const isComplete = schema.properties !== undefined || schema.anyOf !== undefined || schema.$ref !== undefined
  return (isObject && !isComplete ? { ...schema, type: "object", properties: {} } : schema) as JSONSchema7
}

const define = (tool: Tool.Any): Definition => {
  if (Tool.isProviderDefined(tool)) {
    return { type: "provider", id: tool.id, name: tool.name, args: (tool.args ?? {}) as Record<string, unknown> }
  }
  const description = Tool.getDescription(tool)
  const strict = Tool.getStrictMode(tool)
  return {
    type: "function",
    name: tool.name,
    inputSchema: inputSchema(Tool.getJsonSchema(tool)),
    ...(description === undefined ? {} : { description }),
    ...(strict === undefined ? {} : { strict })
  }
}

const definition = (tool: Tool.Any): Definition => {
  let result = definitions.get(tool)
  if (result === undefined) {
    result = define(tool)
    definitions.set(tool, result)
  }
  return result
}

const choice = (value: LanguageModel.ToolChoice<string>): LanguageModelV4ToolChoice => {
  if (typeof value === "string") return { type: value }
  if ("tool" in value) return { type: "tool", toolName: value.tool }
  if (value.mode !== "required") return { type: "auto" }
  const [only, ...others] = value.oneOf
  return only !== undefined && others.length === 0 ? { type: "tool", toolName: only } : { type: "required" }
}

export const tools = (
  options: Pick<LanguageModel.ProviderOptions, "tools" | "toolChoice">
): Pick<LanguageModelV4CallOptions, "tools" | "toolChoice"> =>
  options.tools.length === 0
    ? {}
    : { tools: options.tools.map(definition), toolChoice: choice(options.toolChoice) }

const schemaName = (name: string): string => name.replace(/[^\w-]/g, "_").slice(0, 64) || "response"

/** The format of `generateObject`, else the one of the context. */
export const format = (own: LanguageModel.ProviderOptions["responseFormat"], context: ResponseFormat): Format => {
  if (own.type === "json") {
    const { jsonSchema } = LanguageModel.defaultCodecTransformer(own.schema as never)
    return { type: "json", name: schemaName(own.objectName), schema: jsonSchema as JSONSchema7 }
  }
  return context.type === "json"
    ? { type: "json", name: schemaName(context.name), schema: context.schema as JSONSchema7 }
    : { type: "text" }
}
