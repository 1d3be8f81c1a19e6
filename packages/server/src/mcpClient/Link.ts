// The link of this process to one MCP server. It connects when a run needs it, reads the list of tools again when it
// has changed, and connects again after a break. A server that fails is not asked again for some time.
import type { Client, FetchLike } from "@modelcontextprotocol/client"
import * as Json from "@svc-runtime/domain/Json"
import * as Monotonic from "@svc-runtime/domain/Monotonic"
import { Asking, type Reply } from "@svc-runtime/engine/tool/Asking"
import { OutcomeLost } from "@svc-runtime/engine/tool/OutcomeLost"
import { Sampling } from "@svc-runtime/engine/tool/Sampling"
import * as TextArguments from "@svc-runtime/engine/tool/TextArguments"
import * as Tool from "@svc-runtime/engine/tool/Tool"
import type { Offer } from "@svc-runtime/engine/tool/ToolSource"
import * as TraceContext from "@svc-runtime/telemetry/TraceContext"
import { Cause, Duration, Effect, Exit, Option, Result, Schema, Scope, Semaphore } from "effect"
import * as CallResult from "./CallResult.ts"
import * as Connecting from "./Connecting.ts"
import * as InputRequests from "./InputRequests.ts"
import * as McpFailure from "./McpFailure.ts"
import { isProcess, type McpServer, type ToolSettings } from "./McpServer.ts"
import * as OpenCalls from "./OpenCalls.ts"
import * as ToolList from "./ToolList.ts"
import type { Listed } from "./ToolList.ts"

// A tool of an MCP server as a tool of an agent.

/** What a server says of its tools counts only if the author trusts it. */
const effectsOf = ({ effects }: ToolSettings, { annotations, name }: Listed): Tool.Effects => {
  if (effects === "annotations") {
    return annotations?.readOnlyHint === true ? "read" : annotations?.idempotentHint === true ? "idempotent" : "once"
  }
  return typeof effects === "string" ? effects : effects[name] ?? "once"
}

const isConfirmed = ({ approval, requiresConfirmation }: ToolSettings, name: string): boolean | undefined => {
  if (typeof requiresConfirmation !== "boolean") return requiresConfirmation.has(name) || approval !== undefined
  return requiresConfirmation || approval !== undefined
}

interface McpCall {
  readonly tool: Listed
  readonly args: Readonly<Record<string, unknown>>
  readonly effectId: string
  readonly runId: string
  readonly userId: string | undefined
  /** Of a call that has asked. */
  readonly reply: Reply | undefined
}

const Arguments = Schema.Record(Schema.String, Schema.Json)

const toTool = (
  { tools: settings }: McpServer,
  name: string,
  listed: Listed,
  call: (given: McpCall) => Effect.Effect<unknown, McpFailure.McpFailure | OutcomeLost | Tool.ToolFailed>
): Tool.Tool => {
  const effects = effectsOf(settings, listed)
  const { approval, concurrency, delayBetweenRetries, exponentialBackoff, maxCalls, maxResultBytes, retries, timeout } =
    settings
  const tool = Tool.make({
    name,
    description: listed.description,
    parameters: Arguments,
    effects,
    requiresConfirmation: isConfirmed(settings, listed.name),
    approval,
    timeout,
    retries: effects === "once" ? 0 : retries,
    delayBetweenRetries,
    exponentialBackoff,
    concurrency,
    maxCalls,
    maxResultBytes,
    execute: (given, { effectId, reply, runId, userId }) => {
      const args = TextArguments.byTypes(listed.inputSchema, given)
      const made = call({ tool: listed, args, effectId, runId, userId, reply })
      // what may be repeated can be tried again without a person
      return effects === "once"
        ? made
        : Effect.catchTag(made, "OutcomeLost", ({ message }) => Effect.fail(new Tool.ToolFailed({ message })))
    }
  })
  // the server checks the arguments of a model itself: a check here would trust its patterns
  const { decode: _, ...offered } = tool
  return { ...offered, parameters: Json.isObject(listed.inputSchema) ? { ...listed.inputSchema } : tool.parameters }
}

interface Connection {
  readonly client: Client
  readonly scope: Scope.Closeable
  isOpen: boolean
  isListed: boolean
}

/** In milliseconds, after the first failure and after many. */
const firstPause = 1000
const maxPause = 60_000

/** Tools have time limits of their own. */
const noTimeout = 2 ** 31 - 1

/** Of a request in which the server may ask. */
const capabilitiesField = "io.modelcontextprotocol/clientCapabilities"

