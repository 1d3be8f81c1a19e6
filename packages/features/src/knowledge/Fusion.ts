// Unites the rankings of several searches: what is near the top of both is better than what is at the top of one.
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
