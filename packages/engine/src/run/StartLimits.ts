// How many runs may be executed at once, how many may start in a minute, and how many tokens may be used in a day: by
// each user, by each component, and by all. The store checks the limits in the statement that accepts or continues a
// run, so that nodes which share a database share them. Open runs and used tokens are read from stored runs: a run that
// has ended, or a node that has stopped, leaves nothing behind that would have to be given back.
import type { ComponentKind } from "@svc-runtime/domain/ComponentKind"
import type * as Ids from "@svc-runtime/domain/Ids"
import * as AuthorOptions from "../userCode/Options.ts"
import * as Validate from "../userCode/Validate.ts"

export interface Limits {
  /** Runs that have not ended or paused, those in session queues too. Default: no limit. */
  readonly runsAtOnce?: number | undefined
  /** Runs that start or continue within a minute. The minute begins with the first one. Default: no limit. */
  readonly runsPerMinute?: number | undefined
  /** Tokens of runs that have ended since midnight in UTC. Default: no limit. */
  readonly tokensPerDay?: number | undefined
}

export interface ComponentOptions {
  /** The limits of all runs of the component. Default: the limits of the service for each component. */
  readonly limits?: Limits | undefined
}

export type Scope = "user" | "component" | "service"

/** The limits of each user, of each component without its own, and of the service. */
export interface Options {
  /** Of the runs of each user. Runs without a user count together. Default: the environment. */
  readonly user?: Limits | undefined
  /** Of the runs of each component without its own limits. Default: the environment. */
  readonly component?: Limits | undefined
  /** Of all runs. Default: the environment. */
  readonly service?: Limits | undefined
  /**
   * Whether a new run that would exceed `runsAtOnce` or `runsPerMinute` is refused, or waits until there is room.
   * Default: refuse.
   */
  readonly whenExceeded?: "refuse" | "queue" | undefined
  /** Runs that wait for room in a database. Default: 1000. */
  readonly maxWaiting?: number | undefined
  /** Waiting runs of one user. Runs without a user are not limited by it. Default: 100. */
  readonly maxWaitingOfUser?: number | undefined
}

export const defaultMaxWaiting = 1000
export const defaultMaxWaitingOfUser = 100

export interface ScopedLimits extends Limits {
  readonly scope: Scope
}

/** What a run that starts or continues counts for, and the limits that it must not exceed. */
export interface LimitedStart {
  readonly kind: ComponentKind
  readonly component_id: string
  /** Runs without a user count together. */
  readonly user_id: Ids.UserId | null
  readonly limits: ReadonlyArray<ScopedLimits>
  /** It waits for room, if fewer runs wait. Undefined: it is refused. */
  readonly maxWaiting?: number | undefined
  readonly maxWaitingOfUser?: number | undefined
}

export const names = ["runsAtOnce", "runsPerMinute", "tokensPerDay"] as const
export type Name = typeof names[number]

const kinds: AuthorOptions.Kinds<Name> = { runsAtOnce: "any", runsPerMinute: "any", tokensPerDay: "any" }

/** What the options take. */
export const options: AuthorOptions.Kinds<keyof Options> = {
  user: { options: kinds },
  component: { options: kinds },
  service: { options: kinds },
  whenExceeded: { oneOf: ["refuse", "queue"] },
  maxWaiting: "count",
  maxWaitingOfUser: "count"
}

/** Throws an `Error` with the owner and the limit for one that is not a whole number from 1 on. */
export const checked = (owner: string, limits: Limits | undefined, path = "limits"): Limits | undefined => {
  if (limits !== undefined) AuthorOptions.check(`${owner}: ${path}`, limits, kinds)
  for (const name of names) {
    const value = limits?.[name]
    if (value !== undefined) Validate.wholeNumber(owner, `${path}.${name}`, 1, value)
  }
  return limits
}

/** Those of `given`, and of `defaults` where it has none. Throws an `Error` for one that cannot be used. */
export const merged = (defaults: Options, given: Options): Options => ({
  ...defaults,
  ...given,
  user: { ...defaults.user, ...checked("The service", given.user, "limits.user") },
  component: { ...defaults.component, ...checked("The service", given.component, "limits.component") },
  service: { ...defaults.service, ...checked("The service", given.service, "limits.service") }
})

/** Those of a component of any kind. */
export const ownOf = (component: object | undefined): Limits | undefined =>
  component !== undefined && "limits" in component ? component.limits as Limits | undefined : undefined

const hasAny = (limits: Limits): boolean => names.some((name) => limits[name] !== undefined)

/** Undefined without limits. Those of a component replace the ones that all components have, one by one. */
export const of = (
  options: Options,
  { component_id, kind, user_id }: Pick<LimitedStart, "component_id" | "kind" | "user_id">,
  own: Limits | undefined
): LimitedStart | undefined => {
  const { component, service, user, whenExceeded } = options
  const limits = ([
    { scope: "user", ...user },
    { scope: "component", ...component, ...own },
    { scope: "service", ...service }
  ] satisfies ReadonlyArray<ScopedLimits>).filter(hasAny)
  if (limits.length === 0) return undefined
  const start = { component_id, kind, user_id, limits }
  if (whenExceeded !== "queue") return start
  const { maxWaiting = defaultMaxWaiting, maxWaitingOfUser = defaultMaxWaitingOfUser } = options
  return { ...start, maxWaiting, maxWaitingOfUser }
}

/** Under which starts are counted. */
export const keyOf = ({ component_id, kind, user_id }: LimitedStart, scope: Scope): string => {
  switch (scope) {
    case "user":
      return user_id === null ? "user" : `user ${user_id}`
    case "component":
      return `${kind} ${component_id}`
    case "service":
      return "service"
  }
}

/** Seconds after which a run is worth another try, where another one has to end first. */
export const retryAfterEnd = 1

export const secondsPerDay = 86_400
