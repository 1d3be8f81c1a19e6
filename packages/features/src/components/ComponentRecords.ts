// What the endpoints of stored components have in common: what a caller sends becomes a change of the store, and errors
// become those of the wire.
import {
  type Change,
  ComponentStore,
  type ConfigChange,
  type NewComponent
} from "@svc-runtime/agents/component/ComponentStore"
import {
  type ComponentChanged,
  ConfigNotFound,
  type ConfigRejected,
  StoredComponentNotFound
} from "@svc-runtime/agents/component/StoredComponentErrors"
import { type CheckedConfig, StoredComponents } from "@svc-runtime/agents/component/StoredComponents"
import { registries } from "@svc-runtime/agents/modules/ComponentModules"
import { Errors } from "@svc-runtime/api"
import * as Component from "@svc-runtime/domain/Component"
import * as ComponentKind from "@svc-runtime/domain/ComponentKind"
import * as Json from "@svc-runtime/domain/Json"
import { now } from "@svc-runtime/engine/now"
import { Effect, Option, Record } from "effect"

type Sent<A> = A | null | undefined

const isTable = (key: string) => /_table(_name)?$/.test(key)

/** The config as it is stored. Of a database, only the id and the names of tables are kept. */
const configOf = ({ db, ...rest }: Json.Object): Json.Object => {
  if (db === undefined || db === null) return rest
  if (!Json.isObject(db)) return { ...rest, db }
  return { ...rest, db: Object.fromEntries(Object.entries(db).filter(([key]) => key === "id" || isTable(key))) }
}

export const badRequest = ({ message }: { readonly message: string }) => Effect.fail(Errors.badRequest(message))

/** Errors of changes that have one form at all endpoints. */
export const refusals = {
  ConfigRejected: (error: ConfigRejected) => badRequest(error),
  ComponentChanged: ({ message }: ComponentChanged) => Effect.fail(Errors.conflict(message))
}

/** Draft or published. */
export const stageOf = (text: Sent<string>): Effect.Effect<Component.Stage | undefined, Errors.BadRequest> => {
  if (text === null || text === undefined) return Effect.succeed(undefined)
  const stage = Component.parseStage(text)
  return Option.isSome(stage) ? Effect.succeed(stage.value) : Effect.fail(Errors.badRequest(`Invalid stage: ${text}`))
}

export const linksOf = Effect.fnUntraced(function*(links: Sent<ReadonlyArray<Component.LinkInput>>) {
  const keys = new Set<string>()
  for (const { child_component_id, child_version, link_key, link_kind } of links ?? []) {
    if (child_version === null || child_version === undefined) {
      return yield* Errors.badRequest(`child_version is required for link to ${child_component_id}`)
    }
    const key = JSON.stringify([link_kind, link_key])
    if (keys.has(key)) {
      return yield* Errors.badRequest(`Two links have the kind '${link_kind}' and the key '${link_key}'`)
    }
    keys.add(key)
  }
  return links?.map((link, index): Component.Link => ({
    link_kind: link.link_kind,
    link_key: link.link_key,
    child_component_id: link.child_component_id,
    child_version: link.child_version ?? 0,
    position: link.position ?? index,
    meta: link.meta ?? null
  }))
})

const nameless = (field: string) =>
  Errors.invalid([{
    loc: ["body", field],
    msg: "Field required, because no id can be made of the name",
    type: "missing"
  }])

/** The id that was sent, or one made of the name. */
export const idOf = (
  id: Sent<Component.Id>,
  name: string,
  field: string
): Effect.Effect<Component.Id, Errors.Invalid> =>
  id === null || id === undefined
    ? Option.match(Component.idOfName(name), { onNone: () => Effect.fail(nameless(field)), onSome: Effect.succeed })
    : Effect.succeed(id)

/** Steps name components without links: they follow the current versions. */
export const linksMembers = (kind: ComponentKind.ComponentKind): boolean =>
  ComponentKind.descriptions[kind].parts === "members"

interface Member {
  readonly kind: "agent" | "team"
  readonly id: string
}

const memberOf = (value: Json.Value, index: number): Member => {
  const { agent_id, team_id, type } = Json.isObject(value) ? value : {}
  const [kind, id] = type === "team" ? ["team" as const, team_id] : ["agent" as const, agent_id]
  return { kind, id: typeof id === "string" ? id : `members.${index}` }
}

const unresolved = (name: string, ids: ReadonlyArray<string>) =>
  Errors.badRequest(
    `Cannot create team '${name}': the following members could not be resolved: ${ids.join(", ")}. ` +
      "Referenced agents/teams must exist as components or be registered with the Svc instance."
  )

const idsOf = ({ registered }: { readonly registered: ReadonlyArray<{ readonly id: string }> }): ReadonlySet<string> =>
  new Set(registered.map(({ id }) => id))

