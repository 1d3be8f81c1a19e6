// The settings of the limits of runs: of each user, of each component, and of the service.
import {
  defaultMaxWaiting,
  defaultMaxWaitingOfUser,
  type Limits,
  type Options
} from "@svc-runtime/engine/run/StartLimits"
import { Config as Env } from "effect"
import { count, limit, oneOf } from "./ConfigReaders.ts"

const limitsOf = (prefix: string): Env.Config<Limits> =>
  Env.all({
    runsAtOnce: limit(`${prefix}RUNS_AT_ONCE`),
    runsPerMinute: limit(`${prefix}RUNS_PER_MINUTE`),
    tokensPerDay: limit(`${prefix}TOKENS_PER_DAY`)
  })

export const startLimitSettings: Env.Config<Options> = Env.all({
  user: limitsOf("USER_"),
  component: limitsOf("COMPONENT_"),
  service: limitsOf(""),
  whenExceeded: oneOf("WHEN_LIMITED", ["refuse", "queue"]),
  maxWaiting: count("MAX_WAITING_RUNS", defaultMaxWaiting),
  maxWaitingOfUser: count("USER_WAITING_RUNS", defaultMaxWaitingOfUser)
})
