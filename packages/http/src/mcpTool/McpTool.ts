// A tool: its name, the schemas of its arguments and its result, its scope, and its function. Tools are registered
// one by one and not as a toolkit of the library's, because their text is not the JSON of their structured answer, and
// because errors of their arguments have the texts of this contract.
import { CurrentPrincipal, type Errors, type FactoryErrors } from "@svc-runtime/api"
import type * as Principal from "@svc-runtime/domain/Principal"
import { fromSchemaError } from "@svc-runtime/domain/schema/ValidationProblems"
import * as ReadLimiter from "@svc-runtime/engine/limits/ReadLimiter"
import * as OperationSpan from "@svc-runtime/telemetry/OperationSpan"
import { Cause, Context, Effect, type Fiber, Layer, Predicate, Schema } from "effect"
import { McpSchema, McpServer } from "effect/ai"
import { memoize } from "effect/Function"
import { HttpServerRequest } from "effect/http"
import * as RequestRecord from "../logging/RequestRecord.ts"
import * as RequestId from "../requests/RequestId.ts"

/** The failure of a tool, as a text for its caller. */
export class ToolRejected extends Schema.TaggedError<ToolRejected>()("ToolRejected", { detail: Schema.String }) {}

export type Failure =
  | ToolRejected
  | Errors.BadRequest
  | Errors.Forbidden
  | Errors.NotFound
  | Errors.Invalid
  | Errors.Conflict
  | Errors.PayloadTooLarge
  | Errors.TooManyRequests
  | FactoryErrors.FactoryValidationError
  | FactoryErrors.FactoryPermissionError
  | FactoryErrors.FactoryError
  | Errors.Unavailable

export interface Answer<Structured> {
  /** The text for clients without structured answers. Default: the structured answer as JSON. */
  readonly content?: ReadonlyArray<typeof McpSchema.ContentBlock.Type>
  readonly structured: Structured
}

/** The data of each call beside its arguments. */
type Call = CurrentPrincipal | McpSchema.McpRequestContext

export interface Options<Parameters, ParametersEncoded, Output, OutputEncoded> {
  readonly name: string
  readonly description: string
  readonly parameters: Schema.Codec<Parameters, ParametersEncoded>
  readonly output: Schema.Codec<Output, OutputEncoded>
  readonly annotations: {
    readonly title: string
    readonly readOnlyHint: boolean
    readonly destructiveHint?: boolean
    readonly idempotentHint?: boolean
    readonly openWorldHint?: boolean
  }
  /** Whether the list for a caller has the tool. A call checks its scope for the component again. */
  readonly isFor: (principal: Principal.Principal) => boolean
  readonly call: (parameters: Parameters) => Effect.Effect<Answer<Output>, Failure, Call>
}

export interface McpTool {
  readonly name: string
  readonly isFor: (principal: Principal.Principal) => boolean
  readonly descriptor: McpSchema.Tool
  readonly call: (given: unknown) => Effect.Effect<McpSchema.CallToolResult, never, Call>
}

/** The schemas of the tools are constants, and a process can have many services. */
const jsonSchema = memoize((schema: Schema.Constraint) => {
  const { definitions, schema: root } = Schema.toJsonSchemaDocument(schema, { onExcessProperty: "error" })
  return Object.keys(definitions).length === 0 ? root : { ...root, $defs: definitions }
})

export const text = (text: string) => ({ type: "text", text }) as const

const failed = (tool: string, message: string) =>
  McpSchema.CallToolResult.make({ isError: true, content: [text(`Error calling tool '${tool}': ${message}`)] })

/** An internal failure. The caller gets an id, and the log has the cause under this id. */
const broken = Effect.fnUntraced(function*(tool: string, cause: Cause.Cause<never>) {
  if (Cause.hasInterrupts(cause)) return yield* Effect.failCause(cause)
  const request_id = yield* RequestId.current
  yield* Effect.annotateLogs(Effect.logError("A call of a tool failed", cause), { request_id, tool })
  return failed(tool, `The service failed to respond. Its log says more under request_id ${request_id}.`)
})

/** Every failure of a call is a result that its caller reads. */
export const answering = <R>(
  tool: string,
  call: Effect.Effect<McpSchema.CallToolResult, Failure, R>
): Effect.Effect<McpSchema.CallToolResult, never, R> =>
  call.pipe(
    Effect.catch(({ detail }) => Effect.succeed(failed(tool, detail))),
    Effect.catchCause((cause) => broken(tool, cause))
  )

/** What is wrong with a part of the arguments. */
export const validationText = (part: string) => (error: Schema.SchemaError) =>
  new ToolRejected({
    detail: fromSchemaError(part, error).map(({ loc, msg }) => `${loc.join(".")}: ${msg}`).join("; ")
  })

/** Arguments and items of lists: the time to decode them grows with their number. */
const maxItems = 10_000

