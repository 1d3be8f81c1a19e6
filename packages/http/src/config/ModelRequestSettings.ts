// The settings of requests to models: their time limits, and when requests to a provider that fails are stopped.
import type { ModelOptions } from "@svc-runtime/agents/Models"
import { Config as Env, Duration } from "effect"
import { count, timeout } from "./ConfigReaders.ts"

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
