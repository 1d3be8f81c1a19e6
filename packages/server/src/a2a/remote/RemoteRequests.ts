// Requests to remote agents through the safe fetch, on the wire that their cards name. Headers of the author, and the
// context of the trace, are sent to the origins that the author named, whatever a card says.
import type { Remote } from "@svc-runtime/agents/remote/RemoteTasks"
import * as Json from "@svc-runtime/domain/Json"
import { SafeFetch } from "@svc-runtime/fetch"
import * as RemoteCard from "@svc-runtime/protocols/a2a/client/RemoteCard"
import * as Replies from "@svc-runtime/protocols/a2a/client/Replies"
import * as Requests from "@svc-runtime/protocols/a2a/client/Requests"
import * as TraceContext from "@svc-runtime/telemetry/TraceContext"
import { Clock, type Duration, Effect, Option, Redacted, Result, type Scope, Stream } from "effect"
import * as Sse from "effect/encoding/Sse"
import { type CallFailed, lost, ofFetch, ofResponse, refused } from "./CallFailed.ts"

/** Of a card, and of everything that one connection sends. */
const maxCard = 256 * 1024
const maxResponse = 64 * 1024 * 1024
const maxEvent = 16 * 1024 * 1024

/** Of a card, in milliseconds. */
const defaultAge = 300_000
const maxAge = 3_600_000

const cardTimeout = "10 seconds"

/** Where an agent is called, and whether it streams. */
export interface Endpoint {
  readonly target: RemoteCard.Interface
  readonly isStreaming: boolean
}

export type Replied = Replies.Reply

const cardUrl = (url: string): string => {
  const { href, pathname } = new URL(url)
  return pathname.endsWith(".json")
    ? href
    : `${href.replace(/[?#][^]*/, "").replace(/(?<!\/)\/+$/, "")}/.well-known/agent-card.json`
}

const headersOf = ({ headers }: Remote): Effect.Effect<Readonly<Record<string, string>>> =>
  Effect.map(TraceContext.outgoing, (trace) => ({
    ...trace,
    ...Object.fromEntries([...headers].map(([name, value]) => [name, Redacted.value(value)]))
  }))

const ageOf = ({ "cache-control": control = "" }: Readonly<Record<string, string>>): number => {
  if (/no-store|no-cache/i.test(control)) return 0
  const [, seconds] = /max-age=(\d{1,9})/i.exec(control) ?? []
  return seconds === undefined ? defaultAge : Math.min(Number(seconds) * 1000, maxAge)
}

const originOf = (url: string): string => URL.parse(url)?.origin ?? ""

const endpointIn = ({ id, origins, url }: Remote, { interfaces, isStreaming, required }: RemoteCard.RemoteCard) => {
  if (required.length > 0) {
    return Effect.fail(
      refused(`The remote agent ${id} requires extensions that are not supported: ${required.join(", ")}`)
    )
  }
  const allowed = [originOf(url), ...origins]
  const target = interfaces.find((each) => allowed.includes(originOf(each.url)))
  if (target !== undefined) return Effect.succeed<Endpoint>({ target, isStreaming })
  const elsewhere = [...new Set(interfaces.map((each) => originOf(each.url)))].filter((origin) => origin !== "")
  return Effect.fail(refused(
    elsewhere.length === 0
      ? `The card of the remote agent ${id} has no interface of A2A 0.3 or 1.0 over JSON-RPC or HTTP`
      : `The card of the remote agent ${id} names ${
        elsewhere.join(", ")
      }, which is not its origin: \`origins\` allows more`
  ))
}

const decoder = new TextDecoder()

const textOf = (body: Uint8Array): string => decoder.decode(body)

/** The data of events. Comments and times to wait are left out. */
const dataIn = (remote: Remote, body: Stream.Stream<Uint8Array, CallFailed>) =>
  Stream.suspend(() => {
    let found: Array<string> = []
    const parser = Sse.makeParser((event) => {
      if (event._tag === "Event") found.push(event.data)
    }, { maxEventSize: maxEvent })
    return body.pipe(
      Stream.decodeText,
      Stream.mapEffect((text) => {
        const problem = parser.feed(text)
        if (problem !== undefined) {
          return Effect.fail(refused(`The remote agent ${remote.id} sent an event that is too large`))
        }
        const all = found
        found = []
        return Effect.succeed(all)
      })
    )
  })