/** Of more arguments and items only the first problem is named. */
const maxItemsWithAllProblems = 1000

const sizeOf = (given: unknown): number =>
  Predicate.isObject(given)
    ? Object.values(given).reduce<number>((sum, each) => sum + 1 + (Array.isArray(each) ? each.length : 0), 0)
    : 0

const within = (items: number): Effect.Effect<"all" | "first", ToolRejected> =>
  items > maxItems
    ? Effect.fail(
      new ToolRejected({ detail: `arguments: a call has at most ${maxItems} arguments and items of lists` })
    )
    : Effect.succeed(items > maxItemsWithAllProblems ? "first" : "all")

/** The answer of a tool with structured answers of a schema. */
export const resultOf = <Output, OutputEncoded>(output: Schema.Codec<Output, OutputEncoded>) => {
  const encode = Schema.encodeEffect(output)
  return ({ content, structured }: Answer<Output>): Effect.Effect<McpSchema.CallToolResult> =>
    Effect.map(Effect.orDie(encode(structured)), (structuredContent) =>
      McpSchema.CallToolResult.make({
        content: content ?? [text(JSON.stringify(structuredContent))],
        structuredContent
      }))
}

export const make = <Parameters, ParametersEncoded, Output, OutputEncoded>(
  options: Options<Parameters, ParametersEncoded, Output, OutputEncoded>
): McpTool => {
  const { annotations, description, name, output, parameters } = options
  const decode = Schema.decodeUnknownEffect(parameters)
  const toResult = resultOf(output)
  return {
    name,
    isFor: options.isFor,
    descriptor: new McpSchema.Tool({
      name,
      title: annotations.title,
      description,
      inputSchema: jsonSchema(parameters) as McpSchema.ToolJson,
      outputSchema: jsonSchema(output),
      annotations
    }),
    call: (given) =>
      answering(
        name,
        within(sizeOf(given)).pipe(
          Effect.flatMap((errors) =>
            Effect.mapError(decode(given, { errors, onExcessProperty: "error" }), validationText("arguments"))
          ),
          Effect.flatMap((parameters) => {
            const answered = Effect.flatMap(options.call(parameters), toResult)
            return annotations.readOnlyHint ? ReadLimiter.reading(answered) : answered
          })
        )
      )
  }
}

/**
 * A list shows a tool to callers who may use it. Other callers get the missing scope as an error. Callers with an
 * access token see all tools, because they can request more scopes.
 */
const shown = (tools: ReadonlyArray<McpTool>) => {
  const byName = new Map(tools.map((tool) => [tool.name, tool]))
  return McpServer.visibility(({ method, target }) =>
    method === "tools/call"
      ? Effect.succeed(true)
      : CurrentPrincipal.useSync((principal) =>
        principal.credential === "oauth" || (byName.get(target)?.isFor(principal) ?? true)
      )
  )
}

/** The span of a call continues the trace in the `_meta` of its request. */
const spanned = <E, R>({ name }: McpTool, call: Effect.Effect<McpSchema.CallToolResult, E, R>) =>
  Effect.flatMap(McpSchema.McpRequestContext, ({ protocolVersion, requestMetadata }) =>
    OperationSpan.message(
      call,
      {
        name: `tools/call ${name}`,
        attributes: {
          "mcp.method.name": "tools/call",
          "mcp.protocol.version": protocolVersion,
          "gen_ai.operation.name": "execute_tool",
          "gen_ai.tool.name": name
        },
        fields: { ...requestMetadata }
      },
      ({ isError }) => isError === true
    ))

/** Shows the tool in the log line of the request. */
const note = (fiber: Fiber.Fiber<unknown, unknown>, tool: string): void => {
  const request = Context.getOrUndefined(fiber.context, HttpServerRequest.HttpServerRequest)
  const record = request === undefined ? undefined : RequestRecord.of(request)
  if (record !== undefined) record.tools = record.tools === undefined ? tool : `${record.tools},${tool}`
}

/** The library's own type for the data of a request. */
type PerRequest = McpServer.McpRequest.From<"Requires", CurrentPrincipal>

export const layer = (
  tools: ReadonlyArray<McpTool>
): Layer.Layer<never, never, McpServer.McpServer | PerRequest> =>
  Layer.effectDiscard(Effect.gen(function*() {
    const server = yield* McpServer.McpServer
    const services = yield* Effect.context<never>()
    for (const tool of tools) {
      yield* server.addTool({
        tool: tool.descriptor,
        annotations: Context.empty(),
        services,
        // `addTool` does not pass the data of a request: the router provides it by `PerRequest`
        handle: (given) =>
          Effect.withFiber((fiber) => {
            note(fiber, tool.name)
            return Effect.provideService(
              spanned(tool, tool.call(given)),
              CurrentPrincipal,
              Context.getUnsafe(fiber.context, CurrentPrincipal)
            )
          })
      })
    }
  })).pipe(Layer.provide(shown(tools).layer))
