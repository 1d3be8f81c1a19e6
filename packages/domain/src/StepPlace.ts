// Where a step of a workflow is. Steps inside of others, such as those of the items of a list, have the same name
// several times.

interface Step {
  /** Of its question. */
  readonly id?: string | undefined
  readonly step_index?: unknown
}

/** The steps and the items around the workflow of a step, which are in the id of its question. */
const around = (id: string): ReadonlyArray<number> =>
  id.slice(0, Math.max(id.lastIndexOf("/>/"), 0)).split("/").flatMap((part) => {
    const [, mark, number] = /^([#$]?)(\d+)/.exec(part) ?? []
    return number === undefined ? [] : [Number(number) - (mark === "#" ? 1 : 0)]
  })

/** The numbers of the steps and items down to it, from 0. Undefined for a step of the run's own workflow. */
export const numbersOf = ({ id, step_index: index }: Step): ReadonlyArray<number> | undefined => {
  const outer = id === undefined ? [] : around(id)
  return outer.length > 0 || Array.isArray(index)
    ? [...outer, index as number | ReadonlyArray<number>].flat()
    : undefined
}

/** Such as `1/2/0`. */
export const of = (step: Step): string | undefined => numbersOf(step)?.join("/")

/** Such as `send (1/2/0)`. `name`: of the step, as it is shown. */
export const title = (name: string, step: Step): string => {
  const place = of(step)
  return place === undefined ? name : `${name} (${place})`
}
