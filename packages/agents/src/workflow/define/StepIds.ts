// Ids of steps: a prefix of the run id, and the number in the tree. They are the same after a resume and in every
// iteration, without being stored. A step of an item has another prefix, so that decisions are about one item.
import type * as Run from "@svc-runtime/domain/Run"
import { Hash } from "effect"
import * as StepKey from "../execute/StepKey.ts"
import type { AnyWorkflow, Node } from "./Node.ts"

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-/

const hex = (value: number, digits: number) => (value >>> 0).toString(16).padStart(8, "0").slice(-digits)

/** For a run with an id of its caller. */
const madeUp = (run: string) => {
  const first = hex(Hash.string(run), 8)
  const second = hex(Hash.string(`${run}\n${run}`), 8)
  return `${first}-${second.slice(0, 4)}-4${second.slice(4, 7)}-8${first.slice(0, 3)}-`
}

interface Numbered {
  readonly number: number
  readonly name: string
}

type Numbers = ReadonlyMap<string, Numbered>

const number = (numbers: Map<string, Numbered>, nodes: ReadonlyArray<Node>, around: string): void => {
  for (const [index, node] of nodes.entries()) {
    const path = `${around}${index}`
    numbers.set(path, { number: numbers.size, name: node.name })
    if (node.type === "Step") continue
    number(numbers, node.type === "Router" ? node.choices : node.steps, `${path}/`)
    if (node.type === "Condition") number(numbers, node.elseSteps, `${path}/else/`)
  }
}

const known = new WeakMap<AnyWorkflow, Numbers>()

const numbersOf = (workflow: AnyWorkflow): Numbers => {
  const found = known.get(workflow)
  if (found !== undefined) return found
  const numbers = new Map<string, Numbered>()
  number(numbers, workflow.steps, "")
  known.set(workflow, numbers)
  return numbers
}

const ending = (number: number) => number.toString(16).padStart(12, "0")

export const make = (workflow: AnyWorkflow, run: Run.Id): (path: string) => string => {
  const numbers = numbersOf(workflow)
  const beginning = uuid.exec(run)?.[0] ?? madeUp(run)
  return (path) => {
    const items = StepKey.itemsIn(path)
    const number = numbers.get(StepKey.withoutItems(path))?.number ?? 0
    return `${items === "" ? beginning : madeUp(`${run}/${items}`)}${ending(number)}`
  }
}

/** The names of the steps of one run by their ids. */
export const names = (workflow: AnyWorkflow): (id: string) => string | undefined => {
  const known = new Map([...numbersOf(workflow).values()].map(({ name, number }) => [ending(number), name]))
  return (id) => known.get(id.slice(-12))
}
