// A tool: a function that a model may call. `execute` is plain TypeScript (a value or a promise) or an Effect.
//
// What a tool throws is an answer for the model, which can try again with other arguments; it does not end the run.
import type { Json } from "@svc/domain"
import { Duration, Effect, type JsonSchema, Schema } from "effect"
import { type AnySchema, authored, type Infer, isAnySchema, type Mismatch, type Shape } from "../schema/AnySchema.ts"
import * as UserCode from "../usercode/UserCode.ts"
import * as Validate from "../usercode/Validate.ts"
import type { RunContext } from "./RunContext.ts"
import * as UserInput from "./UserInput.ts"

/** What a tool is told about the call beside its arguments. */
export interface ToolContext extends RunContext {
  readonly toolCallId: string
  /**
   * Names this call for ever: the same when the call is made again because the service has stopped in the middle of it,
   * and different for every other call. Hand it to what you call as its idempotency key.
   */
  readonly effectId: string
  /**
   * Tells those who watch the run something of your own: an event `CustomEvent` with these fields and the `tool_call_id`.
   * Throws when they are no JSON, or have names that the service uses itself.
   */
  readonly emit: (fields: Json.Object) => void
  /** Aborted when nobody wants the result any more. */
  readonly signal: AbortSignal
}

export class ToolFailed extends Schema.TaggedError<ToolFailed>()("ToolFailed", {
  message: Schema.String,
  cause: Schema.Defect()
}) {}

/**
 * What it does to the world to make a call twice: nothing because it only reads, nothing because it recognises a call by
 * its `effectId`, or the thing itself once more.
 */
export type Effects = "read" | "idempotent" | "once"

export interface Tool {
  readonly name: string
  readonly description: string | undefined
  /** An object at its root, with `properties`: what every provider accepts. */
  readonly parameters: JsonSchema.JsonSchema
  /** The result ends the run: it is the answer, and the model is not asked again. */
  readonly stopAfterCall: boolean
  readonly strict: boolean | undefined
  readonly timeout: Duration.Duration
  readonly effects: Effects
  /** A person says whether it may be called. */
  readonly requiresConfirmation: boolean
  /** Arguments that a person gives. */
  readonly userInputFields: ReadonlyArray<UserInput.Field> | undefined
  /** It is called elsewhere, by whoever continues the run with its result. */
  readonly externalExecution: boolean
  /** Who confirms is written down; with `required`, it has to be somebody who may approve. */
  readonly approval: "required" | "audit" | undefined
  readonly approvalTimeout: Duration.Duration | undefined
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
  /** Left out only where a call is made elsewhere. */
  readonly execute?: (
    input: S extends AnySchema ? Infer<S> : Json.Object,
    context: ToolContext
  ) => Result
  /**
   * What may be done when the service has stopped in the middle of a call, so that nobody knows whether it was made:
   * `read` and `idempotent` are called again, with the same `effectId`; `once`, which is meant when this is left out,
   * is not, and the run waits for a person who says what has happened.
   */
  readonly effects?: Effects | undefined
  /** Ask a person before each call. */
  readonly requiresConfirmation?: boolean | undefined
  /** Arguments that a person gives instead of the model: all of them, or those that are named. */
  readonly requiresUserInput?: boolean | ReadonlyArray<string> | undefined
  /** The call is made elsewhere: the run waits until somebody continues it with the result. */
  readonly externalExecution?: boolean | undefined
  /**
   * `required`: whoever confirms has to be one who may approve (`approvals:write`), and it is written down. `audit`: it is
   * written down what a person has said. Either makes the call wait for a confirmation, unless it waits for something else.
   */
  readonly approval?: "required" | "audit" | undefined
  /** How long an approval can be given. For ever when left out. */
  readonly approvalTimeout?: Duration.Input | undefined
  readonly stopAfterCall?: boolean | undefined
  /** Asks providers that know it to hold the model to the schema. */
  readonly strict?: boolean | undefined
  /** How long a call may take. Ten minutes when left out. */
  readonly timeout?: Duration.Input | undefined
}

