// The results of earlier steps, by name. A container has its own list, which includes the outer one; the results of a
// finished container are visible outside.
import type * as Json from "@svc-runtime/domain/Json"
import * as StepOutput from "@svc-runtime/domain/StepOutput"

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
      return found === undefined ? undefined : StepOutput.valueOf(found)
    },
    byName: () => ({ ...around?.byName(), ...Object.fromEntries(own) })
  }
}

export const make = (around?: Outputs): Outputs => scope(around as Scope | undefined)
