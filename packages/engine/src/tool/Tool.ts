// A tool: a function that a model can call. `execute` is plain TypeScript (a value or a promise) or an Effect. An error
// that it throws is a result for the model, which can retry with other arguments; it does not end the run.
import type * as Json from "@svc-runtime/domain/Json"
import * as ToolName from "@svc-runtime/domain/ToolName"
import { Duration, Effect, type JsonSchema, Predicate, Schema } from "effect"
import type { Durable } from "../durable/Durable.ts"
import * as DurableCode from "../durable/DurableCode.ts"
import type { Host } from "../durable/DurableHost.ts"
import { type AnySchema, type Infer, Mismatch, objectOrRefused, type Shape } from "../schema/AnySchema.ts"
import { allEffects, type Effects } from "../userCode/Effects.ts"
import * as ForeignContext from "../userCode/ForeignContext.ts"
import { Mistake } from "../userCode/Mistake.ts"
import * as AuthorOptions from "../userCode/Options.ts"
import * as UserCode from "../userCode/UserCode.ts"
import * as Validate from "../userCode/Validate.ts"
import type { Reply } from "./Asking.ts"
import { calledAlone, calledAloneMethods } from "./calledAlone.ts"
import * as CallLimits from "./CallLimits.ts"
import { checkApproval } from "./checkApproval.ts"
import * as Form from "./Form.ts"
import { OutcomeLost } from "./OutcomeLost.ts"
import type { RunContext } from "./RunContext.ts"
import type { ContextOf, RunSchemas } from "./RunSchemas.ts"
import * as TextArguments from "./TextArguments.ts"

/** A result with media: the run lists them, and the model reads `content` with their addresses. */
export { type ToolMedium, withMedia } from "./MediaResult.ts"

/** The facts of a call, beside its arguments, and what it can do inside of the run. */
export interface ToolContext extends RunContext, Durable {
  readonly toolCallId: string
  /**
   * Identifies this call permanently: the same if the call is repeated after a crash, and unique per call. Use it as an
   * idempotency key.
   */
  readonly effectId: string
  /**
   * Sends watchers a `CustomEvent` with these fields and the `tool_call_id`. Throws if they are not JSON, or use names
   * of the service.
   */
  readonly emit: (fields: Json.Object) => void
  /** Of a call that has asked and is made again: what a person gave. */
  readonly reply?: Reply | undefined
  /** Whether the run was cancelled. Then its result is not needed, and no other node repeats the call. */
  readonly isCancelled: () => boolean
  /** Aborted when the result is no longer needed. */
  readonly signal: AbortSignal
}

/** The facts of a call that has not begun. */
export type CallContext = RunContext & Pick<ToolContext, "toolCallId">

/** `execute` fails with it where a failure is expected: the model reads the message, and nothing is logged. */
export class ToolFailed extends Schema.TaggedError<ToolFailed>()("ToolFailed", {
  message: Schema.String,
  cause: Schema.optional(Schema.Defect())
}) {}

export type { Effects }

/** What the run gives a call. */
export interface GivenContext extends Omit<ToolContext, keyof Durable | "signal"> {
  /** Makes the durable calls. Left out: they fail. */
  readonly durable?: Host<unknown> | undefined
}

export interface Tool {
  readonly name: string
  readonly description: string | undefined
  /** An object schema with `properties`, which every provider accepts. */
  readonly parameters: JsonSchema.JsonSchema
  /** Makes of arguments what the function gets. Left out: nothing but `parameters` is known. */
  readonly decode?: Shape<unknown>["decode"] | undefined
  /** What its context has to match. */
  readonly runSchemas?: RunSchemas | undefined
  /** The result is the answer of the run, and the model is not requested again. */
  readonly stopAfterCall: boolean
  readonly strict: boolean | undefined
  readonly timeout: Duration.Duration
  readonly effects: Effects
  /** In one run. */
  readonly maxCalls: number | undefined
  /** False: models get no media of its results. */
  readonly showMedia?: boolean | undefined
  /** Undefined: the limit of the service counts alone. */
  readonly maxResultBytes: number | undefined
  /** A call needs a confirmation. */
  readonly requiresConfirmation: boolean
  /** Whether a call with these arguments needs one. Undefined: `requiresConfirmation` says it. */
  readonly confirms: ((input: unknown, context: CallContext) => Effect.Effect<boolean>) | undefined
  /** Arguments that a person supplies. */
  readonly userInputFields: ReadonlyArray<Form.Field> | undefined
  /** The call is executed elsewhere, and its result is supplied in `continue`. */
  readonly externalExecution: boolean
  /** The decision is recorded; with `required`, the caller must be allowed to approve. */
  readonly approval: "required" | "audit" | undefined
  readonly approvalTimeout: Duration.Duration | undefined
  /** Validates the arguments, then executes the call. Invalid arguments fail with a description of the mismatch. */
  readonly call: (input: unknown, context: GivenContext) => Effect.Effect<unknown, ToolFailed>
}

