// The settings of the circuit breakers of model providers.
import type { ModelOptions } from "@svc/runtime/Models"
import { Config as Env, Duration } from "effect"
import { count, timeout } from "./ConfigReaders.ts"

export const circuitSettings: Env.Config<NonNullable<ModelOptions["breaker"]>> = Env.all({
  failures: count("MODEL_CIRCUIT_FAILURES", 10, 0),
  pause: timeout("MODEL_CIRCUIT_PAUSE", Duration.seconds(30))
})