export const make = Effect.gen(function*() {
  const store = yield* ComponentStore
  const stored = yield* StoredComponents
  const registered = Record.map(yield* registries, idsOf)

  /** Refuses a config that cannot make a component. Every config that is saved passes here. */
  const check = Effect.fnUntraced(function*(checked: CheckedConfig, loc: ReadonlyArray<string>) {
    const problems = stored === undefined ? [] : yield* stored.check(checked)
    if (problems.length > 0) {
      return yield* Errors.invalid(problems.map((problem) => ({
        loc: [...loc, ...problem.path],
        msg: problem.message,
        type: problem.type ?? "value_error"
      })))
    }
  })

  /**
   * A change after which the component is made of this config. Components that name others are checked one after the
   * other: two changes at once could close a circle.
   */
  const changeChecked = (id: Component.Id, change: Change, checked: CheckedConfig, loc: ReadonlyArray<string>) =>
    ComponentKind.descriptions[checked.kind].parts === undefined
      ? Effect.andThen(check(checked, loc), store.change(id, change))
      : store.change(id, change, check(checked, loc))

  /** Refuses links to versions that do not exist. */
  const checkLinks = Effect.fnUntraced(function*(links: ReadonlyArray<Component.Link>) {
    if (links.length === 0) return
    const keys = links.map(({ child_component_id: id, child_version: version }) => ({ id, version }))
    const found = new Set((yield* store.present(keys)).map(({ id, version }) => `${version} ${id}`))
    const missing = keys.find(({ id, version }) => !found.has(`${version} ${id}`))
    if (missing !== undefined) return yield* badRequest(new ConfigNotFound(missing))
  })

  /** Members that are stored are linked to their current versions. Registered ones are not. */
  const memberLinks = Effect.fnUntraced(function*(name: string, config: Json.Object) {
    const members = Json.isList(config["members"]) ? config["members"].map(memberOf) : []
    const stored = members.filter(({ id, kind }) => !registered[kind].has(id))
    if (stored.length === 0) return []
    const ids = [...new Set(stored.map(({ id }) => Component.Id.make(id)))]
    const published = (yield* store.heads(ids)).filter(({ current_version }) => current_version !== null)
    const found = new Map(published.map((head) => [`${head.component_type} ${head.component_id}`, head]))
    const missing = stored.filter(({ id, kind }) => !found.has(`${kind} ${id}`))
    if (missing.length > 0) return yield* unresolved(name, missing.map(({ id }) => id))
    return members.flatMap(({ id, kind }, position): ReadonlyArray<Component.Link> => {
      const child = registered[kind].has(id) ? undefined : found.get(`${kind} ${id}`)
      return child === undefined ? [] : [{
        link_kind: "member",
        link_key: `member_${position}`,
        child_component_id: child.component_id,
        child_version: child.current_version ?? 1,
        position,
        meta: null
      }]
    })
  })

  const isRegistered = (id: Component.Id) => Object.values(registered).some((ids) => ids.has(id))

  return {
    store,
    registered,
    isRegistered,
    memberLinks,
    create: Effect.fnUntraced(function*(component: Omit<NewComponent, "at">, path: ReadonlyArray<string>) {
      const { component_id: id, component_type: kind, name } = component
      if (isRegistered(id)) {
        return yield* Errors.badRequest(`Component ${id} already exists`)
      }
      const config = configOf(component.config.config)
      const links = linksMembers(kind) ? yield* memberLinks(name, config) : component.config.links
      yield* check({ id, kind, name, config, links }, ["body", ...path])
      return yield* store.create({ ...component, at: yield* now, config: { ...component.config, config, links } })
    }),
    change: Effect.fnUntraced(
      function*(id: Component.Id, fields: Omit<Change, "at" | "config">, loc: ReadonlyArray<string>) {
        const change = { ...fields, at: yield* now }
        const { current } = change
        const type = change.fields?.component_type
        const component = current === undefined && type === undefined ? Option.none() : yield* store.find(id)
        const config = Option.isNone(component) ? Option.none() : yield* store.config(id, current)
        const isDraft = current !== undefined && Option.isSome(config) && config.value.stage === "draft"
        // the store refuses what is not there, and drafts
        if (Option.isNone(component) || Option.isNone(config) || isDraft) {
          return (yield* store.change(id, change)).component
        }
        const { component_type, name } = component.value
        const checked = { ...config.value, id, kind: type ?? component_type, name: change.fields?.name ?? name }
        return (yield* changeChecked(id, change, checked, loc)).component
      }
    ),
    save: Effect.fnUntraced(
      function*(
        id: Component.Id,
        change: Omit<Change, "at"> & { readonly config: ConfigChange },
        path: ReadonlyArray<string>
      ) {
        const component = yield* store.find(id)
        if (Option.isNone(component)) return yield* new StoredComponentNotFound({ id })
        const { config } = change
        const saved = config.config === undefined ? config : { ...config, config: configOf(config.config) }
        if (saved.links !== undefined) yield* checkLinks(saved.links)
        const before = saved.version === undefined ? Option.none() : yield* store.config(id, saved.version)
        const { component_type: kind, name } = component.value
        const body = saved.config ?? Option.getOrUndefined(before)?.config
        const links = saved.links ?? Option.getOrUndefined(before)?.links ?? []
        const next = { ...change, config: saved, at: yield* now }
        const changed = yield* body === undefined
          ? store.change(id, next)
          : changeChecked(id, next, { id, kind, name, config: body, links }, ["body", ...path])
        return {
          component: changed.component,
          config: yield* Effect.orDie(Effect.fromOption(Option.fromUndefinedOr(changed.config)))
        }
      }
    )
  }
})
