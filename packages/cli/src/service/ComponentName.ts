// A component as a person writes it: `agent/assistant`, or `assistant` alone where only one kind has the id.
import { type Component, type Kind, SvcError } from "@svc-runtime/client"
import * as ComponentKind from "@svc-runtime/domain/ComponentKind"
import { Effect, Schema } from "effect"
import { CommandFailed, UsageError } from "../CliError.ts"
import * as ServiceClient from "./ServiceClient.ts"

export interface ComponentName {
  readonly kind: Kind
  readonly id: string
}

const kinds = ComponentKind.ComponentKind.literals
const isKind = Schema.is(ComponentKind.ComponentKind)

export const nameOf = ({ id, kind }: ComponentName): string => `${kind}/${id}`

/** Of an entry that has the id in the field of its kind. */
export const ofEntry = (
  entry: { readonly [K in `${Kind}_id`]?: string | null | undefined }
): ComponentName | undefined =>
  kinds.flatMap((kind) => {
    const id = entry[`${kind}_id`]
    return typeof id === "string" ? [{ kind, id }] : []
  })[0]

/** For a table. An entry without a component has `-`. */
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

/** Undefined if the credential may not list the kind: its scopes can be for another one. */
const unlessForbidden = (list: Promise<unknown>): Promise<unknown> =>
  list.catch((error: unknown) => {
    if (error instanceof SvcError && error.status === 403) return undefined
    throw error
  })

const listed = Effect.fnUntraced(function*({ svc }: ServiceClient.Service) {
  const lists = yield* Effect.forEach(
    kinds,
    (kind) => ServiceClient.call(`Listing ${kind}s`, (options) => unlessForbidden(svc[`${kind}s`].list(options))),
    { concurrency: "unbounded" }
  )
  return {
    names: kinds.flatMap((kind, at) =>
      idsIn((lists[at] ?? []) as ReadonlyArray<{ readonly id?: unknown }>).map((id): ComponentName => ({ kind, id }))
    ),
    hidden: kinds.filter((_, at) => lists[at] === undefined)
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

/** Its runs. What is done with them is the same for every kind. */
export const runsOf = ({ svc }: ServiceClient.Service, { id, kind }: ComponentName): Component<"agent"> =>
  svc[kind](id) as unknown as Component<"agent">
