// Unites the rankings of several searches: what is near the top of both is better than what is at the top of one.
import type * as Knowledge from "./Knowledge.ts"

const constant = 60

/** How many results of each ranking are united. */
export const resultsPerRanking = (limit: number): number => Math.max(limit, Math.min(100, Math.max(50, 2 * limit)))

/** The ids with their scores, the best first. */
export const fuse = <Id>(
  rankings: ReadonlyArray<ReadonlyArray<Id>>
): ReadonlyArray<readonly [id: Id, score: number]> => {
  const scores = new Map<Id, number>()
  for (const ranking of rankings) {
    ranking.forEach((id, index) => scores.set(id, (scores.get(id) ?? 0) + 1 / (constant + index + 1)))
  }
  // the sort is stable: of equal scores the first ranking wins
  return [...scores].sort(([, left], [, right]) => right - left)
}

export interface Ranked<Id> {
  readonly id: Id
  readonly score: number
  readonly foundBy: ReadonlyArray<Knowledge.Ranking>
}

/** A ranking whose entries say their ranks. */
export const ranked = <Id>(
  by: Knowledge.Ranking["by"],
  found: ReadonlyArray<readonly [id: Id, score: number]>
): ReadonlyArray<Ranked<Id>> =>
  found.map(([id, score], index) => ({ id, score, foundBy: [{ by, rank: index + 1, score }] }))

/** Each entry of the united ranking says its ranks in all of them. */
export const unite = <Id>(rankings: ReadonlyArray<ReadonlyArray<Ranked<Id>>>): ReadonlyArray<Ranked<Id>> => {
  const foundBy = new Map<Id, ReadonlyArray<Knowledge.Ranking>>()
  for (const each of rankings.flat()) foundBy.set(each.id, [...foundBy.get(each.id) ?? [], ...each.foundBy])
  return fuse(rankings.map((ranking) => ranking.map(({ id }) => id)))
    .map(([id, score]) => ({ id, score, foundBy: foundBy.get(id) ?? [] }))
}
