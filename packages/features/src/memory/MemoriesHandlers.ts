// Memories of users. Isolated callers touch their own; others name the user whose memory they write.
import { Databases } from "@svc-runtime/agents/database/Databases"
import { ModelCatalog } from "@svc-runtime/agents/Models"
import { CurrentPrincipal, Errors } from "@svc-runtime/api"
import type * as Ids from "@svc-runtime/domain/Ids"
import * as Memory from "@svc-runtime/domain/Memory"
import * as Pagination from "@svc-runtime/domain/Pagination"
import * as Principal from "@svc-runtime/domain/Principal"
import * as Tenant from "@svc-runtime/domain/Tenant"
import type { Database } from "@svc-runtime/engine/database/Database"
import * as ReadLimiter from "@svc-runtime/engine/limits/ReadLimiter"
import { Spending } from "@svc-runtime/engine/limits/Spending"
import { StoreLimits } from "@svc-runtime/engine/limits/StoreLimits"
import { NewId } from "@svc-runtime/engine/NewId"
import * as CurrentWork from "@svc-runtime/engine/node/CurrentWork"
import { now } from "@svc-runtime/engine/now"
import * as ChangeRecorder from "@svc-runtime/http/authorization/ChangeRecorder"
import * as RequestCaller from "@svc-runtime/http/authorization/RequestCaller"
import { group } from "@svc-runtime/http/group"
import { chooseDatabase } from "@svc-runtime/http/wire/chooseDatabase"
import * as JsonResponse from "@svc-runtime/http/wire/JsonResponse"
import * as RunErrors from "@svc-runtime/http/wire/runErrors"
import { notListed, orUnavailable } from "@svc-runtime/http/wire/WireErrors"
import { Effect, Option } from "effect"
import { Memories as Endpoints } from "./MemoriesApi.ts"
import type { MemoryExists, TooManyMemories } from "./MemoryErrors.ts"
import * as MemoryOptimizer from "./MemoryOptimizer.ts"
import type { MemoryFilter, MemoryStore } from "./MemoryStore.ts"
import { TextVectors } from "./TextVectors.ts"

const isConflict = (error: MemoryExists | TooManyMemories) => Effect.fail(Errors.conflict(error.message))

/**
 * The user of a written memory. The token of a caller who may write for others does not name it. An admin writes for
 * users of tenants too, whose ids no other caller may claim.
 */
const userOf = Effect.fnUntraced(function*(requested: Ids.UserId | null | undefined) {
  const principal = yield* CurrentPrincipal
  const requestedUser = requested === "" ? undefined : requested ?? undefined
  const named = requestedUser === undefined ? undefined : Principal.userNamed(principal, requestedUser)
  const isForTenant = named !== undefined && Tenant.of(named) !== undefined && Tenant.named(named) === undefined
  if (isForTenant) return named
  const owner = yield* RequestCaller.ownerOfNew(requestedUser)
  const user_id = principal.isIsolated ? owner : named ?? null
  return user_id === null || user_id === "" || Tenant.named(user_id) !== undefined
    ? yield* Errors.badRequest("User ID is required")
    : user_id
})

const topicsOf = (text: string | undefined): ReadonlyArray<string> =>
  (text ?? "").split(",").map((topic) => topic.trim()).filter((topic) => topic !== "")

interface Written {
  readonly memory_id: Memory.Id
  readonly user_id: Ids.UserId
  readonly body: Memory.Write
}

const written = ({ body, memory_id, user_id }: Written, at: number): Memory.Memory => ({
  memory_id,
  memory: body.memory,
  topics: body.topics ?? [],
  user_id,
  agent_id: null,
  team_id: null,
  run_id: null,
  session_id: null,
  created_at: at,
  updated_at: at
})

