// Names of models that no provider can have stop the start. A provider without a key does not.
import { embedderNameProblem, modelNameProblem } from "@svc-runtime/agents/Models"
import { Effect } from "effect"
import { InvalidConfig } from "./InvalidConfig.ts"

type Name = string | undefined

interface Names {
  readonly model: Name
  readonly judge: Name
  readonly embedder: Name
}

export const check = Effect.fnUntraced(function*({ embedder, judge, model }: Names) {
  const settings = [
    ["MODEL", model, modelNameProblem],
    ["JUDGE_MODEL", judge, modelNameProblem],
    ["EMBEDDER", embedder, embedderNameProblem]
  ] as const
  for (const [setting, name, problemOf] of settings) {
    const problem = name === undefined ? undefined : problemOf(name)
    if (problem !== undefined) return yield* new InvalidConfig({ message: `${setting} cannot be used. ${problem}` })
  }
})
