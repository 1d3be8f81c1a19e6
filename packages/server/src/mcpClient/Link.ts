// The link of this process to one MCP server. It connects when a run needs it, reads the list of tools again when it
// has changed, and connects again after a break. A server that fails is not asked again for some time.
import type { Client, FetchLike } from "@modelcontextprotocol/client"
import * as Json from "@svc-runtime/domain/Json"
import * as Monotonic from "@svc-runtime/domain/Monotonic"
import type { Reply } from "@svc-runtime/engine/tool/Asking"
import { OutcomeLost } from "@svc-runtime/engine/tool/OutcomeLost"
import * as TextArguments from "@svc-runtime/engine/tool/TextArguments"
import * as Tool from "@svc-runtime/engine/tool/Tool"
import type { Offer } from "@svc-runtime/engine/tool/ToolSource"
import * as TraceContext from "@svc-runtime/telemetry/TraceContext"
import { Duration, Effect, Exit, Option, Schema, Scope, Semaphore } from "effect"
import * as CallResult from "./CallResult.ts"
import * as Connecting from "./Connecting.ts"
import * as InputRequests from "./InputRequests.ts"
import * as McpFailure from "./McpFailure.ts"
import { isProcess, type McpServer, type ToolSettings } from "./McpServer.ts"
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
    execute: (given, { effectId, reply }) => {
      const args = TextArguments.byTypes(listed.inputSchema, given)
      return call({ tool: listed, args, effectId, reply })
    }
  })
  // the server checks the arguments itself: a check here would trust its patterns
  return { ...tool, parameters: Json.isObject(listed.inputSchema) ? { ...listed.inputSchema } : tool.parameters }
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

/** Of a request in which the server may ask the user. */
const capabilities = { "io.modelcontextprotocol/clientCapabilities": { elicitation: { form: {} } } }

type Fields = Readonly<Record<string, string>>

/** Headers of the author go before those of the trace. */
const headersOf = ({ endpoint }: McpServer, trace: Fields): Fields =>
  isProcess(endpoint) ? {} : Object.fromEntries(Object.entries(trace).filter(([name]) => !endpoint.headers.has(name)))

export interface Link {
  readonly offer: Effect.Effect<Offer>
  readonly last: () => Offer | undefined
}

export const make = Effect.fnUntraced(function*(server: McpServer, fetch: FetchLike) {
  const scope = yield* Effect.scope
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
      onClose: () => {
        state.isOpen = false
      },
      onChange: () => {
        state.isListed = false
      },
      onFailure: (failure) => void fork(remember(failure))
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
  const connected = Effect.suspend(() => connection?.isOpen === true ? Effect.succeed(connection) : connect)
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
    pending: InputRequests.Pending | undefined
  ) {
    const { inputSchema, name } = tool
    const toolDefinition = { name, inputSchema: inputSchema as { readonly type: "object" } }
    const trace = yield* TraceContext.outgoing
    // older revisions ask on an open connection, which no pause can keep: this is not offered to them
    const asks = server.elicitation && client.getProtocolEra() === "modern"
    const params = {
      name,
      arguments: args,
      ...(pending === undefined ? {} : InputRequests.continued(pending)),
      _meta: { "svc/effect_id": effectId, ...trace, ...(asks ? capabilities : {}) }
    }
    const headers = headersOf(server, trace ?? {})
    const result = yield* Effect.tryPromise({
      try: (signal) =>
        client.callTool(params, { signal, timeout: noTimeout, toolDefinition, headers, allowInputRequired: asks }),
      catch: (error) => McpFailure.of(server.name, error)
    })
    if (InputRequests.isInputRequired(result)) return result
    return yield* Effect.mapError(CallResult.decode(result), (error) => McpFailure.of(server.name, error))
  })

  /** A server that was restarted does not know the session. */
  const sent = (given: McpCall, pending: InputRequests.Pending | undefined) =>
    Effect.flatMap(turn.withPermits(1)(connected), (using) =>
      Effect.tapError(
        send(using, given, pending),
        ({ kind }) => kind === "gone" && connection === using ? turn.withPermits(1)(drop) : Effect.void
      ))

  const refused = (message: string) => new Tool.ToolFailed({ message: `The MCP server ${server.name} ${message}` })

  /** The question to the user, or the result. */
  const shownOf = (tool: Listed, result: unknown): Effect.Effect<unknown, Tool.ToolFailed> => {
    if (!InputRequests.isInputRequired(result)) {
      return Effect.fromResult(
        CallResult.toResult(server.tools.results, result as CallResult.Received, tool.outputSchema)
      )
    }
    return Option.match(
      Option.flatMap(InputRequests.decode(result), (pending) => InputRequests.asking(server.name, pending)),
      {
        onNone: () => Effect.fail(refused("asks for what cannot be asked")),
        onSome: Effect.succeed
      }
    )
  }

  const request = (given: McpCall, pending: InputRequests.Pending | undefined) =>
    sent(given, pending).pipe(
      Effect.retry({ times: 1, while: ({ kind }) => kind === "gone" }),
      Effect.mapError((failure) => failure.kind === "lost" ? new OutcomeLost({ message: failure.message }) : failure),
      Effect.flatMap((result) => shownOf(given.tool, result))
    )

  const call = (given: McpCall): Effect.Effect<unknown, McpFailure.McpFailure | OutcomeLost | Tool.ToolFailed> => {
    if (given.reply === undefined) return request(given, undefined)
    const replied = Option.getOrUndefined(InputRequests.replied(given.reply))
    if (replied === undefined) return Effect.fail(refused("gets no answer, because its question cannot be read"))
    const { pending, problem } = replied
    // the next question, or the same one again
    const next = InputRequests.asking(server.name, pending, problem)
    return Option.isSome(next) ? Effect.succeed(next.value) : request(given, pending)
  }

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