/** The same response to a caller without a user, who has no memories. */
const patchedUser = Effect.fnUntraced(function*(requested: Ids.UserId | null | undefined) {
  const { isIsolated, seesTenant, user_id } = yield* CurrentPrincipal
  if (isIsolated && seesTenant !== true && (user_id === undefined || user_id === "")) {
    return yield* Errors.notFound("Memory not found")
  }
  return yield* userOf(requested)
})

/** Replaces a memory. One that is missing is created for a caller who may write for others. */
const replace = Effect.fnUntraced(function*(store: MemoryStore["Service"], change: Written) {
  const { body, memory_id } = change
  const { isIsolated } = yield* CurrentPrincipal
  const at = yield* now
  const owner = yield* RequestCaller.ownerOf(undefined)
  const content = { memory: body.memory, topics: body.topics ?? [] }
  const replacing = store.replace(memory_id, owner, content, at)
  if (isIsolated) {
    return yield* Effect.catchTag(replacing, "MemoryNotFound", () => Effect.fail(Errors.notFound("Memory not found")))
  }
  const memory = written(change, at)
  return yield* replacing.pipe(
    Effect.catchTag("MemoryNotFound", () => Effect.as(store.create(memory), memory)),
    // another request has created it at the same moment
    Effect.catchTag("MemoryExists", () => replacing),
    Effect.catchTags({
      MemoryNotFound: (error) => Effect.fail(Errors.notFound(error.message)),
      TooManyMemories: isConflict
    })
  )
})

/** How long a search waits for the vector of its text. */
const embeddingTimeout = "10 seconds"

const findByMeaning = Effect.fnUntraced(function*(
  filter: MemoryFilter,
  text: string | undefined,
  { memoryVectors, texts }: Pick<Database, "memoryVectors"> & { readonly texts: TextVectors["Service"] }
) {
  if (text === undefined || text.trim() === "") {
    return yield* Errors.badRequest("search_by=meaning needs search_content")
  }
  if (filter.owner._tag !== "User" && filter.owner._tag !== "None") {
    return yield* Errors.badRequest("search_by=meaning needs user_id: it searches the memories of one user")
  }
  if (!texts.isAvailable) {
    return yield* Errors.badRequest("This service has no embedder (EMBEDDER), so it cannot search by meaning")
  }
  const wanted = yield* texts.of(text, embeddingTimeout)
  if (wanted === undefined) return yield* Errors.unavailable("The embedder makes no vector of search_content now")
  return (yield* ReadLimiter.searching(memoryVectors.nearest(filter, wanted))).map(({ memory }) =>
    Memory.toRecord(memory)
  )
}, orUnavailable)

