// A tool: a function that a model may call. `execute` is plain TypeScript (a value or a promise) or an Effect.
//
// What a tool throws is an answer for the model, which can try again with other arguments; it does not end the run.
import type { Json } from "@svc/domain"
import { Duration, Effect, type JsonSchema, Predicate, Schema } from "effect"
import type { RunContext } from "../agent/RunContext.ts"
import { type AnySchema, fromJsonSchema, type Infer, isAnySchema, type Shape, shapeOf } from "../schema/AnySchema.ts"

/** What a tool is told about the call beside its arguments. */
export interface ToolContext extends RunContext {
  readonly toolCallId: string
  /** Aborted when nobody wants the result any more. */
  readonly signal: AbortSignal
}

export class ToolFailed extends Schema.TaggedError<ToolFailed>()("ToolFailed", {
  message: Schema.String,
  cause: Schema.Defect()
}) {}

export interface Tool {
  readonly name: string
  readonly description: string | undefined
  readonly parameters: JsonSchema.JsonSchema
  /** The result ends the run: it is the answer, and the model is not asked again. */
  readonly stopAfterCall: boolean
  readonly strict: boolean | undefined
  readonly timeout: Duration.Duration
  /** Checks the arguments, then runs. Arguments that do not fit fail with what is wrong with them. */
  readonly call: (input: unknown, context: Omit<ToolContext, "signal">) => Effect.Effect<unknown, ToolFailed>
}

type Result = unknown | Promise<unknown> | Effect.Effect<unknown, unknown>

export interface Options<S> {
  /** Letters, digits, `_` and `-`, at most 64: what every provider accepts. */
  readonly name: string
  /** Tells the model when to use it. */
  readonly description?: string | undefined
  /** Effect Schema, any Standard Schema, or a JSON Schema. Left out: no arguments. */
  readonly parameters?: S | undefined
  readonly execute: (
    input: S extends AnySchema ? Infer<S> : Json.Object,
    context: ToolContext
  ) => Result
  readonly stopAfterCall?: boolean | undefined
  /** Asks providers that know it to hold the model to the schema. */
  readonly strict?: boolean | undefined
  /** How long a call may take. Ten minutes when left out. */
  readonly timeout?: Duration.Input | undefined
}

const noArguments: Shape<unknown> = {
  title: undefined,
  jsonSchema: { type: "object", properties: {}, additionalProperties: false },
  decode: (input) => Effect.succeed(input ?? {})
}

const shape = (parameters: AnySchema | JsonSchema.JsonSchema | undefined): Shape<unknown> => {
  if (parameters === undefined) return noArguments
  return isAnySchema(parameters) ? shapeOf(parameters) : fromJsonSchema(parameters as JsonSchema.JsonSchema)
}

const nameRule = /^[a-zA-Z0-9_-]{1,64}$/

const messageOf = (cause: unknown): string =>
  Predicate.isError(cause) ? cause.message : Predicate.isString(cause) ? cause : "The tool failed"

const failed = (cause: unknown) => new ToolFailed({ message: messageOf(cause), cause })

export const make = <const S extends AnySchema | JsonSchema.JsonSchema | undefined = undefined>(
  options: Options<S>
): Tool => {
  if (!nameRule.test(options.name)) {
    throw new Error(`Tool name '${options.name}' is not usable: letters, digits, '_' and '-' only, at most 64`)
  }
  const { decode, jsonSchema } = shape(options.parameters)
  const timeout = Duration.fromInputUnsafe(options.timeout ?? "10 minutes")
  const execute = options.execute as (input: unknown, context: ToolContext) => Result
  const run = (input: unknown, context: Omit<ToolContext, "signal">) =>
    Effect.tryPromise({
      try: (signal) => Promise.resolve(execute(input, { ...context, signal })),
      catch: failed
    }).pipe(
      Effect.flatMap((result) =>
        Effect.isEffect(result)
          ? Effect.mapError(result as Effect.Effect<unknown, unknown>, failed)
          : Effect.succeed(result)
      )
    )
  return {
    name: options.name,
    description: options.description,
    parameters: jsonSchema,
    stopAfterCall: options.stopAfterCall ?? false,
    strict: options.strict,
    timeout,
    call: (input, context) =>
      decode(input).pipe(
        Effect.mapError((mismatch) => new ToolFailed({ message: `Invalid arguments: ${mismatch.message}`, cause: mismatch })),
        Effect.flatMap((args) => run(args, context)),
        Effect.timeoutOrElse({
          duration: timeout,
          orElse: () => Effect.fail(failed(`The tool did not finish within ${Duration.format(timeout)}`))
        })
      )
  }
}
