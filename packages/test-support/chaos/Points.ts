// Where a process may die, or freeze: before, during and after everything that a run waits for. A run's id may name
// some of these points; the process that reaches one kills itself, as `kill -9` would, or stops as a machine does that
// is moved. So each run of one service, started once, can name the point at which it stops.
import { writeSync } from "node:fs"

/** `lost-1-record.after.2`, say: in its first attempt, after the second entry of its journal is stored. */
const plan = /\b(?:lost|seen|frozen)((?:-\d+-[a-z]+\.[a-z]+\.\d+)+)(?:-[a-z0-9]+)?\b/i

/** In which attempt, and where. */
export type Place = readonly [attempt: number, point: string]

/** Names a run that dies at the given point. Without a point the run reports the points that it passes. */
export const runIdOf = (...places: ReadonlyArray<Place>): string =>
  places.length === 0
    ? "seen-1-no.point.0-x"
    : `lost-${places.map(([attempt, point]) => `${attempt}-${point}`).join("-")}-x`

/** Names a run whose process stops at a point of its first attempt, until it gets SIGCONT. */
export const frozenAt = (point: string, trial = 0): string => frozenIn([[1, point]], trial)

/** The same of each node that executes it, in its attempt. */
export const frozenIn = (places: ReadonlyArray<Place>, trial = 0): string =>
  `frozen-${places.map(([attempt, point]) => `${attempt}-${point}`).join("-")}-x${trial}`

/** The run that a text speaks of. */
export const runIn = (text: string): string | undefined => plan.exec(text)?.[0]

const attempts = new Map<string, number>()
const counts = new Map<string, number>()

/** This process holds the lease of a run, under this attempt. */
export const held = (run: string, attempt: number): void => void attempts.set(run, attempt)

/** One line on standard error, written before anything else can happen. */
export const say = (line: string): void => void writeSync(2, `${line}\n`)

const beginning = (tool: string, session: string) => `begins ${tool} of ${session}`

/** This process begins a call of a tool. */
export const begins = (tool: string, session: string): void => say(beginning(tool, session))

/** The calls of a tool that a process has begun, by its output. */
export const begun = (stdout: string, tool: string, session: string): number => {
  const line = beginning(tool, session)
  return stdout.split("\n").filter((each) => each === line).length
}

/** Stops this process until it gets SIGCONT. */
export const freeze = (where: string): void => {
  say(`freezes ${where}`)
  process.kill(process.pid, "SIGSTOP")
}

/**
 * This process passes every point of the runs whose ids begin like this. A decision that was lost where another process
 * stopped is made again here, in the same attempt.
 */
const passed = process.env["PASSES_POINTS_OF"]

const end = (run: string) => {
  if (passed !== undefined && run.startsWith(passed)) return
  if (run.startsWith("frozen")) freeze(run)
  else process.kill(process.pid, "SIGKILL")
}

/** Whether the process stops at this point of the run. */
const arrive = (run: string, name: string): boolean => {
  const attempt = attempts.get(run) ?? 1
  const key = `${run}/${attempt}/${name}`
  const count = (counts.get(key) ?? 0) + 1
  counts.set(key, count)
  const point = `${name}.${count}`
  if (run.startsWith("seen")) say(`point ${run} ${attempt} ${point}`)
  return `${plan.exec(run)?.[1]}-`.includes(`-${attempt}-${point}-`)
}

/** A pending end of the process. It happens at the next point, if the process has not exited before. */
let due: (() => void) | undefined

/** Ends here, if this is the place. */
export const reach = (run: string, kind: string, phase: string): void => {
  due?.()
  if (arrive(run, `${kind}.${phase}`)) end(run)
}

/** Ends during the next operation, if this is the place. */
export const enter = (run: string, kind: string): void => {
  if (!arrive(run, `${kind}.during`)) return
  due = () => {
    due = undefined
    end(run)
  }
  setImmediate(() => due?.())
}
