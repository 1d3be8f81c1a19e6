// Learnings. Isolated callers read their own and those without an owner, and change only their own.
import { type DatabaseChoice, Databases } from "@svc-runtime/agents/database/Databases"
import { CurrentPrincipal, Errors } from "@svc-runtime/api"
import type * as Ids from "@svc-runtime/domain/Ids"
import * as Owner from "@svc-runtime/domain/Owner"
import * as Pagination from "@svc-runtime/domain/Pagination"
import * as Principal from "@svc-runtime/domain/Principal"
import * as Session from "@svc-runtime/domain/Session"
import * as Tenant from "@svc-runtime/domain/Tenant"
import { NewId } from "@svc-runtime/engine/NewId"
import { now } from "@svc-runtime/engine/now"
import type { SessionStore } from "@svc-runtime/engine/session/SessionStore"
import * as RequestCaller from "@svc-runtime/http/authorization/RequestCaller"
import { group } from "@svc-runtime/http/group"
import { chooseDatabase } from "@svc-runtime/http/wire/chooseDatabase"
import { missing, notListed, orUnavailable } from "@svc-runtime/http/wire/WireErrors"
import { Effect, Option } from "effect"
import * as erasures from "../memory/Erasures.ts"
import * as Learning from "./Learning.ts"
import type { LearningExists, TooManyLearnings } from "./LearningErrors.ts"
import { Learnings as Endpoints } from "./LearningsApi.ts"
import type { LearningStore } from "./LearningStore.ts"

type Store = LearningStore["Service"]

const isConflict = (error: LearningExists | TooManyLearnings) => Effect.fail(Errors.conflict(error.message))

const notForOthers = Errors.forbidden("Cannot create learnings for another user")
const notFound = (id: Learning.Id) => missing("Learning", id)

/** An empty name is none: no path names such an owner, and no agent reads such a namespace. */
const orNull = <A extends string>(name: A | null | undefined): A | null =>
  name === undefined || name === "" ? null : name

/** The user that a request names. Fails for a caller who may not act for that user. */
const userNamed = Effect.fnUntraced(function*(requested: Ids.UserId, detail: string) {
  return Principal.userNamed(yield* CurrentPrincipal, requested) ?? (yield* Errors.forbidden(detail))
})

const checkAsked = (requested: Ids.UserId | null | undefined, detail: string) =>
  requested === undefined || requested === null ? Effect.void : userNamed(requested, detail)

const checkNamespace = (namespace: string | null | undefined) =>
  CurrentPrincipal.use(({ isIsolated, user_id }) =>
    isIsolated && Learning.isNamespaceOfOther(namespace, user_id)
      ? Effect.fail(notForOthers)
      : Effect.void
  )

/**
 * The owner of a new learning. Records of one identity have one id, so who creates it first keeps others from it: an
 * isolated caller creates them for their own sessions and in their own namespace only, and is not shown whether others
 * have them.
 */
const ownerOf = Effect.fnUntraced(function*(payload: Learning.Create, sessions: SessionStore["Service"]) {
  const principal = yield* CurrentPrincipal
  const { tenant } = principal
  const requested = orNull(payload.user_id)
  if (!principal.isIsolated) return requested
  const own = principal.user_id
  switch (payload.learning_type) {
    case "session_context": {
      const session = Session.Id.make(payload.session_id ?? "")
      const found = yield* sessions.find(session, yield* RequestCaller.ownerOf(undefined))
      return Option.isNone(found) || own === undefined ? yield* notForOthers : own
    }
    case "entity_memory":
      if (own !== undefined && payload.namespace === Learning.namespaceOf(own)) return own
      return yield* Errors.forbidden(
        "Only admins can create entities outside of the namespace 'user:' with the id of the user"
      )
    default:
      // what all users of a tenant share is shown to no other tenant
      return requested ?? (tenant === undefined ? null : Tenant.itself(tenant))
  }
})

const refused = (field: string, msg: string, type: string, detail = msg) => {
  const { error_code, errors } = Errors.invalid([{ loc: ["body", field], msg, type }])
  return new Errors.Invalid({ detail, error_code, errors })
}

/** A learning that the caller may change. */
const findOwn = Effect.fnUntraced(function*(store: Store, id: Learning.Id) {
  const owner = yield* RequestCaller.ownerOf(undefined)
  const found = yield* store.find(id, owner)
  if (Option.isNone(found)) return yield* notFound(id)
  if (Owner.covers(owner, found.value.user_id)) return { owner, learning: found.value }
  return yield* Errors.forbidden("Only admins can modify learnings that have no owner (user_id is null)")
})

