// Turns the author's list of steps into nodes. Names identify steps, so they are unique in a list. The same step can be
// there again, except beside itself: its results would have one name.
import { makers, mismatch, Mistake, unmade } from "@svc-runtime/engine/userCode/Mistake"
import { Duration, Predicate } from "effect"
import * as Executor from "./Executor.ts"
import type { Element, Node, StepNode } from "./Node.ts"

const nodeTypes = ["Step", "Steps", "Parallel", "Loop", "ForEach", "Condition", "Router"]

const isNode = (element: Element): element is Node =>
  Predicate.hasProperty(element, "type") && nodeTypes.includes(String(element.type))

/** A step without options. */
export const anonymousStep = (name: string, executor: Executor.Executor): StepNode => ({
  type: "Step",
  name,
  description: undefined,
  executor,
  confirmation: undefined,
  outputReview: undefined,
  userInput: undefined,
  retries: 0,
  delayBetweenRetries: Duration.seconds(1),
  exponentialBackoff: false,
  timeout: undefined,
  onError: "fail",
  onUnknownOutcome: "pause"
})

const isElement = (element: unknown): element is Element =>
  (Predicate.isFunction(element) && !makers.has(element)) ||
  (Predicate.isObject(element) && Predicate.hasProperty(element, "name") && Predicate.isString(element.name) &&
    (Predicate.hasProperty(element, "type") || Predicate.hasProperty(element, "_tag")))

const nodeOf = (owner: string, element: unknown, index: number): Node => {
  if (!isElement(element)) {
    const todo = Array.isArray(element)
      ? "Write ... before it, or make it with Steps.make, Parallel.make or Condition.make"
      : unmade(element, "Step.make")
    throw mismatch(owner, "a step, a function, an agent, a team or a workflow", element, todo)
  }
  if (typeof element === "function") {
    const name = element.name === "" ? `step_${index + 1}` : element.name
    return anonymousStep(name, { type: "function", name, run: element, effects: "once" })
  }
  return isNode(element) ? element : anonymousStep(element.name, Executor.of(element))
}

export const nodesOf = (
  owner: string,
  elements: ReadonlyArray<unknown>,
  option = "steps",
  isBeside = false
): ReadonlyArray<Node> => {
  const nodes = elements.map((element, index) => nodeOf(`${owner}: ${option}[${index}]`, element, index))
  const places = new Map<string, number>()
  for (const [index, { name }] of nodes.entries()) {
    const before = places.get(name)
    if (before !== undefined && (isBeside || elements[before] !== elements[index])) {
      throw new Mistake(`${owner}: ${option}[${before}] and ${option}[${index}] are both called '${name}'`)
    }
    places.set(name, index)
  }
  return nodes
}

/** The same for a list; undefined if it is empty. */
export const nonEmptyNodesOf = (
  owner: string,
  elements: ReadonlyArray<unknown>,
  option = "steps",
  isBeside = false
): ReadonlyArray<Node> => {
  if (elements.length === 0) throw new Mistake(`${owner}: ${option} is empty. Give it at least one`)
  return nodesOf(owner, elements, option, isBeside)
}

export const checkedName = (kind: string, name: string): string => {
  if (!Predicate.isString(name) || name.trim() === "") throw new Mistake(`A ${kind} needs a name`)
  return name
}