type Confirming = (input: unknown, context: CallContext & Pick<ToolContext, "signal">) => UserCode.Returned<boolean>

/** Invalid arguments need no confirmation: the call fails with them. */
const confirmsWith = (
  tool: string,
  timeout: Duration.Duration,
  shape: Shape<unknown> | undefined,
  asks: Confirming
): NonNullable<Tool["confirms"]> =>
(input, context) => {
  const decide = (args: unknown) =>
    UserCode.call((signal) => asks(args, { ...context, signal })).pipe(
      Effect.timeout(timeout),
      Effect.map((answer) => answer !== false),
      Effect.catch((error) =>
        Effect.as(
          UserCode.logThrown("A call waits for a confirmation, because requiresConfirmation failed", error, { tool }),
          true
        )
      )
    )
  return shape === undefined ? decide({}) : Effect.matchEffect(shape.decode(input), {
    onFailure: () => Effect.succeed(false),
    onSuccess: decide
  })
}

type Result = unknown | Promise<unknown> | Effect.Effect<unknown, unknown>

export interface Options<S, R extends RunSchemas = NonNullable<unknown>> extends CallLimits.Options {
  /** Letters, digits, `_` and `-`, at most 64: accepted by every provider. */
  readonly name: string
  /** Tells the model when to use the tool. */
  readonly description?: string | undefined
  /** Effect Schema, any Standard Schema, or a JSON Schema. Default: no arguments. */
  readonly parameters?: S | undefined
  /** Required unless `externalExecution` is set. */
  readonly execute?: (
    input: S extends AnySchema ? Infer<S> : Json.Object,
    context: ContextOf<R, ToolContext>
  ) => Result
  /** Types of the session state, the dependencies and the metadata in the context: the schemas of its agent. */
  readonly runSchemas?: R | undefined
  /**
   * What is allowed after a crash during a call, when its outcome is unknown: `read` and `idempotent` calls are
   * repeated with the same `effectId`; a `once` call (the default) is not, and the run pauses until a person supplies
   * the outcome.
   */
  readonly effects?: Effects | undefined
  /**
   * Pause for a confirmation before each call, or before calls for which the function gives true. A function that
   * throws or takes longer than the `timeout` counts as true.
   */
  readonly requiresConfirmation?:
    | boolean
    | ((
      input: S extends AnySchema ? Infer<S> : Json.Object,
      context: ContextOf<R, CallContext & Pick<ToolContext, "signal">>
    ) => UserCode.Returned<boolean>)
    | undefined
  /** Arguments that a person supplies instead of the model: all, or the named ones. */
  readonly requiresUserInput?: boolean | ReadonlyArray<string> | undefined
  /** The run pauses until a client continues it with the result of the call. */
  readonly externalExecution?: boolean | undefined
  /**
   * `required`: only a caller with `approvals:write` who is not isolated can confirm, and the decision is recorded.
   * `audit`: the decision is recorded. Both need a confirmation, unless the call needs another decision. A function as
   * `requiresConfirmation` says for which calls, and `requiresConfirmation: false` is refused beside it.
   */
  readonly approval?: "required" | "audit" | undefined
  /** How long an approval is valid. Default: forever. */
  readonly approvalTimeout?: Duration.Input | undefined
  /** The result is the answer of the run, and the model is not requested again. Default: false. */
  readonly stopAfterCall?: boolean | undefined
  /** False: models get no images and documents of its results, whatever their agent says. */
  readonly showMedia?: boolean | undefined
  /** Requests strict schema mode from providers that support it. */
  readonly strict?: boolean | undefined
}

