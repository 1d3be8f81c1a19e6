// The components that this program has made, for steps that name a component by its id. A service has the lists of its
// options, so nothing is kept while one runs.
import * as ComponentMethods from "@svc-runtime/agents/component/ComponentMethods"
import type * as ComponentKind from "@svc-runtime/domain/ComponentKind"
import { Effect } from "effect"

export interface Component {
  readonly id: string
}

type Kind = ComponentKind.ComponentKind

const made = new Map<string, Set<Component>>()

let services = 0

const client = "new Svc({ baseUrl })"

/** Nothing is kept until the scope of the service is closed, and components are called with the client. */
export const whileServing = Effect.acquireRelease(
  Effect.sync(() => {
    services++
    made.clear()
    return ComponentMethods.hostedBy({
      problem: "this program serves its components",
      client,
      place: "elsewhere",
      call: (kind, id, method) => `${client}.${kind}(${JSON.stringify(id)}).${method}(…)`
    })
  }),
  (end) =>
    Effect.sync(() => {
      services--
      end()
    })
)

export const keyOf = (kind: Kind, id: string): string => `${kind} ${id}`

/** All components with this id. */
export const find = (kind: Kind, id: string): ReadonlyArray<Component> => [...made.get(keyOf(kind, id)) ?? []]

/** The components that no other one has the id of. */
export const unique = (): ReadonlyArray<readonly [Kind, string]> =>
  [...made].flatMap(([key, { size }]) => {
    const [kind, ...id] = key.split(" ")
    return size === 1 ? [[kind as Kind, id.join(" ")] as const] : []
  })

ComponentMethods.onMade((kind, component) => {
  if (services > 0) return
  const key = keyOf(kind, component.id)
  const known = made.get(key)
  if (known === undefined) made.set(key, new Set([component]))
  else known.add(component)
})
