// A tool of the AI SDK, as `tool` of its package `ai` makes it. Only its form is known here: the package is not needed.
import { Data, Effect, type JsonSchema, Option, Predicate, Schema, type StandardSchema, Stream } from "effect"
import { type AnySchema, isAnySchema } from "../schema/AnySchema.ts"
import { described, mismatch, Mistake } from "../userCode/Mistake.ts"
import * as UserCode from "../userCode/UserCode.ts"
import type { Options as CallOptions } from "./CallLimits.ts"
import * as MediaResult from "./MediaResult.ts"
import * as Tool from "./Tool.ts"

// What `toModelOutput` of a tool of the AI SDK returns: a text for the model, and media.

/** The tool says that it has failed. */
class OutputFailed extends Data.TaggedError("OutputFailed")<{ readonly message: string }> {}

const text = Schema.optionalKey(Schema.String)

/** Its form depends on the version of the AI SDK. */
const Part = Schema.Struct({ type: Schema.String, text, mediaType: text, data: Schema.optionalKey(Schema.Unknown) })

const Output = Schema.Union([
  Schema.Struct({ type: Schema.Literals(["text", "error-text"]), value: Schema.String }),
  Schema.Struct({ type: Schema.Literals(["json", "error-json"]), value: Schema.Json }),
  Schema.Struct({ type: Schema.Literal("content"), value: Schema.Array(Part) }),
  Schema.Struct({ type: Schema.Literal("execution-denied"), reason: text })
])

const decode = Schema.decodeUnknownOption(Output)

const partOf = ({ data, mediaType, text, type }: typeof Part.Type): MediaResult.Part => {
  const given = Predicate.hasProperty(data, "data") ? data.data : data
  return { text: text ?? `[${mediaType ?? type}]`, data: Predicate.isString(given) ? given : undefined, mediaType }
}

const failed = (message: string) => Effect.fail(new OutputFailed({ message }))

const read = (given: unknown): Effect.Effect<unknown, OutputFailed> => {
  const output = Option.getOrUndefined(decode(given))
  switch (output?.type) {
    case "text":
    case "json":
      return Effect.succeed(output.value)
    case "content":
      return Effect.succeed(MediaResult.ofParts(output.value.map(partOf)))
    case "error-text":
      return failed(output.value)
    case "error-json":
      return failed(JSON.stringify(output.value))
    case "execution-denied":
      return failed(output.reason ?? "The execution was denied")
    default:
      return failed("The tool has run, but its toModelOutput returned nothing that is known")
  }
}

/** Methods, because the schema of the author makes the parameters of a function narrower. */
interface Functions {
  execute(input: unknown, options: object): unknown
  toModelOutput(options: object): unknown
}
type Execute = Functions["execute"]
type ToModelOutput = Functions["toModelOutput"]

/** What `tool` and `dynamicTool` return. */
export interface AiSdkTool {
  readonly type?: string | undefined
  readonly description?: string | ((options: never) => string) | undefined
  /** A Standard Schema, such as one of zod, or what `jsonSchema` returns. */
  readonly inputSchema: unknown
  /** Without it, the call is executed elsewhere: the run pauses for its result. */
  readonly execute?: Execute | undefined
  readonly toModelOutput?: ToModelOutput | undefined
  /** Whether a person confirms a call, or a function of the arguments that says so. */
  readonly needsApproval?: unknown
  readonly strict?: boolean | undefined
}

export interface Options extends CallOptions {
  /** What is allowed after a crash during a call: `read`, `idempotent` or `once`. Default: `once`. */
  readonly effects?: Tool.Effects | undefined
  /** Whether the decision about a call is recorded (`audit`), and needs `approvals:write` (`required`). */
  readonly approval?: "required" | "audit" | undefined
  /** The result is the answer of the run, and the model is not requested again. Default: false. */
  readonly stopAfterCall?: boolean | undefined
}

/** What `jsonSchema` of the AI SDK returns. */
interface SdkSchema {
  readonly jsonSchema: unknown
  readonly validate?: (value: unknown) => unknown
}

const isSdkSchema = (value: unknown): value is SdkSchema => Predicate.hasProperty(value, "jsonSchema")

const failureOf = (result: unknown): string =>
  Predicate.hasProperty(result, "error") && Predicate.hasProperty(result.error, "message")
    ? String(result.error.message)
    : "it does not match the schema"