export const approvals: ReadonlyArray<NonNullable<Tool["approval"]>> = ["required", "audit"]

const kinds: AuthorOptions.Kinds<keyof Options<undefined>> = {
  name: "text",
  description: "text",
  parameters: "any",
  execute: "function",
  runSchemas: "object",
  effects: { oneOf: allEffects },
  requiresConfirmation: "decision",
  requiresUserInput: "flagOrTexts",
  externalExecution: "flag",
  approval: { oneOf: approvals },
  approvalTimeout: "any",
  stopAfterCall: "flag",
  showMedia: "flag",
  strict: "flag",
  timeout: "any",
  retries: "any",
  delayBetweenRetries: "any",
  exponentialBackoff: "flag",
  concurrency: "any",
  maxCalls: "any",
  maxResultBytes: "any"
}

const noParameters = { type: "object", properties: {}, additionalProperties: false }

const shapeOfParameters = (tool: string, parameters: AnySchema | JsonSchema.JsonSchema): Shape<unknown> => {
  const shape = objectOrRefused(`Tool '${tool}': its parameters`, parameters, "models name every argument")
  return { ...shape, decode: TextArguments.decoding(shape.decode) }
}

const unasked =
  "A tool is called without an approval, because its approval is undefined: its approvalTimeout has no effect"

const failed = (thrown: UserCode.UserError) =>
  new ToolFailed({ message: UserCode.messageOf(thrown, "The tool failed"), cause: thrown.cause })

/**
 * A function that a model can call. `execute` gets the decoded arguments, and returns a value, a promise or an
 * Effect. The model reads the result.
 *
 * An error of `execute`, invalid arguments and the `timeout` (ten minutes by default) are results too: the model
 * reads the message and can call again. They do not end the run. Throws an `Error` that names the tool if its name
 * has other characters than letters, digits, `_` and `-`, if `parameters` do not describe an object, or if `execute`
 * is missing.
 *
 * ```ts
 * import { Tool } from "@svc-runtime/server"
 * import { z } from "zod"
 *
 * export const refund = Tool.make({
 *   name: "refund",
 *   description: "Pays an order back",
 *   parameters: z.object({ order: z.int(), cents: z.int().positive() }),
 *   // the shop's API recognises a repeated key
 *   effects: "idempotent",
 *   requiresConfirmation: true,
 *   timeout: "20 seconds",
 *   execute: async ({ cents, order }, { effectId, signal }) => {
 *     const response = await fetch(`https://shop.example/orders/${order}/refunds`, {
 *       method: "POST",
 *       headers: { "idempotency-key": effectId },
 *       body: JSON.stringify({ cents }),
 *       signal
 *     })
 *     if (!response.ok) throw new Error(`The shop answered ${response.status}`)
 *     return { refunded: cents }
 *   }
 * })
 * ```
 */
export const make = <
  const S extends AnySchema | JsonSchema.JsonSchema | undefined = undefined,
  const R extends RunSchemas = NonNullable<unknown>
