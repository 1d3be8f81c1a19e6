// Rollouts: the shares of new runs that versions of a stored component get, and the guard that takes a share away.
import * as Component from "@svc-runtime/domain/Component"
import { ComponentKind } from "@svc-runtime/domain/ComponentKind"
import { Name } from "@svc-runtime/domain/Ids"
import { optional } from "@svc-runtime/domain/schema/optional"
import { EpochSeconds } from "@svc-runtime/domain/Time"
import { Schema } from "effect"
import * as Shares from "./Shares.ts"

export const Id = Schema.String.pipe(Schema.brand("RolloutId"))
export type Id = typeof Id.Type

/** In one rollout. */
export const maxVersions = 10

/** Of a rollout. The oldest ones are left out. */
const maxHistory = 200

/** What decides on the version: each session keeps its version, or each user keeps one in all sessions. */
export const Sticky = Schema.Literals(["session", "user"])
export type Sticky = typeof Sticky.Type

/** `stopped`: the guard has taken the share of each version but the current one. `ended`: it is over. */
export const State = Schema.Literals(["active", "stopped", "ended"])
export type State = typeof State.Type

const sentence = (isValid: (value: number) => boolean, message: string) =>
  Schema.makeFilter(isValid, { message, problem: "value_error" })

const Share = Schema.Finite.check(
  sentence(
    Shares.isShare,
    "Input should be a share in percent, from 0 to 100 with two decimals at most. The shares of all versions are 100 " +
      "together"
  )
)

const positive = Schema.Finite.check(sentence((value) => value > 0 && value <= 1e9, "Input should be more than 0"))
const rate = Schema.Finite.check(
  sentence((value) => value >= 0 && value <= 1, "Input should be a part from 0 to 1: 0.05 are 5 of 100 runs")
)
const ratio = Schema.Finite.check(
  sentence(
    (value) => value > 0 && value <= 1000,
    "Input should be a factor of the value of the current version, such as 1.5, and more than 0"
  )
)

export const minRuns = 20
export const windowSeconds = 3600

/** Limits for each version but the current one. A version beyond one of them loses its share. */
export const Guard = Schema.Struct({
  /** The part of the runs that failed, without cancelled ones. */
  max_error_rate: optional(rate),
  /** The 95th percentile of the durations. */
  max_p95_seconds: optional(positive),
  /** US dollars for each run. */
  max_cost: optional(positive),
  /** The mean of the scores of scorers and users. A yes counts as 1, and a no as 0. */
  min_score: optional(Schema.Finite),
  /** Only scores of this key count. */
  score_key: optional(Name),
  /** How much more than that of the current version the error rate may be. */
  max_error_rate_increase: optional(rate),
  max_p95_ratio: optional(ratio),
  max_cost_ratio: optional(ratio),
  min_score_ratio: optional(ratio),
  /** A limit counts from as many runs on, in which its value is known. */
  min_runs: optional(Schema.Int.check(
    sentence((value) => value >= 1 && value <= 10_000, "Input should be a whole number from 1 to 10000")
  )),
  /** Runs that ended in as many seconds before now count. */
  window_seconds: optional(Schema.Int.check(
    sentence((value) => value >= 60 && value <= 604_800, "Input should be a whole number from 60 to 604800, a week")
  ))
}).annotate({ identifier: "RolloutGuard" })
export type Guard = typeof Guard.Type

export const ShareInput = Schema.Struct({
  version: Schema.Int.check(...Component.isVersion),
  /** Percent. */
  share: Share
}).annotate({ identifier: "RolloutShare" })
export type ShareInput = typeof ShareInput.Type

const versions = Schema.Array(ShareInput).check(Schema.isMinLength(1), Schema.isMaxLength(maxVersions))

export const Create = Schema.Struct({
  versions,
  sticky: Schema.optionalKey(Sticky),
  guard: optional(Guard)
}).annotate({ identifier: "RolloutCreate" })
export type Create = typeof Create.Type

export const Patch = Schema.Struct({
  versions: Schema.optionalKey(versions),
  /** Replaces the guard. Null: none. */
  guard: optional(Guard),
  /** The change is refused if the rollout has another revision. */
  revision: Schema.optionalKey(Schema.Int)
}).annotate({ identifier: "RolloutUpdate" })
export type Patch = typeof Patch.Type

export const Stop = Schema.Struct({
  /** Why, for the history. */
  reason: optional(Schema.String.check(Schema.isMaxLength(1000)))
}).annotate({ identifier: "RolloutStop" })
export type Stop = typeof Stop.Type

export const Version = Schema.Struct({
  version: Schema.Int,
  /** Percent. */
  share: Schema.Finite,
  /** Why the guard took its share. Null: it did not. */
  stopped_reason: Schema.NullOr(Schema.String)
}).annotate({ identifier: "RolloutVersion" })
export type Version = typeof Version.Type

