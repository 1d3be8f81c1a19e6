// Which of all points are tried: a few, drawn anew each time, or every one. One seed draws the same ones again,
// whichever files run beside each other and in whichever order.
import * as Balancer from "./Balancer.ts"

export const seed = Number(process.env["CHAOS_SEED"] ?? 20_261_121)
const isAll = process.env["CHAOS_ALL"] === "true"

/** Numbers from 0 to less than 1 that depend on the seed and on a name. */
export const dice = (name: string): () => number => {
  let mixed = seed
  for (const letter of name) mixed = Math.imul(mixed ^ letter.charCodeAt(0), 0x01000193)
  return Balancer.dice(mixed)
}

/** `count` of them, in their order; all of them where every point is tried. */
export const of = <A>(name: string, all: ReadonlyArray<A>, count: number): ReadonlyArray<A> => {
  if (isAll) return all
  const random = dice(name)
  const places = all.map((_, place) => ({ place, rank: random() }))
  const drawn = places.toSorted((left, right) => left.rank - right.rank).slice(0, count)
  return drawn.toSorted((left, right) => left.place - right.place).map(({ place }) => all[place]!)
}

/** How many of something there are: less where only a sample is taken. */
export const size = (sample: number, all: number): number => isAll ? all : sample
