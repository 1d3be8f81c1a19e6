// A tool that the author of a service adds to its MCP server. It belongs to no run: the caller is an assistant.
import { LimitedToSession } from "@svc-runtime/agents/runService/RunServiceErrors"
import { CurrentPrincipal, Errors } from "@svc-runtime/api"
import type * as Ids from "@svc-runtime/domain/Ids"
import type * as Json from "@svc-runtime/domain/Json"
import * as Principal from "@svc-runtime/domain/Principal"
import * as ToolName from "@svc-runtime/domain/ToolName"
import type { AnySchema, Infer } from "@svc-runtime/engine/schema/AnySchema"
import { shapeOfParameters } from "@svc-runtime/engine/tool/Tool"
import { Mistake } from "@svc-runtime/engine/userCode/Mistake"
import * as UserCode from "@svc-runtime/engine/userCode/UserCode"
import * as Validate from "@svc-runtime/engine/userCode/Validate"
import { Duration, Effect, type JsonSchema, Predicate } from "effect"
import { McpSchema } from "effect/ai"
import * as McpTool from "./McpTool.ts"
import * as ToolAccess from "./ToolAccess.ts"

export interface CallContext {
  /** Undefined: the credential of the caller names no user. */
  readonly userId: Ids.UserId | undefined
  /** Aborted when the caller cancels the call. */
  readonly signal: AbortSignal
}

export interface Options<S> {
  /** Letters, digits, `_` and `-`, at most 64. */
  readonly name: string
  /** Tells assistants when to use the tool. Default: none. */
  readonly description?: string | undefined
  /**
   * Effect Schema, any Standard Schema, or a JSON Schema. Default: no arguments. An argument `user_id` is filled with
   * the user of the caller, and callers do not see it.
   */
  readonly parameters?: S | undefined
  /** The scope that a call needs. Default: none. */
  readonly scope?: string | undefined
  /** Whether tokens that are limited to a session may call it. Default: false. */
  readonly admitsSessionTokens?: boolean | undefined
  /** Whether a call changes nothing. Default: false. */
  readonly readOnly?: boolean | undefined
  /** The timeout of a call. Default: ten minutes. */
  readonly timeout?: Duration.Input | undefined
  /** Returns a value, a promise or an Effect. An object is a structured answer, and everything else text. */
  readonly execute: (
    input: S extends AnySchema ? Infer<S> : Json.Object,
    context: CallContext
  ) => UserCode.Returned<unknown>
}

export interface CustomTool extends McpTool.McpTool {
  readonly _tag: "CustomTool"
}

const noParameters = { type: "object", properties: {}, additionalProperties: false }

const userArgument = "user_id"

const propertiesOf = ({ properties }: JsonSchema.JsonSchema): Readonly<Record<string, unknown>> =>
  Predicate.isObject(properties) ? properties as Readonly<Record<string, unknown>> : {}

/** Without the argument that the service fills. */
const shownTo = (schema: JsonSchema.JsonSchema): JsonSchema.JsonSchema => {
  const { [userArgument]: _, ...properties } = propertiesOf(schema)
  const required = Array.isArray(schema["required"]) ? schema["required"].filter((name) => name !== userArgument) : []
  return { ...schema, type: "object", properties, ...(required.length === 0 ? { required: undefined } : { required }) }
}

const resultOf = (value: unknown): McpSchema.CallToolResult => {
  if (typeof value === "string") return McpSchema.CallToolResult.make({ content: [McpTool.text(value)] })
  const json = JSON.stringify(value ?? null)
  const parsed: unknown = JSON.parse(json)
  return McpSchema.CallToolResult.make({
    content: [McpTool.text(json)],
    ...(Predicate.isObject(parsed) ? { structuredContent: parsed as Json.Object } : {})
  })
}

/**
 * A tool of the MCP server. Throws an `Error` that names the tool if its name has other characters than letters,
 * digits, `_` and `-`, or if `parameters` cannot be described as an object.
 */
export const make = <const S extends AnySchema | JsonSchema.JsonSchema | undefined = undefined>(
  options: Options<S>
): CustomTool => {
  const { admitsSessionTokens = false, description, execute, name, parameters, readOnly = false, scope } = options
  if (!ToolName.rule.test(name)) {
    throw new Mistake(`Tool name '${name}' is not usable: letters, digits, '_' and '-' only, at most 64`)
  }
  const shape = parameters === undefined ? undefined : shapeOfParameters(name, parameters)
  const schema = shape?.jsonSchema ?? noParameters
  const timeout = Validate.duration(`Tool '${name}'`, "timeout", options.timeout ?? "10 minutes")
  const takesUser = userArgument in propertiesOf(schema)

  const filled = (given: unknown, userId: Ids.UserId | undefined): unknown => {
    const { [userArgument]: _, ...rest } = Predicate.isObject(given) ? given as Record<string, unknown> : {}
    return userId === undefined ? rest : { ...rest, [userArgument]: userId }
  }

  const isWithin = ({ session_id }: Principal.Principal) => admitsSessionTokens || session_id === undefined

  const rejected = (detail: string) => new McpTool.ToolRejected({ detail })

  const call = Effect.fnUntraced(function*(given: unknown) {
    if (scope !== undefined) yield* ToolAccess.required([scope])
    const principal = yield* CurrentPrincipal
    if (!isWithin(principal)) return yield* Errors.forbidden(new LimitedToSession().message)
    const { user_id } = principal
    const input = takesUser ? filled(given, user_id) : given ?? {}
    const args = shape === undefined
      ? {}
      : yield* Effect.mapError(shape.decode(input), ({ message }) => rejected(`Invalid arguments: ${message}`))
    const executing = UserCode.call((signal) => execute(args as never, { userId: user_id, signal })).pipe(
      Effect.catch((thrown) =>
        Effect.andThen(
          UserCode.logThrown("The code of a tool threw", thrown, { tool: name }),
          Effect.fail(rejected(UserCode.messageOf(thrown, "The tool failed")))
        )
      )
    )
    const value = yield* Effect.timeoutOrElse(executing, {
      duration: timeout,
      orElse: () => Effect.fail(rejected(`The tool did not finish within ${Duration.format(timeout)}`))
    })
    return yield* Effect.try({
      try: () => resultOf(value),
      catch: () => rejected("The tool returned what is not JSON")
    })
  })

  return {
    _tag: "CustomTool",
    name,
    isFor: (principal) => isWithin(principal) && (scope === undefined || Principal.may(principal, scope)),
    descriptor: new McpSchema.Tool({
      name,
      ...(description === undefined ? {} : { description }),
      inputSchema: (takesUser ? shownTo(schema) : schema) as McpSchema.ToolJson,
      annotations: { title: name, readOnlyHint: readOnly }
    }),
    call: (given) => McpTool.answering(name, call(given))
  }
}