export const Entry = Schema.Struct({
  at: EpochSeconds,
  /** The user of the caller. Null: the service, or a caller without a user. */
  by: Schema.NullOr(Schema.String),
  action: Schema.Literals(["started", "changed", "stopped", "ended"]),
  /** A sentence. */
  reason: Schema.String,
  versions: Schema.Array(ShareInput)
}).annotate({ identifier: "RolloutEntry" })
export type Entry = typeof Entry.Type

export const Rollout = Schema.Struct({
  id: Id,
  component_id: Component.Id,
  component_type: ComponentKind,
  state: State,
  /** Why it was stopped or ended. */
  reason: Schema.NullOr(Schema.String),
  /** The current version, which gets what a stopped version loses. */
  base_version: Schema.Int,
  versions: Schema.Array(Version),
  sticky: Sticky,
  guard: Schema.NullOr(Guard),
  /** Rises with each change. */
  revision: Schema.Int,
  /** The newest last. */
  history: Schema.Array(Entry),
  created_at: EpochSeconds,
  updated_at: EpochSeconds
}).annotate({ identifier: "Rollout" })
export type Rollout = typeof Rollout.Type

/** In a database. */
export const Stored = Schema.Struct({
  ...Rollout.fields,
  spans: Schema.Array(Shares.Span),
  /** Runs that ended before do not count for the guard: a person has decided since. */
  decided_at: EpochSeconds,
  /** How often the guard took the share of a version. */
  stops: Schema.Natural
})
export type Stored = typeof Stored.Type

export const toRollout = ({ decided_at: _, spans: __, stops: ___, ...rollout }: Stored): Rollout => rollout

/** When and by whom it is changed. */
export interface By {
  readonly at: EpochSeconds
  readonly by: string | null
}

const listed = (versions: ReadonlyArray<ShareInput>) =>
  versions.map(({ share, version }) => `version ${version} ${share} %`).join(", ")

const noted = (
  rollout: Stored,
  { at, by }: By,
  action: Entry["action"],
  reason: string
): Stored => ({
  ...rollout,
  revision: rollout.revision + 1,
  updated_at: at,
  history: [...rollout.history, {
    at,
    by,
    action,
    reason,
    versions: rollout.versions.map(({ share, version }) => ({ version, share }))
  }].slice(-maxHistory)
})

const shared = (rollout: Stored, versions: ReadonlyArray<ShareInput>): Stored => ({
  ...rollout,
  versions: versions.map(({ share, version }) => ({ version, share, stopped_reason: null })),
  spans: Shares.changed(rollout.spans, versions)
})

export const start = (
  { guard, sticky = "session", versions }: Create,
  of: Pick<Stored, "id" | "component_id" | "component_type" | "base_version">,
  by: By
): Stored => {
  const rollout: Stored = {
    ...of,
    state: "active",
    reason: null,
    versions: [],
    sticky,
    guard: guard ?? null,
    revision: 0,
    history: [],
    created_at: by.at,
    updated_at: by.at,
    spans: Shares.allOf(of.base_version),
    decided_at: by.at,
    stops: 0
  }
  return noted(shared(rollout, versions), by, "started", `Started with ${listed(versions)}`)
}

/** A rollout that the guard stopped continues with new shares. */
export const change = (rollout: Stored, { guard, versions }: Patch, by: By): Stored => {
  const guarded = guard === undefined ? rollout : { ...rollout, guard }
  if (versions === undefined) return noted(guarded, by, "changed", "The guard was changed")
  const resumed: Stored = { ...guarded, state: "active", reason: null, decided_at: by.at }
  return noted(shared(resumed, versions), by, "changed", `Changed to ${listed(versions)}`)
}

export const end = (rollout: Stored, reason: string, by: By): Stored => ({
  ...noted(rollout, by, "ended", reason),
  state: "ended",
  reason
})

/** The versions lose their shares to the current version. */
export const stopVersions = (rollout: Stored, reasons: ReadonlyMap<number, string>, at: EpochSeconds): Stored => {
  const isStopped = ({ version }: Version) => reasons.has(version)
  const lost = rollout.versions.filter(isStopped).reduce((sum, { share }) => sum + Shares.partsOf(share), 0)
  const kept = rollout.versions.map((each): Version => {
    const reason = reasons.get(each.version)
    if (reason !== undefined) return { ...each, share: 0, stopped_reason: reason }
    return each.version === rollout.base_version
      ? { ...each, share: Shares.percentOf(Shares.partsOf(each.share) + lost) }
      : each
  })
  const hasBase = kept.some(({ version }) => version === rollout.base_version)
  const versions = hasBase
    ? kept
    : [{ version: rollout.base_version, share: Shares.percentOf(lost), stopped_reason: null }, ...kept]
  const continues = versions.some(({ share, version }) => share > 0 && version !== rollout.base_version)
  const reason = [...reasons.values()].join(". ")
  const stopped = { ...rollout, versions, spans: Shares.changed(rollout.spans, versions), stops: rollout.stops + 1 }
  return {
    ...noted(stopped, { at, by: null }, "stopped", reason),
    state: continues ? rollout.state : "stopped",
    reason
  }
}
