// The names that a function can ask for with `outputOf`. The compiler cannot check them: a function does not know the
// workflows whose step it is.
import * as Misspelling from "@svc-runtime/domain/Misspelling"
import { childrenOf, type Node } from "./Node.ts"

interface Named {
  readonly id: string
  readonly steps: ReadonlyArray<Node>
}

/** Names that an error lists. */
const maxListed = 50

const add = (names: Set<string>, nodes: ReadonlyArray<Node>, seen: Set<Node>): void => {
  for (const node of nodes) {
    if (seen.has(node)) continue
    seen.add(node)
    names.add(node.name)
    add(names, childrenOf(node), seen)
  }
}

/** Throws if no step of the workflow has this name. */
export const check = ({ id, steps }: Named, name: string): void => {
  const names = new Set<string>()
  add(names, steps, new Set())
  if (names.has(name)) return
  const meant = Misspelling.meant(name, names)
  const listed = [...names].slice(0, maxListed).join(", ") + (names.size > maxListed ? " …" : "")
  throw new ReferenceError(
    `outputOf: no step is called '${name}'. ${meant === undefined ? "" : `Is '${meant}' meant? `}` +
      (names.size === 0 ? `The workflow '${id}' has no steps` : `The steps of the workflow '${id}' are ${listed}`)
  )
}
