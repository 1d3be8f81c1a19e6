// The component that a request names in its body, and whether the caller may run it. The scope table cannot check these
// requests, because it knows only paths.
import { StoredComponents } from "@svc-runtime/agents/component/StoredComponents"
import { registries } from "@svc-runtime/agents/modules/ComponentModules"
import type { ComponentRef } from "@svc-runtime/agents/runService/Components"
import * as RunPermission from "@svc-runtime/agents/runService/RunPermission"
import * as Team from "@svc-runtime/agents/team/Team"
import { CurrentPrincipal, Errors } from "@svc-runtime/api"
import * as ComponentKind from "@svc-runtime/domain/ComponentKind"
import type * as Principal from "@svc-runtime/domain/Principal"
import { mayRun, nameAmong } from "@svc-runtime/http/authorization/RunnableComponent"
import { orUnavailable } from "@svc-runtime/http/wire/WireErrors"
import { Effect } from "effect"

const kinds = ComponentKind.ComponentKind.literals

/** Operators can map a route to other scopes, which never grant what the scope of the component does not. */
export const allow = Effect.fnUntraced(function*(component: ComponentRef) {
  if (mayRun(yield* CurrentPrincipal, component)) return component
  const { resource } = ComponentKind.descriptions[component.kind]
  return yield* Errors.forbidden(`Insufficient permissions. Required scope(s): ${resource}:run`)
})

/** A name is the id of a component, or its kind and its id: `teams/desk`. */
const candidatesOf = (name: string): ReadonlyArray<ComponentRef> => {
  const [first = "", ...rest] = name.split("/")
  const kind = kinds.find((kind) => ComponentKind.descriptions[kind].resource === first)
  return kind === undefined || rest.length === 0
    ? kinds.map((kind) => ({ kind, id: name }))
    : [{ kind, id: rest.join("/") }]
}

interface Listed extends ComponentRef {
  readonly description: string
}

export const make = Effect.gen(function*() {
  const known = yield* registries
  const all = kinds.flatMap((kind) =>
    known[kind].registered.map((each): Listed => ({
      kind,
      id: each.id,
      description: Team.leaderOrSelf(each).description ?? ""
    }))
  )
  const stored = yield* StoredComponents
  const scopes = yield* RunPermission.RunScopes
  const isRegistered = ({ id, kind }: ComponentRef) => all.some((each) => each.kind === kind && each.id === id)

  const isStored = (ref: ComponentRef) =>
    stored === undefined ? Effect.succeed(false) : orUnavailable(stored.exists(ref))

  const firstOf = Effect.fnUntraced(function*(candidates: ReadonlyArray<ComponentRef>) {
    const known = candidates.find(isRegistered)
    if (known !== undefined) return known
    for (const candidate of candidates) if (yield* isStored(candidate)) return candidate
    return undefined
  })

  /** Also by what the operator has mapped the route of its runs to. */
  const mayStart = (principal: Principal.Principal, component: ComponentRef) =>
    mayRun(principal, component) && RunPermission.allows(principal, component, "start", scopes)

  return {
    /** Whether a list shows it to the caller. */
    isListed: (component: ComponentRef) => CurrentPrincipal.useSync((principal) => mayStart(principal, component)),
    /** Undefined: there is none that the caller may run. The response does not show whether there is another one. */
    find: Effect.fnUntraced(function*(name: string) {
      const principal = yield* CurrentPrincipal
      const candidates = candidatesOf(name)
      if (!candidates.some((each) => mayRun(principal, each))) {
        const scopes = candidates.map(({ kind }) => `${ComponentKind.descriptions[kind].resource}:run`)
        return yield* Errors.forbidden(`Insufficient permissions. Required scope(s): ${scopes.join(" or ")}`)
      }
      return yield* firstOf(candidates.filter((each) => mayRun(principal, each)))
    }),
    /** The components that the caller may run, under the names by which they are found. */
    list: Effect.fnUntraced(function*() {
      const principal = yield* CurrentPrincipal
      const listed = stored === undefined ? [] : yield* Effect.forEach(kinds, (kind) =>
        Effect.map(
          orUnavailable(stored.list(kind, all.filter((each) => each.kind === kind).map(({ id }) => id))),
          (found) =>
            found.map(({ stored: { component_id, description } }): Listed => ({
              kind,
              id: component_id,
              description: description ?? ""
            }))
        ))
      // `find` looks among these
      const found = [...all, ...listed.flat()].filter((each) => mayRun(principal, each))
      return found
        .filter((each) => mayStart(principal, each))
        .map((each) => ({ ...each, name: nameAmong(each, found) }))
    })
  }
})

export type ComponentLookup = Effect.Success<typeof make>
