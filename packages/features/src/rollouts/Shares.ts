// Which session or user gets which version. There are 10,000 places, each of them has one version, and the hash of a
// session or user is one place. A change of shares moves only as many places as it has to, from versions that shrink to
// versions that grow. A change between two versions that is taken back moves the same places back.
import { Schema } from "effect"

/** Hundredths of a percent. */
export const places = 10_000

/** Consecutive places with one version. All spans of a rollout are in order, and cover all places. */
export const Span = Schema.Struct({ version: Schema.Int, length: Schema.Natural })
export type Span = typeof Span.Type

interface Share {
  readonly version: number
  /** Percent. */
  readonly share: number
}

export const partsOf = (share: number): number => Math.round(share * 100)
export const percentOf = (parts: number): number => parts / 100

/** Whether it is from 0 to 100, with at most two decimals. */
export const isShare = (share: number): boolean => share >= 0 && share <= 100 && percentOf(partsOf(share)) === share

/** In percent. */
export const sumOf = (shares: ReadonlyArray<Share>): number =>
  percentOf(shares.reduce((sum, { share }) => sum + partsOf(share), 0))

export const allOf = (version: number): ReadonlyArray<Span> => [{ version, length: places }]

const spansOf = (versions: ReadonlyArray<number>): ReadonlyArray<Span> => {
  const spans: Array<{ version: number; length: number }> = []
  for (const version of versions) {
    const last = spans.at(-1)
    if (last?.version === version) last.length++
    else spans.push({ version, length: 1 })
  }
  return spans
}

/**
 * The places after a change of the shares, which are 100 percent together.
 *
 * @example
 * Shares.changed(Shares.allOf(3), [{ version: 3, share: 90 }, { version: 4, share: 10 }])
 * // [{ version: 3, length: 9000 }, { version: 4, length: 1000 }]
 */
export const changed = (before: ReadonlyArray<Span>, shares: ReadonlyArray<Share>): ReadonlyArray<Span> => {
  const versions = before.flatMap(({ length, version }) => Array.from({ length }, () => version))
  const wanted = new Map(shares.map(({ share, version }) => [version, partsOf(share)]))
  const missing = new Map(wanted)
  for (const version of versions) missing.set(version, (missing.get(version) ?? 0) - 1)
  const free = new Set<number>()
  const release = (place: number, version: number) => {
    const lacks = missing.get(version) ?? 0
    if (lacks >= 0) return
    missing.set(version, lacks + 1)
    free.add(place)
  }
  // what was given last returns first
  for (const [place, version] of versions.entries()) if (version !== versions[0]) release(place, version)
  for (let place = versions.length - 1; place >= 0; place--) {
    if (!free.has(place)) release(place, versions[place] ?? 0)
  }
  const growing = [...missing].sort(([one], [other]) => one - other).flatMap(([version, count]) =>
    Array.from({ length: Math.max(0, count) }, () => version)
  )
  const next = [...versions]
  const places = [...free].sort((one, other) => one - other)
  for (const [index, place] of places.entries()) next[place] = growing[index] ?? next[place] ?? 0
  return spansOf(next)
}

export const versionAt = (spans: ReadonlyArray<Span>, place: number): number | undefined => {
  let end = 0
  for (const { length, version } of spans) {
    end += length
    if (place < end) return version
  }
  return undefined
}