export const make = Effect.gen(function*() {
  const { fetch, open } = yield* SafeFetch
  const endpoints = new WeakMap<Remote, { readonly endpoint: Endpoint; readonly until: number }>()

  const inTime = <A, R>(remote: Remote, effect: Effect.Effect<A, CallFailed, R>, duration: Duration.Input) =>
    Effect.timeoutOrElse(effect, {
      duration,
      orElse: () => Effect.fail(lost(`The remote agent ${remote.id} did not respond in time`))
    })

  const readCard = Effect.fnUntraced(function*(remote: Remote) {
    const reading = fetch({
      url: cardUrl(remote.url),
      headers: { ...(yield* headersOf(remote)), accept: "application/json", "a2a-version": "1.0" },
      maxBytes: maxCard
    })
    const response = yield* inTime(remote, Effect.mapError(reading, ofFetch(remote)), cardTimeout)
    const { body, headers, status } = response
    const read = Option.getOrUndefined(Json.parseInput(textOf(body)))
    const card = status === 200 && read !== undefined ? RemoteCard.of(read) : undefined
    if (card === undefined) {
      const failed = Replies.reply(
        { url: "", binding: "HTTP+JSON", version: "1.0", tenant: undefined },
        status,
        textOf(body)
      )
      return yield* status === 200 || Result.isSuccess(failed)
        ? refused(`The remote agent ${remote.id} has no card that can be read (${status})`)
        : ofResponse(remote, response, failed.failure)
    }
    return { endpoint: yield* endpointIn(remote, card), until: (yield* Clock.currentTimeMillis) + ageOf(headers) }
  })

  const endpoint = Effect.fnUntraced(function*(remote: Remote) {
    const known = endpoints.get(remote)
    if (known !== undefined && known.until > (yield* Clock.currentTimeMillis)) return known.endpoint
    const read = yield* readCard(remote)
    endpoints.set(remote, read)
    return read.endpoint
  })

  const requestOf = (remote: Remote, { target }: Endpoint, sent: Requests.Call) =>
    Effect.map(headersOf(remote), (own) => {
      const { body, headers, method, url } = Requests.of(target, sent)
      return {
        url,
        method,
        headers: { ...headers, ...own },
        body: body === undefined ? undefined : { content: body, type: "application/json" },
        maxBytes: maxResponse
      }
    })

  const read = (
    remote: Remote,
    { target }: Endpoint,
    response: { status: number; headers: Record<string, string> },
    text: string
  ) =>
    Effect.mapError(
      Effect.fromResult(Replies.reply(target, response.status, text)),
      (error) => ofResponse(remote, response, error)
    )

  /** One response. */
  const call = Effect.fnUntraced(
    function*(remote: Remote, at: Endpoint, sent: Requests.Call): Effect.fn.Return<Replied, CallFailed> {
      const response = yield* Effect.mapError(fetch(yield* requestOf(remote, at, sent)), ofFetch(remote))
      return yield* read(remote, at, response, textOf(response.body))
    },
    (effect, remote, _, { _tag }) => inTime(remote, effect, _tag === "Send" ? remote.timeout : "30 seconds")
  )

  /** The responses of a stream. A service can give one response instead. */
  const stream = Effect.fnUntraced(
    function*(
      remote: Remote,
      at: Endpoint,
      sent: Requests.Call
    ): Effect.fn.Return<Stream.Stream<ReadonlyArray<Replied>, CallFailed>, CallFailed, Scope.Scope> {
      const response = yield* Effect.mapError(open(yield* requestOf(remote, at, sent)), ofFetch(remote))
      const body = Stream.mapError(response.body, ofFetch(remote))
      const reply = (text: string) => read(remote, at, response, text)
      if (response.status === 200 && response.headers["content-type"]?.startsWith("text/event-stream") === true) {
        return Stream.mapEffect(dataIn(remote, body), (all) => Effect.forEach(all, reply))
      }
      const whole = yield* Stream.runCollect(body)
      return Stream.succeed([yield* reply(textOf(Buffer.concat(whole)))])
    },
    (effect, remote) => inTime(remote, effect, remote.timeout)
  )

  return {
    endpoint,
    /** The card is read again: the agent is not as it says. */
    forget: (remote: Remote) => Effect.sync(() => endpoints.delete(remote)),
    call,
    stream
  }
})

export type RemoteRequests = Effect.Success<typeof make>