export const Memories = group(
  Endpoints,
  Effect.fnUntraced(function*(handlers) {
    const choose = chooseDatabase(yield* Databases)
    const models = yield* ModelCatalog
    const texts = yield* TextVectors
    const { memories: limit } = yield* StoreLimits
    const inRoom = MemoryOptimizer.makeRoom()
    const [paidBy, spending] = [yield* CurrentWork.payers, yield* Effect.serviceOption(Spending)]

    return handlers.handleAll({
      create: Effect.fn("Memories.create")(function*({ payload, query }) {
        const { memories } = yield* choose(query)
        const user_id = yield* userOf(payload.user_id)
        const memory_id = Memory.Id.make((yield* NewId)())
        const memory = written({ memory_id, user_id, body: payload }, yield* now)
        yield* Effect.catchTags(memories.create(memory), { MemoryExists: isConflict, TooManyMemories: isConflict })
        return Memory.toRecord(memory)
      }, orUnavailable),
      list: Effect.fn("Memories.list")(function*({ query }) {
        const { memories, memoryVectors } = yield* choose(query)
        const filter = {
          owner: yield* RequestCaller.ownerOf(query.user_id),
          agent_id: query.agent_id,
          team_id: query.team_id,
          topics: topicsOf(query.topics),
          search: query.search_content === "" ? undefined : query.search_content
        }
        if (query.search_by === "meaning") {
          const near = yield* findByMeaning({ ...filter, search: undefined }, filter.search, { memoryVectors, texts })
          return JsonResponse.of(Pagination.response(query, Pagination.slice(query, near), near.length))
        }
        const list = memories.list(filter, query, { by: query.sort_by, order: query.sort_order })
        const found = yield* Effect.mapError(
          filter.search === undefined ? list : ReadLimiter.searching(list),
          notListed
        )
        return JsonResponse.of(Pagination.response(query, found.memories.map(Memory.toRecord), found.total))
      }),
      get: Effect.fn("Memories.get")(function*({ params, query }) {
        const { memories } = yield* choose(query)
        const found = yield* memories.get(params.memory_id, yield* RequestCaller.ownerOf(query.user_id)).pipe(
          Effect.catchTag("MemoryNotFound", (error) => Effect.fail(Errors.notFound(error.message)))
        )
        return Memory.toRecord(found)
      }, orUnavailable),
      update: Effect.fn("Memories.update")(function*({ params, payload, query }) {
        const { memories } = yield* choose(query)
        const user_id = yield* patchedUser(payload.user_id)
        return Memory.toRecord(yield* replace(memories, { memory_id: params.memory_id, user_id, body: payload }))
      }, orUnavailable),
      remove: Effect.fn("Memories.remove")(function*({ params, query }) {
        const { memories } = yield* choose(query)
        yield* memories.remove([params.memory_id], yield* RequestCaller.ownerOf(query.user_id))
      }, orUnavailable),
      removeMany: Effect.fn("Memories.removeMany")(function*({ payload, query }) {
        yield* ChangeRecorder.names(payload.memory_ids)
        const { memories } = yield* choose(query)
        yield* memories.remove(payload.memory_ids, yield* RequestCaller.ownerOf(payload.user_id ?? undefined))
      }, orUnavailable),
      topics: Effect.fn("Memories.topics")(function*({ query }) {
        const { memories } = yield* choose(query)
        return yield* memories.topics(yield* RequestCaller.ownerOf(query.user_id))
      }, orUnavailable),
      statistics: Effect.fn("Memories.statistics")(function*({ query }) {
        const { memories } = yield* choose(query)
        const { total, users } = yield* memories.statistics(yield* RequestCaller.ownerOf(query.user_id), query).pipe(
          Effect.mapError(notListed)
        )
        return Pagination.response(query, users.map(Memory.toStatistics), total)
      }),
      optimize: Effect.fn("Memories.optimize")(function*({ payload, query }) {
        const { id, memories } = yield* choose(query)
        const request = {
          user_id: yield* userOf(payload.user_id),
          limit,
          model: payload.model ?? undefined,
          apply: payload.apply ?? true
        }
        const { user_id } = request
        const payer = { id: (yield* NewId)(), isJob: true, attempt: 1, user_id, component: undefined }
        if (Option.isSome(spending)) {
          yield* Effect.catchTag(spending.value.admit(payer), "LimitReached", RunErrors.runErrors.LimitReached)
        }
        return yield* inRoom(request, id, MemoryOptimizer.optimize(memories, models, request)).pipe(
          paidBy(payer),
          Effect.catchTags({
            AlreadyOptimizing: (error) => Effect.fail(Errors.conflict(error.message)),
            TooManyOptimizations: (error) => Effect.fail(Errors.tooManyRequests(error.message)),
            ModelUnknown: (error) => Effect.fail(Errors.badRequest(error.message)),
            NoMemories: (error) => Effect.fail(Errors.notFound(error.message)),
            TooMuchToOptimize: (error) => Effect.fail(Errors.badRequest(error.message)),
            MemoriesChanged: (error) => Effect.fail(Errors.conflict(error.message)),
            OptimizationFailed: (error) => Effect.fail(Errors.unavailable(error.message))
          })
        )
      }, orUnavailable)
    })
  })
)
