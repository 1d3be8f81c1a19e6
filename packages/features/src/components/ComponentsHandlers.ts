// Stored components, and the versions of their configs.
import { ConfigNotFound, ConfigRejected } from "@svc-runtime/agents/component/StoredComponentErrors"
import { VersionShares } from "@svc-runtime/agents/runService/VersionShares"
import { Errors } from "@svc-runtime/api"
import * as Component from "@svc-runtime/domain/Component"
import * as ComponentKind from "@svc-runtime/domain/ComponentKind"
import * as Monotonic from "@svc-runtime/domain/Monotonic"
import * as Pagination from "@svc-runtime/domain/Pagination"
import { now } from "@svc-runtime/engine/now"
import { group } from "@svc-runtime/http/group"
import * as JsonResponse from "@svc-runtime/http/wire/JsonResponse"
import { notListed, orUnavailable } from "@svc-runtime/http/wire/WireErrors"
import { Effect, Option, Schema } from "effect"
import { HttpServerResponse } from "effect/http"
import * as Records from "./ComponentRecords.ts"
import { Components as Endpoints } from "./ComponentsApi.ts"

const { badRequest, refusals } = Records

interface NotFound {
  readonly message: string
}

const notFound = ({ message }: NotFound) => Effect.fail(Errors.notFound(message))

const neitherFound = (id: Component.Id, version: number) => () =>
  Effect.fail(Errors.notFound(`Component ${id} or config version ${version} not found`))

const isKind = Schema.is(ComponentKind.ComponentKind)

const kindOf = (text: string | null | undefined) => {
  if (text === null || text === undefined) return Effect.succeed(undefined)
  return isKind(text) ? Effect.succeed(text) : Effect.fail(Errors.badRequest(`'${text}' is not a valid ComponentType`))
}

const responseOf = (config: Component.StoredConfig, status = 200) =>
  HttpServerResponse.setStatus(JsonResponse.of(Component.toConfig(config)), status)

