// Services that are compared in rounds. Two processes of the same service differ by up to 15 %, so each round starts
// new ones, and begins with another one.
import type { Figures } from "./Load.ts"
import type { Running } from "./Process.ts"

export interface Compared {
  readonly name: string
  readonly start: () => Promise<Running>
}

const median = (figures: ReadonlyArray<number>): number =>
  figures.toSorted((one, other) => one - other)[figures.length >> 1] ?? Number.NaN

/** The figures of each service, in the order of the rounds. */
export const run = async (
  services: ReadonlyArray<Compared>,
  rounds: number,
  load: (service: Running, name: string) => Promise<Figures>
): Promise<ReadonlyArray<ReadonlyArray<Figures>>> => {
  const all = services.map((): Array<Figures> => [])
  for (let round = 0; round < rounds; round++) {
    for (let turn = 0; turn < services.length; turn++) {
      const place = (round + turn) % services.length
      const compared = services[place]
      if (compared === undefined) continue
      const service = await compared.start()
      all[place]?.push(await load(service, compared.name))
      await service.stop()
    }
  }
  return all
}

/** The median, over the rounds, of a figure of one service as a multiple of that of another one. */
export const ratio = (
  of: ReadonlyArray<Figures>,
  to: ReadonlyArray<Figures>,
  figure: "cpuMicros" | "perSecond"
): number =>
  median(of.flatMap((found, round) => {
    const other = to[round]
    return other === undefined ? [] : [found[figure] / other[figure]]
  }))
