// The components of a local service: the program runs them, or a step names them by an id.
import { isAgent } from "@svc-runtime/agents/agent/define/Agent"
import { isTeam } from "@svc-runtime/agents/team/Team"
import * as Executor from "@svc-runtime/agents/workflow/define/Executor"
import { type AnyWorkflow, childrenOf, type Node } from "@svc-runtime/agents/workflow/define/Node"
import { isWorkflow } from "@svc-runtime/agents/workflow/Workflow"
import type * as ComponentKind from "@svc-runtime/domain/ComponentKind"
import type * as Application from "../Application.ts"
import * as Made from "./Made.ts"

type Kind = ComponentKind.ComponentKind

/** The ids that steps name, also in the workflows in them. */
const named = (workflow: AnyWorkflow, name: (kind: Kind, id: string) => void): void => {
  const none = () => {}
  const add = (node: Node): void => {
    if (node.type !== "Step") return childrenOf(node).forEach(add)
    Executor.match(node.executor, {
      function: none,
      agent: none,
      team: none,
      named: name,
      workflow: (inner) => named(inner, name)
    })
  }
  workflow.steps.forEach(add)
}

export class Components {
  #all = new Map<string, Made.Component>()

  get size(): number {
    return this.#all.size
  }

  /** Adds the component. A text says why it cannot be added. */
  add(kind: Kind, component: Made.Component): string | undefined {
    const key = Made.keyOf(kind, component.id)
    const known = this.#all.get(key)
    if (known === component) return undefined
    if (known !== undefined) {
      return `The ${kind} '${component.id}' of this program is another one. Make it once and use it everywhere, or ` +
        `give each an id of its own.`
    }
    this.#all.set(key, component)
    if (!isWorkflow(component)) return undefined
    const problems: Array<string> = []
    named(component, (kind, id) => problems.push(...this.#addNamed(kind, id)))
    return problems[0]
  }

  /** A component that this program has made, and that it need not have run yet. */
  addMade(kind: Kind, id: string): void {
    this.#addNamed(kind, id)
  }

  /** An id without a component is reported with its place, when the service begins. */
  #addNamed(kind: Kind, id: string): ReadonlyArray<string> {
    if (this.#all.has(Made.keyOf(kind, id))) return []
    const [found, ...others] = Made.find(kind, id)
    if (found === undefined) return []
    if (others.length > 0) {
      return [
        `This program has made ${others.length + 1} ${kind}s with the id '${id}'. Give the step the ${kind} itself.`
      ]
    }
    return [this.add(kind, found)].flatMap((problem) => problem ?? [])
  }

  /** Removes the components that were added after so many. */
  keepFirst(count: number): void {
    this.#all = new Map([...this.#all].slice(0, count))
  }

  listed(): Required<Pick<Application.Options, "agents" | "teams" | "workflows">> {
    const all: ReadonlyArray<unknown> = [...this.#all.values()]
    return { agents: all.filter(isAgent), teams: all.filter(isTeam), workflows: all.filter(isWorkflow) }
  }
}