export const Components = group(
  Endpoints,
  Effect.fnUntraced(function*(handlers) {
    const records = yield* Records.make
    const { store } = records
    const registered = [...records.registered.agent, ...records.registered.team]
    const shares = Option.getOrUndefined(yield* Effect.serviceOption(VersionShares))

    const found = Effect.fnUntraced(function*(id: Component.Id) {
      const component = yield* store.find(id)
      return Option.isSome(component) ? component.value : yield* Errors.notFound(`Component ${id} not found`)
    })

    /** Refuses a published version before the change itself is checked. */
    const checkDraft = Effect.fnUntraced(function*(id: Component.Id, version: number) {
      const config = yield* store.config(id, version)
      if (Option.isNone(config)) return yield* new ConfigNotFound({ id, version })
      if (config.value.stage === "published") return yield* new ConfigRejected({ reason: "published", id, version })
    })

    return handlers.handleAll({
      list: Effect.fn("Components.list")(function*({ query }) {
        const begun = yield* Monotonic.millis
        const { component_type, ...page } = query
        const { components, total } = yield* store.list({ component_type, without: registered }, page)
        const { data, meta } = Pagination.response(page, components.map(Component.toComponent), total)
        return JsonResponse.of({ data, meta: { ...meta, search_time_ms: (yield* Monotonic.millis) - begun } })
      }, orUnavailable),
      create: Effect.fn("Components.create")(function*({ payload }) {
        const { component_type, config, description, label, metadata, name, notes } = payload
        const stage = (yield* Records.stageOf(payload.stage)) ?? "draft"
        const created = yield* records.create({
          component_id: yield* Records.idOf(payload.component_id, name, "component_id"),
          component_type,
          name,
          description: description ?? null,
          metadata: metadata ?? null,
          config: { config: config ?? {}, label: label ?? null, links: [], notes: notes ?? null, stage }
        }, ["config"]).pipe(Effect.catchTags({ ComponentIdTaken: badRequest }))
        return Component.toComponent(created)
      }, orUnavailable),
      get: Effect.fn("Components.get")(
        ({ params }) => Effect.map(found(params.component_id), Component.toComponent),
        orUnavailable
      ),
      update: Effect.fn("Components.update")(function*({ params, payload }) {
        const { current_version, description, metadata, name } = payload
        const component_type = yield* kindOf(payload.component_type)
        const component = yield* records.change(params.component_id, {
          fields: {
            name: name ?? undefined,
            description: description ?? undefined,
            component_type,
            metadata: metadata ?? undefined
          },
          current: current_version ?? undefined
        }, ["body", component_type === undefined ? "current_version" : "component_type"]).pipe(
          Effect.catchTags({ ...refusals, StoredComponentNotFound: notFound, ConfigNotFound: badRequest })
        )
        return Component.toComponent(component)
      }, orUnavailable),
      remove: Effect.fn("Components.remove")(function*({ params: { component_id: id } }) {
        if (!(yield* store.remove(id, yield* now))) return yield* Errors.notFound(`Component ${id} not found`)
      }, orUnavailable),
      listConfigs: Effect.fn("Components.listConfigs")(function*({ params, query }) {
        const configs = yield* query.include_config
          ? Effect.mapError(store.configs(params.component_id), notListed)
          : store.versions(params.component_id)
        return JsonResponse.of(configs.map(Component.toConfig))
      }, orUnavailable),
      createConfig: Effect.fn("Components.createConfig")(function*({ params, payload }) {
        const { label, notes } = payload
        const saved = yield* records.save(params.component_id, {
          config: {
            config: payload.config,
            label: label ?? undefined,
            stage: yield* Records.stageOf(payload.stage),
            notes: notes ?? undefined,
            setCurrent: payload.set_current ?? undefined,
            links: yield* Records.linksOf(payload.links)
          }
        }, ["config"]).pipe(
          Effect.catchTags({ ...refusals, StoredComponentNotFound: badRequest, ConfigNotFound: badRequest })
        )
        return responseOf(saved.config, 201)
      }, orUnavailable),
      getCurrentConfig: Effect.fn("Components.getCurrentConfig")(function*({ params: { component_id: id } }) {
        const config = yield* store.config(id, undefined)
        return Option.isSome(config) ? responseOf(config.value) : yield* Errors.notFound(`No current config for ${id}`)
      }, orUnavailable),
      getConfig: Effect.fn("Components.getConfig")(function*({ params: { component_id: id, version } }) {
        const config = yield* store.config(id, version)
        return Option.isSome(config)
          ? responseOf(config.value)
          : yield* Errors.notFound(`Config ${id} v${version} not found`)
      }, orUnavailable),
      updateConfig: Effect.fn("Components.updateConfig")(function*({ params: { component_id: id, version }, payload }) {
        const { config, label, notes } = payload
        const saved = yield* Effect.gen(function*() {
          yield* checkDraft(id, version)
          return yield* records.save(id, {
            config: {
              version,
              config: config ?? undefined,
              label: label ?? undefined,
              stage: yield* Records.stageOf(payload.stage),
              notes: notes ?? undefined,
              setCurrent: payload.set_current ?? undefined,
              links: yield* Records.linksOf(payload.links)
            }
          }, ["config"])
        }).pipe(Effect.catchTags({
          ...refusals,
          StoredComponentNotFound: () => Effect.fail(Errors.badRequest(`Config ${id} v${version} not found`)),
          ConfigNotFound: badRequest
        }))
        return responseOf(saved.config)
      }, orUnavailable),
      removeConfig: Effect.fn("Components.removeConfig")(function*({ params: { component_id: id, version } }) {
        if (shares !== undefined && (yield* shares.includes(id, version))) {
          return yield* Errors.badRequest(
            `Version ${version} of ${id} is in a rollout. Take it out of the rollout, or stop the rollout, and delete ` +
              "it then"
          )
        }
        yield* store.removeConfig(id, version, yield* now).pipe(Effect.catchTags({
          StoredComponentNotFound: () => Effect.fail(Errors.notFound(`Config ${id} v${version} not found`)),
          ConfigNotFound: notFound,
          ConfigRejected: badRequest
        }))
      }, orUnavailable),
      setCurrent: Effect.fn("Components.setCurrent")(function*({ params: { component_id: id, version } }) {
        const component = yield* records.change(id, { current: version }, ["path", "version"]).pipe(Effect.catchTags({
          ...refusals,
          StoredComponentNotFound: neitherFound(id, version),
          ConfigNotFound: neitherFound(id, version)
        }))
        return Component.toComponent(component)
      }, orUnavailable)
    })
  })
)
