// References of items in the input of a response. An item is read from the events of its run, if the caller may see it.
import type { Caller } from "@svc-runtime/agents/runService/Caller"
import type { RunQuery } from "@svc-runtime/agents/runService/VisibleRuns"
import { maxCount } from "@svc-runtime/domain/EarlierMessage"
import type * as Json from "@svc-runtime/domain/Json"
import * as Run from "@svc-runtime/domain/Run"
import * as Session from "@svc-runtime/domain/Session"
import { toWire } from "@svc-runtime/http/wire/runErrors"
import * as InputItems from "@svc-runtime/protocols/openai/InputItems"
import * as KeptItems from "@svc-runtime/protocols/openai/KeptItems"
import * as OpaqueId from "@svc-runtime/protocols/openai/OpaqueId"
import * as ResponseRequest from "@svc-runtime/protocols/openai/ResponseRequest"
import * as ResponseStream from "@svc-runtime/protocols/openai/ResponseStream"
import * as StoredEvents from "@svc-runtime/protocols/run/StoredEvents"
import { Effect, Stream } from "effect"
import { badRequest, notFound } from "./openAiErrors.ts"
import * as OpenAiRuns from "./OpenAiRuns.ts"
import type { Services } from "./Services.ts"

const unknown = (id: string) =>
  notFound(
    "item_not_found",
    `Item with id '${id}' not found. Send the item itself in the place of its id, as clients with \`store: false\` do.`,
    "input"
  )

/** Refused, because a small request could name a large item thousands of times. */
const twice = (id: string) =>
  badRequest(`\`input\` names the item '${id}' more than once: name it in one place, or send it again as an item`)

const tooMany = badRequest(`The items of \`input\` are named in more than ${maxCount} runs: send the items themselves`)

interface InRun {
  readonly address: OpaqueId.ResponseAddress
  readonly named: Array<KeptItems.Named>
}

/** The items that the run has given so far. */
const itemsOf = Effect.fnUntraced(
  function*(
    { components, service }: Services,
    caller: Caller,
    { address, named }: InRun,
    answered: ReadonlySet<string>
  ) {
    const { model = "", run_id, session_id } = address
    const component = yield* components.find(model)
    if (component === undefined) return []
    const query: RunQuery = {
      caller,
      component,
      partOf: "start",
      run_id: Run.Id.make(run_id),
      session_id: Session.Id.make(session_id)
    }
    const run = yield* toWire(service.get(query))
    const { count, events } = yield* toWire(service.watch({ ...query, after: -1 }))
    const encoder = ResponseStream.make({
      ...address,
      model,
      created: run.created_at,
      previous: null,
      instructions: null,
      metadata: {}
    }, { isWholeRun: true })
    const stored = count === 0 ? Stream.fromIterable(StoredEvents.of(run)) : Stream.take(events, count)
    let first: number | undefined
    const seen = Stream.tap(stored, ({ event_index }) => Effect.sync(() => void (first ??= event_index)))
    yield* toWire(OpenAiRuns.pushAll(run_id, seen, encoder.push))
    const items = [InputItems.itemOf(run, address), ...encoder.shown().items]
    if (count > 0 && first === 0) return items
    const others = named.filter(({ id }) => !items.some((item) => item.id === id))
    return [...items, ...KeptItems.of(run, others, answered)]
  }
)

/** The first run that the caller may not see ends the request: the others are not read. */
const visibleOf = (services: Services, caller: Caller, run: InRun, answered: ReadonlySet<string>) =>
  Effect.catchTag(itemsOf(services, caller, run, answered), "NotFound", () => unknown(run.named[0]?.id ?? ""))

/** The request with the items in the place of their ids. */
export const resolved = Effect.fnUntraced(
  function*(services: Services, caller: Caller, request: ResponseRequest.ResponseRequest) {
    const ids = ResponseRequest.referencesOf(request)
    const repeated = new Set(ids).size < ids.length ? ids.find((id, at) => ids.indexOf(id) < at) : undefined
    if (repeated !== undefined) return yield* twice(repeated)
    const runs = new Map<string, InRun>()
    for (const id of ids) {
      const { address, item } = OpaqueId.readItem(id) ?? (yield* unknown(id))
      const key = JSON.stringify(address)
      const run: InRun = runs.get(key) ?? { address, named: [] }
      run.named.push({ ...item, id })
      runs.set(key, run)
    }
    if (runs.size > maxCount) return yield* tooMany
    const answered = new Set(
      ResponseRequest.answeredCallsOf(request).map((id) => OpaqueId.readCall(id)?.toolCallId ?? id)
    )
    const found = yield* Effect.forEach(runs.values(), (run) => visibleOf(services, caller, run, answered), {
      concurrency: 4
    })
    const items = new Map<string, Json.Object>(found.flat().map((item) => [item.id, { ...item }]))
    for (const id of ids) if (!items.has(id)) return yield* unknown(id)
    return ResponseRequest.withItems(request, items)
  }
)