>(options: Options<S, R>): Tool => {
  AuthorOptions.check(AuthorOptions.ownerOf("Tool", options, "name"), options, kinds)
  const { name, parameters } = options
  if (name === undefined) throw new Mistake("A tool has no name. Give it one, which the model calls it by")
  if (!ToolName.rule.test(name)) {
    throw new Mistake(`Tool name '${name}' is not usable: letters, digits, '_' and '-' only, at most 64`)
  }
  const shape = parameters === undefined ? undefined : shapeOfParameters(name, parameters)
  const owner = `Tool '${name}'`
  const { effects = "once" } = options
  if (options.approvalTimeout !== undefined && !("approval" in options)) {
    throw new Mistake(`${owner}: approvalTimeout needs approval: "required" or "audit"`)
  }
  const limits = CallLimits.make(owner, options, effects)
  const externalExecution = options.externalExecution ?? false
  if (options.execute === undefined && !externalExecution) {
    throw new Mistake(`Tool '${name}' has no execute. Only a tool with externalExecution can do without`)
  }
  const execute = options.execute as (input: unknown, context: ToolContext) => Result
  const logged = (thrown: UserCode.UserError) =>
    thrown.cause instanceof ToolFailed
      ? Effect.fail(thrown.cause)
      : Effect.andThen(
        UserCode.logThrown("The code of a tool threw", thrown, { tool: name }),
        Effect.fail(failed(thrown))
      )
  const run = (input: unknown, { durable: host, ...context }: GivenContext) =>
    Effect.catch(
      DurableCode.execute(host, (durable) =>
        ForeignContext.call({
          what: `The context of tool '${name}'`,
          tool: { name, parameters: jsonSchema },
          code: execute,
          contextOf: (signal) => ({ ...context, ...durable, signal }),
          run: (given) => execute(input, given)
        })),
      logged
    )
  const invalid = (input: unknown) => (cause: Mismatch) => {
    const problem = typeof input === "string" ? `what was sent to '${name}' is no JSON object` : cause.message
    return new ToolFailed({ message: `Invalid arguments: ${problem}`, cause })
  }
  const lateMessage = `The tool did not finish within ${Duration.format(limits.timeout)}`
  const late = ({ durable }: GivenContext): CallLimits.Late<ToolFailed> => ({
    cancel: Effect.sync(() => durable?.cancel?.(lateMessage)),
    failure: Effect.gen(function*() {
      const cause = durable === undefined ? undefined : yield* DurableCode.lost(durable.journal, lateMessage)
      const message = cause?.message ?? lateMessage
      yield* Effect.annotateLogs(Effect.logWarning(message), { tool: name })
      return yield* new ToolFailed({ message, cause })
    })
  })
  const jsonSchema = shape?.jsonSchema ?? noParameters
  const userInputFields = Form.argumentsOf(name, jsonSchema, options.requiresUserInput ?? false)
  const asksOtherwise = userInputFields !== undefined || externalExecution
  checkApproval(owner, options, asksOtherwise)
  const isConfirmed = options.approval !== undefined && !asksOtherwise
  const { requiresConfirmation = isConfirmed } = options
  const asks = requiresConfirmation !== false || asksOtherwise
  // its author has written a condition, which may have gone wrong
  let isUnasked = options.approvalTimeout !== undefined && options.approval === undefined && !asks
  const warning = Effect.suspend(() => {
    if (!isUnasked) return Effect.void
    isUnasked = false
    return Effect.annotateLogs(Effect.logWarning(unasked), { tool: name })
  })
  const tool: Tool = {
    name,
    description: options.description,
    runSchemas: options.runSchemas,
    parameters: jsonSchema,
    decode: shape?.decode,
    effects: options.effects ?? "once",
    requiresConfirmation: requiresConfirmation === true,
    confirms: Predicate.isFunction(requiresConfirmation)
      ? confirmsWith(name, limits.timeout, shape, requiresConfirmation as Confirming)
      : undefined,
    userInputFields,
    externalExecution,
    approval: options.approval,
    approvalTimeout: options.approvalTimeout === undefined
      ? undefined
      : Validate.storedDuration(`Tool '${name}'`, "approvalTimeout", options.approvalTimeout),
    stopAfterCall: options.stopAfterCall ?? false,
    showMedia: options.showMedia,
    strict: options.strict,
    timeout: limits.timeout,
    maxCalls: limits.maxCalls,
    maxResultBytes: limits.maxResultBytes,
    call: (input, context) => {
      if (context === undefined) throw calledAlone(name, "call")
      const called = shape === undefined
        ? run({}, context)
        : Effect.flatMap(Effect.mapError(shape.decode(input), invalid(input)), (args) => run(args, context))
      const mayHelp = ({ cause }: ToolFailed) => !(cause instanceof Mismatch) && !(cause instanceof OutcomeLost)
      return Effect.andThen(warning, limits.around(called, late(context), mayHelp))
    }
  }
  return Object.assign(Object.create(calledAloneMethods), tool)
}
