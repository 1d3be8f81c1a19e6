// A component as a person writes it: `agent/assistant`, or `assistant` alone where only one kind has the id.
import * as ComponentKind from "@svc-runtime/domain/ComponentKind"
import { Effect, Schema } from "effect"
import type { HttpClient } from "effect/http"
import { CommandFailed, UsageError } from "../CliError.ts"
import * as Groups from "./Groups.ts"
import * as Runs from "./Runs.ts"
import * as ServiceClient from "./ServiceClient.ts"

export interface ComponentName {
  readonly kind: ComponentKind.ComponentKind
  readonly id: string
}

const kinds = ComponentKind.ComponentKind.literals
const isKind = Schema.is(ComponentKind.ComponentKind)

export const nameOf = ({ id, kind }: ComponentName): string => `${kind}/${id}`

/** The component of an entry that has the id in the field of its kind. */
export const ofEntry = (
  entry: { readonly [K in `${ComponentKind.ComponentKind}_id`]?: string | null | undefined }
): ComponentName | undefined =>
  kinds.flatMap((kind) => {
    const id = entry[`${kind}_id`]
    return typeof id === "string" ? [{ kind, id }] : []
  })[0]

/** The component of an entry in a table. An entry without a component has `-`. */
export const shownOf = (entry: Parameters<typeof ofEntry>[0]): string => {
  const component = ofEntry(entry)
  return component === undefined ? "-" : nameOf(component)
}

/** `agents/assistant` is accepted too, as in addresses. */
const parsed = (text: string): ComponentName | undefined => {
  const at = text.indexOf("/")
  const kind = text.slice(0, at).replace(/s$/, "")
  return at > 0 && isKind(kind) && at < text.length - 1 ? { kind, id: text.slice(at + 1) } : undefined
}

const idsIn = (list: ReadonlyArray<{ readonly id?: unknown }>): ReadonlyArray<string> =>
  list.flatMap(({ id }) => typeof id === "string" ? [id] : [])

type Listed = Effect.Effect<
  ReadonlyArray<{ readonly id?: unknown }> | undefined,
  CommandFailed,
  HttpClient.HttpClient
>

/** The scopes of a credential can be for another kind. A kind that it may not list has no list. */
const unlessForbidden = (list: Listed): Listed =>
  Effect.catchIf(list, ({ status }) => status === 403, () => Effect.succeed(undefined))

const lists = (service: ServiceClient.Service): { readonly [K in ComponentKind.ComponentKind]: Listed } => ({
  agent: ServiceClient.call(service, "Listing agents", Groups.agents, "list"),
  team: ServiceClient.call(service, "Listing teams", Groups.teams, "list"),
  workflow: ServiceClient.call(service, "Listing workflows", Groups.workflows, "list")
})

const listed = Effect.fnUntraced(function*(service: ServiceClient.Service) {
  const requests = lists(service)
  const found = yield* Effect.forEach(kinds, (kind) => unlessForbidden(requests[kind]), { concurrency: "unbounded" })
  return {
    names: kinds.flatMap((kind, at) => idsIn(found[at] ?? []).map((id): ComponentName => ({ kind, id }))),
    hidden: kinds.filter((_, at) => found[at] === undefined)
  }
})

const known = ({ hidden, names }: Effect.Success<ReturnType<typeof listed>>, text: string): string => {
  const kindsOf = new Intl.ListFormat("en-GB").format(hidden.map((kind) => `${kind}s`))
  return [
    ...(names.length > 0 ? [`The service has ${names.map(nameOf).join(", ")}.`] : []),
    ...(hidden.length > 0 ? [`The credential may not list ${kindsOf}: try ${hidden[0]}/${text}.`] : []),
    ...(names.length + hidden.length === 0 ? ["The service has no components."] : [])
  ].join(" ")
}

export const resolve = Effect.fn("ComponentName.resolve")(function*(service: ServiceClient.Service, text: string) {
  const exact = parsed(text)
  if (exact !== undefined) return exact
  if (text.includes("/")) {
    return yield* new UsageError({ message: `${text} names no component: expected agent/ID, team/ID or workflow/ID` })
  }
  const all = yield* listed(service)
  const [found, other] = all.names.filter(({ id }) => id === text)
  if (found === undefined) {
    const message = all.hidden.length > 0
      ? `No component '${text}' was found`
      : `The service has no component '${text}'`
    return yield* new CommandFailed({ message, hint: known(all, text) })
  }
  if (other !== undefined) {
    return yield* new CommandFailed({
      message: `Several components are called '${text}'`,
      hint: `Say which one: ${[found, other].map(nameOf).join(" or ")}.`
    })
  }
  return found
})

/** Adds which components there are to the error about one that the service does not have. */
export const elseKnown = <A, E, R>(
  service: ServiceClient.Service,
  { id }: ComponentName,
  request: Effect.Effect<A, E | CommandFailed, R>
) =>
  Effect.catchIf(
    request,
    (error): error is CommandFailed => error instanceof CommandFailed && error.status === 404,
    (error) =>
      Effect.matchEffect(listed(service), {
        onFailure: () => Effect.fail(error),
        onSuccess: (all) => Effect.fail(new CommandFailed({ message: error.message, hint: known(all, id) }))
      })
  )

/** The runs of a component. */
export const runsOf = (service: ServiceClient.Service, name: ComponentName): Runs.Runs => Runs.of(service, name)
