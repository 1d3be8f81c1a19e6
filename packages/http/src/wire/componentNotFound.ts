// The 404 about a component: it names what was looked for, and what the caller may see instead.
import { CurrentPrincipal, Errors } from "@svc-runtime/api"
import * as ComponentKind from "@svc-runtime/domain/ComponentKind"
import * as Misspelling from "@svc-runtime/domain/Misspelling"
import * as NameList from "@svc-runtime/domain/NameList"
import * as Principal from "@svc-runtime/domain/Principal"
import { Context, Effect } from "effect"
import { shortened } from "./WireErrors.ts"

export interface Missing {
  readonly kind: ComponentKind.ComponentKind
  readonly id: string
  readonly version?: number | undefined
  /** The ids of this kind that are registered. */
  readonly known?: Iterable<string> | undefined
}

/** Ids in one text. */
const maxListed = 20

const seen = (known: Iterable<string>, principal: Principal.Principal, kind: ComponentKind.ComponentKind) => {
  const visible = Principal.visible(principal, ComponentKind.descriptions[kind].resource)
  return [...known].filter((id) => visible === "all" || visible.has(id))
}

const instead = (id: string, { resource }: { readonly resource: string }, known: ReadonlyArray<string>): string => {
  const meant = Misspelling.meant(id, new Set(known))
  if (meant !== undefined) return `Is '${meant}' meant?`
  const all = `GET /${resource} lists all.`
  if (known.length === 0) return all
  return `The service has ${NameList.first(known.map((each) => `'${each}'`), maxListed)}. ${all}`
}

export const componentNotFound = ({ id, kind, known = [], version }: Missing): Effect.Effect<never, Errors.NotFound> =>
  Effect.withFiber(({ context }) => {
    const description = ComponentKind.descriptions[kind]
    const principal = Context.getOrUndefined(context, CurrentPrincipal)
    const what = `${description.label} not found: '${shortened(id)}'`
    if (version !== undefined) return Effect.fail(Errors.notFound(`${what} in version ${version}`))
    const visible = principal === undefined ? [] : seen(known, principal, kind)
    return Effect.fail(Errors.notFound(`${what}. ${instead(id, description, visible)}`))
  })