const standardOf = (
  jsonSchema: JsonSchema.JsonSchema,
  validate: (value: unknown) => unknown
): StandardSchema.StandardSchemaV1<unknown, unknown> & StandardSchema.StandardJSONSchemaV1 => ({
  "~standard": {
    version: 1,
    vendor: "ai",
    jsonSchema: { input: () => jsonSchema, output: () => jsonSchema },
    validate: (value) =>
      Promise.resolve(validate(value)).then((result) =>
        Predicate.hasProperty(result, "success") && result.success === true && Predicate.hasProperty(result, "value")
          ? { value: result.value }
          : { issues: [{ message: failureOf(result) }] }
      )
  }
})

const schemaOf = (name: string, given: unknown): AnySchema | JsonSchema.JsonSchema => {
  if (isAnySchema(given)) return given
  const schema: unknown = Predicate.isFunction(given) ? given() : given
  if (isAnySchema(schema)) return schema
  if (isSdkSchema(schema) && Predicate.isObject(schema.jsonSchema) && !Predicate.isPromiseLike(schema.jsonSchema)) {
    const { jsonSchema, validate } = schema
    return validate === undefined ? jsonSchema : standardOf(jsonSchema, validate)
  }
  throw new Mistake(
    `Tool '${name}': its inputSchema is no Standard Schema, and no schema of the AI SDK that is known at once`
  )
}

const isIterable = (value: unknown): value is AsyncIterable<unknown> =>
  Predicate.isObject(value) && Symbol.asyncIterator in value

const thrown = (cause: unknown) => new UserCode.UserError({ cause })

/** Of several results, the last one is the result of the call. */
const lastOf = (returned: unknown): Effect.Effect<unknown, UserCode.UserError> =>
  isIterable(returned)
    ? Effect.map(Stream.runCollect(Stream.takeRight(Stream.fromAsyncIterable(returned, thrown), 1)), ([last]) => last)
    : Effect.succeed(returned)

type NeedsApproval = (input: unknown, options: object) => UserCode.Returned<boolean>

const confirmationOf = (
  needsApproval: unknown,
  { approval }: Options
): Tool.Options<AnySchema>["requiresConfirmation"] => {
  if (!Predicate.isFunction(needsApproval)) return needsApproval !== false || approval !== undefined
  const asks = needsApproval as NeedsApproval
  return (input, { toolCallId }) => asks(input, { toolCallId, messages: [], context: {} })
}

const executeWith = (execute: Execute, toModelOutput: ToModelOutput | undefined) =>
  Effect.fnUntraced(function*(input: unknown, { toolCallId }: Tool.ToolContext) {
    const returned = UserCode.call((abortSignal) =>
      execute(input, { toolCallId, abortSignal, messages: [], context: {} })
    )
    const output = yield* Effect.flatMap(returned, lastOf)
    if (toModelOutput === undefined) return output
    return yield* read(yield* UserCode.call(() => toModelOutput({ toolCallId, input, output })))
  })

/**
 * A tool of the AI SDK as a tool of an agent, under a name for models. `needsApproval` is a confirmation, and its
 * function is called with the arguments of each call. A tool without `execute` is executed elsewhere. Its functions get
 * no earlier messages.
 *
 * Throws an `Error` that names the tool if the provider executes it, or if its schema cannot be read.
 *
 * ```ts
 * import { Agent, AiSdkTool } from "@svc-runtime/server"
 * import { tool } from "ai"
 * import { z } from "zod"
 *
 * const weather = tool({
 *   description: "The weather of a city",
 *   inputSchema: z.object({ city: z.string() }),
 *   execute: async ({ city }) => ({ city, sky: "clear" })
 * })
 *
 * export const assistant = Agent.make({
 *   id: "assistant",
 *   tools: [AiSdkTool.make("weather", weather, { effects: "read" })]
 * })
 * ```
 */
export const make = (name: string, tool: AiSdkTool, options: Options = {}): Tool.Tool => {
  if (!Predicate.isString(name)) {
    throw new Mistake(
      `AiSdkTool takes the name of the tool first, and was given ${described(name)}. Write AiSdkTool.make("name", tool)`
    )
  }
  if (!Predicate.isObject(tool)) throw mismatch(`Tool '${name}': the tool of the AI SDK`, "an object", tool)
  const { description, execute, inputSchema, needsApproval = false, strict, toModelOutput, type } = tool
  if (type === "provider") {
    throw new Mistake(`Tool '${name}' is a tool of a provider, and not one that is executed here`)
  }
  return Tool.make({
    ...options,
    name,
    description: Predicate.isString(description) ? description : undefined,
    parameters: schemaOf(name, inputSchema),
    strict,
    ...(execute === undefined
      ? { externalExecution: true }
      : {
        requiresConfirmation: confirmationOf(needsApproval, options),
        execute: executeWith(execute, toModelOutput)
      })
  })
}
