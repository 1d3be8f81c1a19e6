// The components of a form that starts runs.
import type { Kind } from "../chat/Turn.ts"
import { kinds, loadComponents } from "./components.ts"
import { useLoaded } from "./useLoaded.ts"

export type Choices = ReadonlyArray<readonly [value: string, title: string]>

/** Components of the kinds. Those of factories need an input of their own. */
export const useComponentChoices = (wanted: ReadonlyArray<Kind> = kinds): Choices => {
  const { value: components = [] } = useLoaded((signal) => loadComponents(signal).catch(() => []), [])
  return components
    .filter(({ is_factory, kind }) => !is_factory && wanted.includes(kind))
    .map(({ id, kind, name }) => [`${kind}/${id}`, `${kind} ${name ?? id}`] as const)
}

/** `agent_id`, `team_id` or `workflow_id` of a choice. */
export const idsOf = (
  choice: string
): { readonly agent_id?: string; readonly team_id?: string; readonly workflow_id?: string } => {
  const [kind, ...rest] = choice.split("/")
  return choice === "" ? {} : { [`${kind}_id`]: rest.join("/") }
}
