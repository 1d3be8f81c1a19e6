// The path of a run in the tree of its session, as conditions of statements. Only a branched session looks anything up.

/** Where a path ends, as `svc_path` takes it. */
export interface End {
  /** Whether the session has branches. */
  readonly isBranched: string
  readonly session: string
  /** The number of the last run. Null: the newest one. */
  readonly last: string
}

/** The path that leads to the leaf of a session `s`. */
export const ofLeaf: End = { isBranched: "s.is_branched", session: "s.session_id", last: "s.leaf_run" }

/** The path that leads to a run: it ends before that run. */
export const before = (run: string, isBranched: string): End => ({
  isBranched,
  session: `${run}.session_id`,
  last: `coalesce(${run}.after_run, ${run}.seq - 1)`
})

/** The numbers on the path: all of them without branches. */
export const of = ({ isBranched, last, session }: End): string =>
  `case when ${isBranched} then svc_path(${session}, ${last}) else '{(,)}' end`

/**
 * Whether a number is on the path. The path is found once, if its end is of an outer query. In the query of the end
 * itself it would be found for each row: a query before that one has `of` there.
 */
export const has = ({ isBranched, last, session }: End, seq: string): string =>
  `(${isBranched} is not true or ${seq} <@ (select svc_path(${session}, ${last})))`

/**
 * Whether the summary of a session `s` covers only runs on the path. It covers the runs up to the last one of them on
 * its path, and a run has one path.
 */
export const covers = (end: End): string => `(s.summarized_run = 0 or ${has(end, "s.summarized_run")})`

/** The number of the run before a run. Null: it is the first one of its path. */
export const parentOf = (run: string): string =>
  `nullif(coalesce(${run}.after_run, (
    select parent.seq from svc_runs parent
    where parent.session_id = ${run}.session_id and parent.parent_run_id is null and parent.seq < ${run}.seq
    order by parent.seq desc limit 1
  ), 0), 0)`