const unknownQuestion = "asks for what cannot be asked"
const samplingOff = "asks the model, which the option `sampling` of McpTools does not allow"
const elicitationOff = "asks the user, which the option `elicitation` of McpTools does not allow"
const notAllowed = "asked the model, and the user did not allow it"

/** The context of a request. */
type Within = <A>(f: () => A) => A
const directly: Within = (f) => f()

type Open = OpenCalls.OpenCall<unknown, McpFailure.McpFailure>

type Fields = Readonly<Record<string, string>>

/** Headers of the author go before those of the trace. */
const headersOf = ({ endpoint }: McpServer, trace: Fields): Fields =>
  isProcess(endpoint) ? {} : Object.fromEntries(Object.entries(trace).filter(([name]) => !endpoint.headers.has(name)))

export interface Link {
  readonly offer: Effect.Effect<Offer>
  readonly last: () => Offer | undefined
}

/** `hold`: keeps the link until the scope closes. */
export const make = Effect.fnUntraced(function*(
  server: McpServer,
  fetch: FetchLike,
  hold: Effect.Effect<unknown, never, Scope.Scope>
) {
  const scope = yield* Effect.scope
  const openCalls = OpenCalls.make<unknown, McpFailure.McpFailure>(scope)
  const capabilities = Connecting.capabilities(server)
  const mayAsk = Object.keys(capabilities).length > 0
  const turn = Semaphore.makeUnsafe(1)
  let connection: Connection | undefined
  let offer: Offer | undefined
  let failed: { readonly failure: McpFailure.McpFailure; readonly count: number; readonly until: number } | undefined

  const drop = Effect.suspend(() => {
    const dropped = connection
    connection = undefined
    return dropped === undefined ? Effect.void : Scope.close(dropped.scope, Exit.void)
  })

  const inTime = <A, R>(effect: Effect.Effect<A, McpFailure.McpFailure, R>) =>
    Effect.timeoutOrElse(effect, {
      duration: server.connectTimeout,
      orElse: () => {
        const message = `The MCP server ${server.name} did not reply within ${Duration.format(server.connectTimeout)}`
        return Effect.fail(new McpFailure.McpFailure({ kind: "refused", message }))
      }
    })

  const openConnection = Effect.fnUntraced(function*() {
    const inner = yield* Scope.fork(scope)
    const fork = Effect.runForkWith(yield* Effect.context<never>())
    const state = { isOpen: true, isListed: false }
    const opening = Connecting.open(server, fetch, {
      connecting: openCalls.connecting,
      onClose: () => {
        state.isOpen = false
      },
      onChange: () => {
        state.isListed = false
      },
      onFailure: (failure) => void fork(remember(failure)),
      onRequest: openCalls.onRequest
    })
    const client = yield* inTime(Scope.provide(opening, inner)).pipe(
      Effect.onError(() => Scope.close(inner, Exit.void))
    )
    connection = Object.assign(state, { client, scope: inner })
    return connection
  })

  /** Remembers that the server failed, and logs what is new. */
  const remember = Effect.fnUntraced(function*(failure: McpFailure.McpFailure) {
    const { count = 0, failure: before } = failed ?? {}
    const until = (yield* Monotonic.millis) + Math.min(firstPause * 2 ** count, maxPause)
    failed = { failure, count: count + 1, until }
    if (before?.message === failure.message) return
    yield* Effect.annotateLogs(Effect.logWarning(failure.message), { tool_source: server.name })
  })

  /** In turn. */
  const connected = Effect.suspend(() =>
    connection?.isOpen === true && !openCalls.mustReconnect() ? Effect.succeed(connection) : connect
  )
  const connect = Effect.gen(function*() {
    if (failed !== undefined && (yield* Monotonic.millis) < failed.until) return yield* failed.failure
    yield* drop
    return yield* Effect.tapError(openConnection(), remember)
  })

  const list = Effect.fnUntraced(function*(listing: Connection) {
    // a change while the list is read makes it old again
    listing.isListed = true
    const read = yield* inTime(ToolList.read(server, listing.client)).pipe(
      Effect.tapError((failure) => Effect.andThen(remember(failure), drop))
    )
    failed = undefined
    if (read.problem !== undefined && read.problem !== offer?.problem) {
      yield* Effect.annotateLogs(Effect.logWarning(read.problem), { tool_source: server.name })
    }
    return { tools: [...read.tools].map(([name, tool]) => toTool(server, name, tool, call)), problem: read.problem }
  })

  const current = Effect.gen(function*() {
    const open = yield* connected
    if (offer === undefined || !open.isListed) offer = yield* list(open)
    return offer
  })

  const send = Effect.fnUntraced(function*(
    { client }: Connection,
    { args, effectId, tool }: McpCall,
    pending: InputRequests.Pending | undefined,
    within: Within = directly
  ) {
    const { inputSchema, name } = tool
    const toolDefinition = { name, inputSchema: inputSchema as { readonly type: "object" } }
    const trace = yield* TraceContext.outgoing
    const asks = mayAsk && client.getProtocolEra() === "modern"
    const params = {
      name,
      arguments: args,
      ...(pending === undefined ? {} : InputRequests.continued(pending)),
      _meta: { "svc/effect_id": effectId, ...trace, ...(asks ? { [capabilitiesField]: capabilities } : {}) }
    }
    const headers = headersOf(server, trace ?? {})
    const result = yield* Effect.tryPromise({
      try: (signal) =>
        within(() =>
          client.callTool(params, { signal, timeout: noTimeout, toolDefinition, headers, allowInputRequired: asks })
        ),
      catch: (error) => McpFailure.ofCall(server.name, error)
    })
    if (InputRequests.isInputRequired(result)) return result
    return yield* Effect.mapError(CallResult.decode(result), () => McpFailure.unreadable)
  })

  /** A server that was restarted does not know the session: then there is one more try. */
  const sent = (given: McpCall, pending: InputRequests.Pending | undefined, within?: Within) =>
    Effect.flatMap(turn.withPermits(1)(connected), (using) =>
      Effect.tapError(
        send(using, given, pending, within),
        ({ kind }) => kind === "gone" && connection === using ? turn.withPermits(1)(drop) : Effect.void
      )).pipe(Effect.retry({ times: 1, while: ({ kind }) => kind === "gone" }))

  const refused = (message: string) => new Tool.ToolFailed({ message: `The MCP server ${server.name} ${message}` })

  const shownOf = (tool: Listed, result: unknown): Effect.Effect<unknown, Tool.ToolFailed> =>
    Effect.fromResult(CallResult.toResult(server.tools.results, result as CallResult.Received, tool.outputSchema))

  /** Asks the model of the run. */
  const sample = Effect.fnUntraced(function*(request: InputRequests.SampleRequest, samples: number) {
    const { sampling } = server
    if (sampling === undefined) return yield* refused(samplingOff)
    if (samples >= sampling.maxRequests) return yield* refused(`asks the model more than ${sampling.maxRequests} times`)
    const model = yield* Effect.serviceOption(Sampling)
    const question = InputRequests.sampleQuestion(request, sampling.maxTokens)
    if (Option.isNone(question)) return yield* refused("asks the model with too long a text")
    if (Option.isNone(model)) return yield* refused("asks the model, and there is none here")
    return InputRequests.sampleResponse(yield* model.value.request(question.value))
  })

  /** Answers what is asked of the model. It ends with a question to the user, or when everything is answered. */
  const answering = Effect.fnUntraced(function*(
    given: InputRequests.Pending,
    problem?: string,
    open?: Open
  ): Effect.fn.Return<Asking | InputRequests.Pending, Tool.ToolFailed> {
    let pending = given
    for (;;) {
      const next = InputRequests.first(pending)
      if (next === undefined) return pending
      const [key, request] = next
      const isSample = InputRequests.isSample(request)
      if (!isSample && !server.elicitation) return yield* refused(elicitationOff)
      const { samples = 0 } = pending
      const isDecided = server.sampling?.requiresConfirmation !== true || pending.isAllowed === true
      if (!isSample || !isDecided) {
        const asking = InputRequests.asking(server.name, pending, request, problem)
        return Option.isSome(asking) ? asking.value : yield* refused("asks with more than a run can keep (64 KiB)")
      }
      // a sample that fails counts too
      if (open !== undefined) open.samples = samples + 1
      const response = yield* sample(request, samples)
      pending = { ...InputRequests.answered(pending, key, response), samples: samples + 1 }
    }
  })

  const inCall = Effect.mapError((failure: McpFailure.McpFailure) =>
    failure.kind === "lost" ? new OutcomeLost({ message: failure.message }) : failure
  )

  /** Of a server that asks in its response. */
  const request = Effect.fnUntraced(function*(given: McpCall, before: InputRequests.Pending | undefined) {
    let pending = before
    for (;;) {
      const result = yield* inCall(sent(given, pending))
      if (!InputRequests.isInputRequired(result)) return yield* shownOf(given.tool, result)
      const questions = Option.getOrUndefined(InputRequests.decode(result, pending?.samples))
      if (questions === undefined || InputRequests.first(questions) === undefined) {
        return yield* refused(unknownQuestion)
      }
      const next = yield* answering(questions)
      if (next instanceof Asking) return next
      pending = next
    }
  })

  /** Of a server that asks while its call is open. `first`: what is done for the question that the run waited for. */
  const follow = Effect.fnUntraced(function*({ tool }: McpCall, open: Open, first: Effect.Effect<Asking | undefined>) {
    let step = yield* first
    while (step === undefined) {
      const next = yield* open.next
      if (next._tag === "Ended") {
        return Exit.isFailure(next.exit) && Cause.hasInterruptsOnly(next.exit.cause)
          ? yield* lost
          : yield* Effect.flatMap(inCall(next.exit), (result) => shownOf(tool, result))
      }
      open.question = next.question
      step = yield* answerOpen(open, InputRequests.ofOpen(next.question.request, open.samples))
    }
    yield* open.waiting
    return step
  })

  /** Undefined: the server has an answer, or the reason why it gets none. */
  const answerOpen = Effect.fnUntraced(function*(
    open: Open,
    questions: Option.Option<InputRequests.Pending>,
    problem?: string
  ) {
    const { question } = open
    const refuse = (message: string) =>
      Effect.sync(() => {
        question?.refuse(message)
        return undefined
      })
    if (Option.isNone(questions)) {
      const isSampling = question?.request.method === "sampling/createMessage"
      if (isSampling) return yield* refuse(server.sampling === undefined ? samplingOff : unknownQuestion)
      return yield* refuse(server.elicitation ? unknownQuestion : elicitationOff)
    }
    const step = yield* Effect.result(answering(questions.value, problem, open))
    if (Result.isFailure(step)) return yield* refuse(step.failure.message)
    if (step.success instanceof Asking) {
      return openCalls.isFull(open.userId) ? yield* refuse("Too many calls wait for answers") : step.success
    }
    question?.answer(InputRequests.openResponse(step.success))
    return undefined
  })

  const keptOpen = (given: McpCall, open: Open, first: Effect.Effect<Asking | undefined> = Effect.undefined) =>
    Effect.onExit(
      follow(given, open, first),
      (exit) => Exit.isSuccess(exit) && exit.value instanceof Asking ? Effect.void : open.abort
    )

  const lost = Effect.fail(
    new OutcomeLost({
      message: `The open call of the MCP server ${server.name}, in which it asked, is gone: the service was ` +
        "restarted, or too much time has passed. The answer has not reached the server"
    })
  )

  const begin = Effect.fnUntraced(function*(given: McpCall) {
    const { client } = yield* turn.withPermits(1)(connected)
    if (client.getProtocolEra() === "modern") return yield* request(given, undefined)
    const open = yield* openCalls.open(
      given,
      (within) => Effect.scoped(Effect.andThen(hold, sent(given, undefined, within)))
    )
    return yield* keptOpen(given, open)
  })

  const call = Effect.fnUntraced(function*(
    given: McpCall
  ): Effect.fn.Return<unknown, McpFailure.McpFailure | OutcomeLost | Tool.ToolFailed> {
    if (given.reply === undefined) return yield* begin(given)
    const replied = Option.getOrUndefined(InputRequests.replied(given.reply))
    if (replied === undefined) return yield* refused("gets no answer, because its question cannot be read")
    const { isRefused = false, pending, problem } = replied
    if (pending.isOpen !== true) {
      if (isRefused) return yield* refused(notAllowed)
      const next = yield* answering(pending, problem)
      return next instanceof Asking ? next : yield* request(given, next)
    }
    const open = openCalls.waiting(given.effectId)
    if (open === undefined) return yield* lost
    const reply: Effect.Effect<Asking | undefined> = isRefused
      ? Effect.as(Effect.sync(() => open.question?.refuse(notAllowed)), undefined)
      : answerOpen(open, Option.some(pending), problem)
    return yield* keptOpen(given, open, Effect.andThen(open.resumed, reply))
  })

  const link: Link = {
    offer: turn.withPermits(1)(Effect.catch(current, ({ message }) =>
      Effect.sync(() => {
        offer = { tools: [], problem: message }
        return offer
      }))),
    last: () => offer
  }
  return link
})
