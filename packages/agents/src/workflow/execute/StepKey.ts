// The keys of journal entries: the grammar that is stored. A stored key never changes its meaning.
//
//   1          the second step of the workflow       1?0       the request before it: a confirmation or an input
//   1/0        the first step inside that            1!0       its first attempt, and the request after its failure
//   1/else/0   of its else branch                    1=        its output under review
//   1/#2/0     of its second iteration               1?review  the request to review its output
//   1/>/0      of the workflow that executes it      1~1       the step after one rejection of its output
//   1/choice   the decision of its function          1/?route  the request to select its branches
//   1/run      the run that executes it              1@r?0     the first request of the run `r` that executes it
//   1/run/r    the run `r` that failed or was cancelled
//   1/$0       the first durable call of its function; its run and its requests are as those of a step
//   1/#2/end   whether its second iteration is last  1/#2/?    the request to review its second iteration
//   1/#2/failed  why the steps of its second item failed; an item of a list has the keys of an iteration

/** Before the keys of the steps of a workflow. */
export type Prefix = string

export const outermost: Prefix = ""

/** Of the workflow that executes the step. */
export const nested = (key: string): Prefix => `${key}/>/`

/** A step of a workflow. */
export const step = (prefix: Prefix, index: number): string => `${prefix}${index}`

export interface Section {
  readonly iteration?: number | undefined
  /** The number of an item, from 1. */
  readonly item?: number | undefined
  readonly branch?: "else" | undefined
}

const branchOf = ({ branch }: Section): string => branch === undefined ? "" : `${branch}/`

/** A step inside a step. */
export const child = (key: string, index: number, section: Section = {}): string => {
  const number = section.iteration ?? section.item
  const iteration = number === undefined ? "" : `#${number}/`
  return `${key}/${branchOf(section)}${iteration}${index}`
}

/** The same without iterations: one for each step of the tree, and for each item of a list. */
export const pathOfChild = (path: string, index: number, section: Section = {}): string =>
  `${section.item === undefined ? path : iteration(path, section.item)}/${branchOf(section)}${index}`

/** The path without items. */
export const withoutItems = (path: string): string => path.replaceAll(/\/#\d+/g, "")

/** Of the items in the path. Empty, if there are none. */
export const itemsIn = (path: string): string => path.match(/#\d+/g)?.join("/") ?? ""

export const choice = (key: string): string => `${key}/choice`

const runMark = "/run"

export const executorRun = (key: string): string => `${key}${runMark}`

export const isExecutorRun = (key: string): boolean => key.endsWith(runMark)

/** Where a run is kept that ended without a result of its step. */
export const failedRun = (key: string, run: string): string => `${executorRun(key)}/${run}`

export const isFailedRun = (key: string): boolean => key.slice(0, key.lastIndexOf("/")).endsWith(runMark)

/** Contains the keys of the steps of an iteration. */
export const iteration = (key: string, number: number): string => `${key}/#${number}`

/** Of an item, which is skipped. */
export const failure = (iteration: string): string => `${iteration}/failed`

export const iterationFailure = (key: string, number: number): string => failure(iteration(key, number))

export const iterationEnd = (key: string, number: number): string => `${iteration(key, number)}/end`

export const iterationReview = (key: string, number: number): string => `${iteration(key, number)}/?`

export const routeSelection = (key: string): string => `${key}/?route`

/** A request before the step, again after each rejection. */
export const request = (key: string, round: number): string => `${key}?${round}`

export const attempt = (key: string, round: number): string => `${key}!${round}`

/** The step of an attempt. */
export const attempted = (attempt: string): string => attempt.slice(0, attempt.lastIndexOf("!"))

/** The step after its output was rejected. */
export const repetition = (key: string, round: number): string => round === 0 ? key : `${key}~${round}`

const reviewMark = "="

/** An output under review is stored beside its step, and has no effect before it is accepted. */
export const unreviewed = (key: string): string => `${key}${reviewMark}`

export const outputReview = (key: string): string => `${key}?review`

/** A request of the run that executes the step. */
export const executorRequest = (key: string, run: string, round: number): string => `${key}@${run}?${round}`

/** A durable call of the function of a step. */
export const durableCall = (key: string, call: string): string => `${key}/${call}`

/** The step whose function makes the durable call. */
export const ofDurableCall = (key: string): string => key.slice(0, key.lastIndexOf("/$"))

export const isOfDurableCall = (key: string): boolean => key.includes("/$")

export const isUnreviewed = (key: string): boolean => key.endsWith(reviewMark)

/** Whether the key is one of the workflow with this prefix, and not of a workflow nested in that. */
export const isIn = (prefix: Prefix, key: string): boolean =>
  key.startsWith(prefix) && !key.slice(prefix.length).includes("/>/")

/** Whether it is a request of the run that executes the step. */
export const isOfRun = (key: string): boolean => key.slice(key.lastIndexOf("/") + 1).includes("@")

/** The step that an entry is about: its result, a request before or after it, and what its function calls. */
export const ofEntry = (key: string): string => {
  const last = key.lastIndexOf("/")
  const step = key.slice(0, last + 1) + key.slice(last + 1).replace(/[?!=@][^]*/, "")
  return step.replace(/(\/#\d+)?\/$/, "").replace(/\/\$\d+$/, "")
}

/** The step, however often its output was rejected. */
export const withoutRepetition = (key: string): string => key.replace(/~\d+$/, "")

/** How many workflows are around it. */
export const depth = (key: string): number => key.split("/>/").length - 1

/** The keys of the steps and iterations that contain it. */
export const containing = (key: string): ReadonlyArray<string> => {
  const parts = key.split("/")
  return parts.slice(1).map((_, index) => parts.slice(0, index + 1).join("/"))
}
