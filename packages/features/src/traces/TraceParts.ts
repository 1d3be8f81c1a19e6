// Groups a batch of spans by trace, and merges the parts of a trace. Stores in a database merge in SQL.
import type * as Span from "@svc-runtime/domain/Span"
import type * as Trace from "./Trace.ts"

/** A stored trace without its spans. */
export interface Row {
  readonly trace: Trace.Trace
  /** The rank of the component that gives the name: a workflow, then a team, an agent, anything else. */
  readonly rank: number
  /** The beginning of the input of the first run. */
  readonly input: string | null
}

export interface Part extends Row {
  readonly spans: ReadonlyArray<Span.Span>
}

/** Several times the same, if a run has several attempts. */
export interface Runs {
  readonly run_id: ReadonlyArray<string>
  readonly session_id: ReadonlyArray<string>
}

/** A trace with all of its spans, in the order of their starts. */
export interface Whole {
  readonly trace: Trace.Trace
  readonly spans: ReadonlyArray<Span.Span>
}

/** Characters of `input`, for lists. The detail of a trace has all of it. */
export const inputLimit = 1000

/** A trace with as many spans is full. Most runs have fewer. The batch that fills it is stored as a whole. */
export const limits = { spans: 10_000, bytes: 16 * 1024 * 1024 } as const

/** A full trace still takes runs, up to these limits: a run ends after its other spans, and names the trace. */
export const runLimits = { spans: 11_000, bytes: 18 * 1024 * 1024 } as const

/** Whether a session of the database can have the span. Older spans do not have their database. */
export const isIn = (database: string | undefined, span: Pick<Span.RunIds, "database">): boolean =>
  database === undefined || span.database === undefined || span.database === database

const isOfRun = ({ attributes }: Span.Span): boolean =>
  String(attributes["gen_ai.operation.name"]).startsWith("invoke_")

/** A run that no other run has started. It names the trace. */
export const isRun = (span: Span.Span): boolean => span.is_root && isOfRun(span)

/** What finds a trace besides its row: the ids of the runs that have ended, and the sessions of root runs. */
export const runsOf = (spans: ReadonlyArray<Span.Span>): Runs => {
  const runs = spans.filter(isOfRun)
  return {
    run_id: runs.flatMap(({ run_id }) => run_id ?? []),
    session_id: runs.flatMap(({ is_root, session_id }) => is_root && session_id !== null ? session_id : [])
  }
}

/** Those of a part besides the run that its trace shows. Undefined: none, as in most parts. */
export const otherRunsOf = ({ spans, trace }: Part): Runs | undefined => {
  if (spans.every((span) => span.run_id === trace.run_id && span.session_id === trace.session_id)) return undefined
  const runs = runsOf(spans)
  const run_id = runs.run_id.filter((id) => id !== trace.run_id)
  const session_id = runs.session_id.filter((id) => id !== trace.session_id)
  return run_id.length === 0 && session_id.length === 0 ? undefined : { run_id, session_id }
}

/** The rank of a part that has only spans of background jobs. */
const ofJobs = -1

const rankOf = (span: Span.Span): number => {
  if (!isRun(span)) return 0
  if (span.workflow_id !== null) return 3
  if (span.team_id !== null) return 2
  return span.agent_id === null ? 0 : 1
}

/** The beginning of a text, without half a pair of surrogates at its end. */
const beginningOf = (text: string): string => {
  const kept = text.slice(0, inputLimit)
  return kept.isWellFormed() ? kept : kept.slice(0, -1)
}

const inputOf = ({ attributes }: Span.Span): string | null => {
  const input = attributes["input.value"]
  return typeof input === "string" ? beginningOf(input) : null
}

const isEarlier = (span: Span.Span, other: Span.Span): boolean => span.started_at < other.started_at

const first = (spans: ReadonlyArray<Span.Span>): Span.Span | undefined =>
  spans.reduce<Span.Span | undefined>(
    (found, span) => found === undefined || isEarlier(span, found) ? span : found,
    undefined
  )

const isOfJob = ({ is_after_run }: Span.Span): boolean => is_after_run === true

