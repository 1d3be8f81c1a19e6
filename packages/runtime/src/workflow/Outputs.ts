// What the steps before a step gave, by their names. Steps with others in them have a list of their own for these, which
// sees the one around it; what is in a finished step is found from outside of it as well.
import { type Json, StepOutput } from "@svc/domain"

export interface Outputs {
  readonly add: (output: StepOutput.StepOutput) => void
  readonly contentOf: (name: string) => Json.Value | undefined
  readonly byName: () => Readonly<Record<string, StepOutput.StepOutput>>
}

interface Scope extends Outputs {
  readonly find: (name: string) => StepOutput.StepOutput | undefined
}

const scope = (around: Scope | undefined): Scope => {
  const own = new Map<string, StepOutput.StepOutput>()
  const inner = new Map<string, StepOutput.StepOutput>()
  const addInner = (output: StepOutput.StepOutput) => {
    inner.set(output.step_name, output)
    output.steps?.forEach(addInner)
  }
  const find = (name: string) => own.get(name) ?? around?.find(name) ?? inner.get(name)
  return {
    add: (output) => {
      own.set(output.step_name, output)
      output.steps?.forEach(addInner)
    },
    find,
    contentOf: (name) => {
      const found = find(name)
      return found === undefined ? undefined : StepOutput.deepest(found).content
    },
    byName: () => ({ ...around?.byName(), ...Object.fromEntries(own) })
  }
}

export const make = (around?: Outputs): Outputs => scope(around as Scope | undefined)
