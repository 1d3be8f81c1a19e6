// The settings of requests to models: their time limits, and when requests to a provider that fails are stopped.
import {
  type Credentials,
  embedderNameProblem,
  modelNameProblem,
  type ModelOptions,
  secretName,
  textName
} from "@svc-runtime/agents/Models"
import { Config as Env, Duration, Effect } from "effect"
import { count, secret, text, timeout } from "./ConfigReaders.ts"
import { InvalidConfig } from "./InvalidConfig.ts"

// Names of models that no provider can have stop the start. A provider without a key does not.

type Name = string | undefined

interface Names {
  readonly model: Name
  readonly judge: Name
  readonly embedder: Name
}

export const checkModelNames = Effect.fnUntraced(function*({ embedder, judge, model }: Names) {
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

// The settings of the providers of models: each is named in the table of the providers.

const all = <Name extends string, A>(names: Readonly<Record<Name, string>>, read: (name: string) => Env.Config<A>) =>
  Env.all(
    Object.fromEntries(Object.entries<string>(names).map(([name, variable]) => [name, read(variable)])) as Record<
      Name,
      Env.Config<A>
    >
  )

export const providerSettings: Env.Config<Credentials> = Env.map(
  Env.all([all(secretName, secret), all(textName, text)]),
  ([secrets, texts]) => ({ ...secrets, ...texts })
)

const retry: Env.Config<NonNullable<ModelOptions["retry"]>> = Env.all({
  startTimeout: timeout("MODEL_START_TIMEOUT", Duration.minutes(3)),
  idleTimeout: timeout("MODEL_TIMEOUT", Duration.seconds(60)),
  answerTimeout: timeout("MODEL_ANSWER_TIMEOUT", Duration.minutes(10))
})

const breaker: Env.Config<NonNullable<ModelOptions["breaker"]>> = Env.all({
  failures: count("MODEL_CIRCUIT_FAILURES", 10, 0),
  pause: timeout("MODEL_CIRCUIT_PAUSE", Duration.seconds(30))
})

type Requests = Required<Pick<ModelOptions, "breaker" | "retry">>

export const modelRequestSettings: Env.Config<Requests> = Env.all({ retry, breaker })