/** Without those of background jobs, unless there are no others. */
export const countedOf = (spans: ReadonlyArray<Span.Span>): ReadonlyArray<Span.Span> =>
  spans.every(isOfJob) ? spans : spans.filter((span) => !isOfJob(span))

const partOf = (spans: ReadonlyArray<Span.Span>, created_at: number): ReadonlyArray<Part> => {
  const counted = countedOf(spans)
  const runs = spans.filter(isRun)
  const rank = counted.every(isOfJob) ? ofJobs : Math.max(0, ...runs.map(rankOf))
  const named = first(runs.filter((span) => rankOf(span) === rank)) ?? first(spans)
  const root = first(runs)
  if (named === undefined) return []
  const { session_id, trace_id, user_id } = named
  const { database } = root ?? named
  const trace: Trace.Trace = {
    trace_id,
    name: named.name,
    status: counted.some(({ status }) => status === "ERROR") ? "ERROR" : "OK",
    start_time: Math.min(...counted.map(({ started_at }) => started_at)),
    end_time: Math.max(...counted.map(({ ended_at }) => ended_at)),
    run_id: root?.run_id ?? null,
    session_id: root?.session_id ?? session_id,
    user_id,
    agent_id: runs.find(({ agent_id }) => agent_id !== null)?.agent_id ?? null,
    team_id: runs.find(({ team_id }) => team_id !== null)?.team_id ?? null,
    workflow_id: runs.find(({ workflow_id }) => workflow_id !== null)?.workflow_id ?? null,
    ...(database === undefined ? {} : { database }),
    created_at
  }
  return [{ trace, rank, input: root === undefined ? null : inputOf(root), spans }]
}

/** Users who share a trace id, because a caller has chosen it, have a trace each. */
export const keyOf = ({ trace_id, user_id }: Pick<Trace.Trace, "trace_id" | "user_id">): string =>
  `${trace_id}${user_id ?? ""}`

/** `at`: microseconds since 1970. In the order of the keys, in which their rows are locked. */
export const of = (spans: ReadonlyArray<Span.Span>, at: number): ReadonlyArray<Part> =>
  [...Map.groupBy(spans, keyOf)]
    .toSorted(([one], [other]) => one < other ? -1 : 1)
    .flatMap(([, spans]) => partOf(spans, at))

/** The traces of several users under one id as one trace, which has the ids of the first. */
export const joined = (wholes: ReadonlyArray<Whole>): Whole | undefined => {
  const [first, ...others] = wholes.toSorted((one, other) => one.trace.start_time - other.trace.start_time)
  if (first === undefined || others.length === 0) return first
  return {
    trace: {
      ...first.trace,
      status: wholes.some(({ trace }) => trace.status === "ERROR") ? "ERROR" : "OK",
      end_time: Math.max(...wholes.map(({ trace }) => trace.end_time))
    },
    spans: wholes.flatMap(({ spans }) => spans).toSorted((one, other) => one.started_at - other.started_at)
  }
}

export const merge = (stored: Row, part: Row): Row => {
  const isHigher = part.rank > stored.rank
  const [one, other] = [stored.trace, part.trace]
  // jobs count neither for the times nor for the status of a trace
  const isReplaced = stored.rank === ofJobs && part.rank !== ofJobs
  const isKept = stored.rank !== ofJobs && part.rank === ofJobs
  const counted = isReplaced ? [other] : isKept ? [one] : [one, other]
  return {
    rank: Math.max(stored.rank, part.rank),
    input: stored.input ?? part.input,
    trace: {
      trace_id: one.trace_id,
      name: isHigher ? other.name : one.name,
      status: counted.some(({ status }) => status === "ERROR") ? "ERROR" : "OK",
      start_time: Math.min(...counted.map(({ start_time }) => start_time)),
      end_time: Math.max(...counted.map(({ end_time }) => end_time)),
      run_id: one.run_id ?? other.run_id,
      session_id: one.session_id ?? other.session_id,
      user_id: one.user_id,
      agent_id: one.agent_id ?? other.agent_id,
      team_id: one.team_id ?? other.team_id,
      workflow_id: one.workflow_id ?? other.workflow_id,
      created_at: one.created_at
    }
  }
}
