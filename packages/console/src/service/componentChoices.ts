// The components of a form that starts runs.
import type { Kind } from "@svc-runtime/client"
import { kindOf, kinds, loadComponents } from "./components.ts"
import { useLoaded } from "./useLoaded.ts"

export type Choices = ReadonlyArray<readonly [value: string, title: string]>

/** Components of the kinds. Those of factories need an input of their own. */
export const useComponentChoices = (wanted: ReadonlyArray<Kind> = kinds): Choices => {
  const { value: components = [] } = useLoaded((signal) => loadComponents(signal).catch(() => []), [])
  return components
    .filter(({ is_factory, kind }) => !is_factory && wanted.includes(kind))
    .map(({ id, kind, name }) => [`${kind}/${id}`, `${kind} ${name ?? id}`] as const)
}

/** The component of a choice. Undefined: none was made. */
export const chosenComponent = (choice: string): { readonly kind: Kind; readonly id: string } | undefined => {
  const [text, ...rest] = choice.split("/")
  const kind = kindOf(text)
  return kind === undefined ? undefined : { kind, id: rest.join("/") }
}

interface Ids {
  readonly agent_id?: string
  readonly team_id?: string
  readonly workflow_id?: string
}

export const idsOf = (choice: string): Ids => {
  const chosen = chosenComponent(choice)
  return chosen === undefined ? {} : { [`${chosen.kind}_id`]: chosen.id }
}
