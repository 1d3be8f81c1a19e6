// The playgrounds: a choice of the component to work on.
import type { Kind } from "@svc-runtime/client"
import { FlaskConical } from "lucide"
import { Empty } from "../parts/Empty.tsx"
import { Icon } from "../parts/Icon.tsx"
import { Problem } from "../parts/Problem.tsx"
import { href } from "../Route.ts"
import { may } from "../service/Caller.ts"
import { isConversing, kindIcons, loadComponents } from "../service/components.ts"
import { svc } from "../service/Service.ts"
import { useLoaded } from "../service/useLoaded.ts"

interface Listed {
  readonly kind: Kind
  readonly id: string
  readonly name: string
  readonly description: string | undefined
  readonly isStored: boolean
}

/** Those of the service, and stored ones that have no current version yet. */
const loadListed = async (signal: AbortSignal): Promise<ReadonlyArray<Listed>> => {
  const [all, stored] = await Promise.all([
    loadComponents(signal),
    svc().components.list({ limit: 100 }, { signal })
  ])
  const listed = all.filter(({ is_factory, kind }) => isConversing(kind) && is_factory !== true)
    .map(({ description, id, is_component, kind, name }): Listed => ({
      kind,
      id,
      name: name ?? id,
      description,
      isStored: is_component
    }))
  const ids = new Set(listed.map(({ id }) => id))
  const drafts = stored.data.filter(({ component_id, component_type }) =>
    isConversing(component_type) && !ids.has(component_id)
  ).map(({ component_id, component_type, description, name }): Listed => ({
    kind: component_type,
    id: component_id,
    name: name ?? component_id,
    description,
    isStored: true
  }))
  return [...listed, ...drafts]
}

export const PlaygroundsPage = () => {
  const { problem, reload, value } = useLoaded(loadListed, [])
  const create = may("components:write")
    ? <a class="button primary" href={href(["components"], { new: "1" })}>New component</a>
    : null
  return (
    <section class="page">
      <header class="head">
        <div>
          <h1>Playground</h1>
          <p class="quiet">
            Change the instructions, the model or the tools, run both versions on a question or a dataset, and publish
            the better one.
          </p>
        </div>
        {value === undefined || value.length === 0 ? null : <p class="actions">{create}</p>}
      </header>
      <Problem error={problem} retry={reload} />
      {value === undefined ? null : value.length === 0
        ? (
          <Empty icon={FlaskConical} title="There are no agents yet">
            <p>An agent from data needs no code: a name, and what it does.</p>
            {create}
          </Empty>
        )
        : (
          <ul class="choices">
            {value.map(({ description, id, isStored, kind, name }) => (
              <li key={`${kind}/${id}`}>
                <a class="card" href={href(["playground", kind, id])}>
                  <Icon of={kindIcons[kind]} size={20} />
                  <strong>{name}</strong>
                  <span class="quiet">{isStored ? `stored ${kind}` : `${kind} in code`}</span>
                  {description === undefined ? null : <span class="quiet cut">{description}</span>}
                </a>
              </li>
            ))}
          </ul>
        )}
    </section>
  )
}
