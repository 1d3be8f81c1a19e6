// The columns of schedules `s` and of their runs `r`. The driver would make JavaScript `bigint`s of times.

export const scheduleColumns = `s.id, s.name, s.description, s.method, s.endpoint, s.payload, s.cron_expr, s.timezone,
  s.timeout_seconds, s.max_retries, s.retry_delay_seconds, s.catch_up, s.catch_up_window_seconds, s.overlap,
  s.jitter_seconds, s.enabled, s.consecutive_failures, s.paused_reason, s.next_run_at::float8 as next_run_at,
  s.created_at::float8 as created_at, s.updated_at::float8 as updated_at, s.author`

export const runColumns = `r.id, r.schedule_id, r.attempt, r.triggered_at::float8 as triggered_at,
  r.completed_at::float8 as completed_at, r.status, r.status_code, r.run_id, r.session_id, r.error, r.input, r.output,
  r.requirements, r.created_at::float8 as created_at`

// What an attempt began with can have "\u0000", and such JSON cannot be taken apart in the database. So the end of its
// text is compared and changed: the author is its last field, and the mark of a last attempt comes behind it.

const mark = `"isLast" : true}`

/** Whether the attempt `run` is the last one of its author. */
export const isLast = (run: "e" | "r") => `coalesce(right(${run}.begun::text, ${mark.length}) = '${mark}', false)`

export const asLast = `(left(r.begun::text, -1) || ', ${mark}')::json`

/** For an attempt that ends: only the mark stays. */
export const onlyMark = `case when ${isLast("r")} then '{${mark}'::json end`

/** How what an attempt of this author began with ends, by the name of a column. */
export const endOfAuthor = (author: string) => `substr(json_build_object('author', ${author})::text, 2)`