const created = Effect.fnUntraced(function*(given: Learning.Create, sessions: SessionStore["Service"]) {
  const principal = yield* CurrentPrincipal
  const { isIsolated, seesTenant } = principal
  // a reserved name is refused as the owner of anything, and proposals without a user would have no limit
  const requested = orNull(given.user_id)
  const named = requested === null ? null : Principal.userNamed(principal, requested) ?? requested
  if (seesTenant !== true || named === null) yield* RequestCaller.actorOfNew(requested)
  const payload = { ...given, user_id: named }
  const { content, learning_type, metadata = null } = payload
  const [missing] = Learning.missingFields(payload)
  if (missing !== undefined) {
    const text = `learning_type '${learning_type}' is keyed by its identity fields; provide the required field(s): ` +
      Learning.missingFields(payload).join(", ")
    return yield* refused(missing, "Field required", "missing", text)
  }
  const newId = yield* NewId
  const at = yield* now
  const user_id = yield* ownerOf(payload, sessions)
  const learning: Learning.Learning = {
    learning_id: Option.getOrElse(Learning.idOf(payload), () => Learning.Id.make(newId())),
    learning_type,
    namespace: orNull(payload.namespace),
    user_id,
    agent_id: payload.agent_id ?? null,
    team_id: payload.team_id ?? null,
    session_id: (payload.session_id ?? null) === null ? null : Session.Id.make(payload.session_id ?? ""),
    entity_id: payload.entity_id ?? null,
    entity_type: payload.entity_type ?? null,
    content,
    // what an isolated caller writes for all users is used by agents only after an approval
    metadata: isIsolated && seesTenant !== true && Learning.isShared(user_id)
      ? Learning.asProposed(metadata)
      : metadata,
    created_at: at,
    updated_at: at
  }
  return learning
})

export const Learnings = group(
  Endpoints,
  Effect.fnUntraced(function*(handlers) {
    const choose = chooseDatabase(yield* Databases)
    const storeOf = (choice: DatabaseChoice) => Effect.map(choose(choice), ({ learnings }) => learnings)

    return handlers.handleAll({
      list: Effect.fn("Learnings.list")(function*({ query }) {
        yield* checkAsked(query.user_id, "Cannot list learnings for another user")
        const store = yield* storeOf(query)
        const { limit: _limit, page: _page, sort_by, sort_order, status, user_id, ...fields } = query
        const isProposed = status === undefined ? undefined : status === "proposed"
        const owner = yield* RequestCaller.ownerOf(user_id)
        const { learnings, total } = yield* Effect.mapError(
          store.list({ owner, includesShared: user_id === undefined, isProposed, fields }, query, {
            by: sort_by,
            order: sort_order
          }),
          notListed
        )
        return Pagination.response(query, learnings, total)
      }),
      create: Effect.fn("Learnings.create")(function*({ payload, query }) {
        yield* checkAsked(payload.user_id, "Cannot create learnings for another user")
        yield* checkNamespace(payload.namespace)
        const { learnings: store, sessions } = yield* choose(query)
        const learning = yield* created(payload, sessions)
        const { isIsolated, user_id } = yield* CurrentPrincipal
        yield* Effect.catchTags(store.create(learning, isIsolated ? user_id : undefined), {
          LearningExists: isConflict,
          TooManyLearnings: isConflict
        })
        return learning
      }, orUnavailable),
      listUsers: Effect.fn("Learnings.listUsers")(function*({ query }) {
        yield* checkAsked(query.user_id, "Cannot list learning users for another user")
        const store = yield* storeOf(query)
        const filter = { owner: yield* RequestCaller.ownerOf(query.user_id), learning_type: query.learning_type }
        const sort = query.sort_by === "user_id"
          ? { by: query.sort_by, order: query.sort_order } as const
          : { by: "last_learning_updated_at", order: query.sort_order } as const
        const { total, users } = yield* store.listUsers(filter, query, sort)
        return Pagination.response(query, users, total)
      }, orUnavailable),
      removeOfUser: Effect.fn("Learnings.removeOfUser")(function*({ params, query }) {
        const user_id = yield* userNamed(params.user_id, "Cannot delete learnings for another user")
        const database = yield* choose(query)
        const removal = Effect.all({ learnings: database.learnings.removeOf(user_id, query.learning_type) })
        yield* erasures.perform(database, { action: "learnings_deleted", user_id }, removal)
      }, orUnavailable),
      get: Effect.fn("Learnings.get")(function*({ params, query }) {
        const store = yield* storeOf(query)
        const found = yield* store.find(params.learning_id, yield* RequestCaller.ownerOf(undefined))
        return Option.isSome(found) ? found.value : yield* notFound(params.learning_id)
      }, orUnavailable),
      update: Effect.fn("Learnings.update")(function*({ params, payload, query }) {
        const store = yield* storeOf(query)
        const { learning, owner } = yield* findOwn(store, params.learning_id)
        const { content, metadata } = payload
        if (content === null) {
          return yield* refused("content", "content cannot be null; omit the field to leave it unchanged", "dict_type")
        }
        if (content === undefined && metadata === undefined) return learning
        return yield* Effect.catchTag(
          store.update(params.learning_id, owner, { content, metadata, updated_at: yield* now }),
          "LearningNotFound",
          ({ learning_id }) => Effect.fail(notFound(learning_id))
        )
      }, orUnavailable),
      remove: Effect.fn("Learnings.remove")(function*({ params, query }) {
        const store = yield* storeOf(query)
        const { owner } = yield* findOwn(store, params.learning_id)
        yield* Effect.catchTag(
          store.remove(params.learning_id, owner),
          "LearningNotFound",
          ({ learning_id }) => Effect.fail(notFound(learning_id))
        )
      }, orUnavailable)
    })
  })
)