const noParameters = { type: "object", properties: {}, additionalProperties: false }

/** Keywords that say what the root is without saying that it is an object. */
const otherRoots = ["type", "anyOf", "oneOf", "allOf", "$ref", "enum", "const"]

/** Effect Schema's struct without fields, which takes anything but null. */
const isEmptyStruct = ({ not }: JsonSchema.JsonSchema) => JSON.stringify(not) === `{"type":"null"}`

const objectRoot = (tool: string, schema: JsonSchema.JsonSchema): JsonSchema.JsonSchema => {
  if (isEmptyStruct(schema)) return noParameters
  if (schema["type"] !== "object" && otherRoots.some((keyword) => keyword in schema)) {
    throw new Error(`Tool '${tool}': its parameters must be one object, because models name every argument`)
  }
  return { type: "object", properties: {}, ...schema }
}

const shapeOfParameters = (tool: string, parameters: AnySchema | JsonSchema.JsonSchema): Shape<unknown> => {
  if (!isAnySchema(parameters)) return authored(objectRoot(tool, parameters as JsonSchema.JsonSchema))
  const shape = authored(parameters)
  return { ...shape, jsonSchema: objectRoot(tool, shape.jsonSchema) }
}

const nameRule = /^[a-zA-Z0-9_-]{1,64}$/

const failed = (thrown: UserCode.UserError) =>
  new ToolFailed({ message: UserCode.messageOf(thrown, "The tool failed"), cause: thrown.cause })

export const make = <const S extends AnySchema | JsonSchema.JsonSchema | undefined = undefined>(
  options: Options<S>
): Tool => {
  const { name, parameters } = options
  if (!nameRule.test(name)) {
    throw new Error(`Tool name '${name}' is not usable: letters, digits, '_' and '-' only, at most 64`)
  }
  const shape = parameters === undefined ? undefined : shapeOfParameters(name, parameters)
  const timeout = Validate.duration(`Tool '${name}'`, "timeout", options.timeout ?? "10 minutes")
  const externalExecution = options.externalExecution ?? false
  if (options.execute === undefined && !externalExecution) {
    throw new Error(`Tool '${name}' has no execute. Only a tool with externalExecution can do without`)
  }
  const execute = options.execute as (input: unknown, context: ToolContext) => Result
  const run = (input: unknown, context: Omit<ToolContext, "signal">) =>
    Effect.mapError(UserCode.call((signal) => execute(input, { ...context, signal })), failed)
  const invalid = (cause: Mismatch) => new ToolFailed({ message: `Invalid arguments: ${cause.message}`, cause })
  const late = () => {
    const message = `The tool did not finish within ${Duration.format(timeout)}`
    return Effect.fail(new ToolFailed({ message, cause: undefined }))
  }
  const jsonSchema = shape?.jsonSchema ?? noParameters
  const userInputFields = UserInput.fieldsOf(name, jsonSchema, options.requiresUserInput ?? false)
  const isConfirmed = options.approval !== undefined && userInputFields === undefined && !externalExecution
  return {
    name,
    description: options.description,
    parameters: jsonSchema,
    effects: options.effects ?? "once",
    requiresConfirmation: options.requiresConfirmation ?? isConfirmed,
    userInputFields,
    externalExecution,
    approval: options.approval,
    approvalTimeout: options.approvalTimeout === undefined
      ? undefined
      : Validate.duration(`Tool '${name}'`, "approvalTimeout", options.approvalTimeout),
    stopAfterCall: options.stopAfterCall ?? false,
    strict: options.strict,
    timeout,
    call: (input, context) => {
      const called = shape === undefined
        ? run({}, context)
        : Effect.flatMap(Effect.mapError(shape.decode(input), invalid), (args) => run(args, context))
      return Effect.timeoutOrElse(called, { duration: timeout, orElse: late })
    }
  }
}
