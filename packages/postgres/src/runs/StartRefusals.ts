// The limits of a run that starts or continues, as the functions of the database read them: the function
// `svc_start_refusals` finds the runs that exceed one, and what has started is counted in the same statement.
import { LimitReached } from "@svc-runtime/engine/run/RunErrors"
import * as StartLimits from "@svc-runtime/engine/run/StartLimits"
import { Schema } from "effect"
import { jsonb } from "../sql/rows.ts"

/** The database has no larger ones. */
const integer = (limit: number | undefined) =>
  limit === undefined ? undefined : Math.min(limit, Number.MAX_SAFE_INTEGER)

export const encode = (start: StartLimits.LimitedStart): string => {
  const { component_id, kind, limits, maxWaiting, maxWaitingOfUser, user_id } = start
  return jsonb({
    user_id,
    kind,
    component_id,
    most_waiting: integer(maxWaiting),
    most_waiting_of_user: integer(maxWaitingOfUser),
    limits: limits.map(({ runsAtOnce, runsPerMinute, scope, tokensPerDay }) => ({
      scope,
      key: StartLimits.keyOf(start, scope),
      at_once: integer(runsAtOnce),
      per_minute: integer(runsPerMinute),
      per_day: tokensPerDay
    }))
  })
}

/** Counts the starts of `from`, whose rows have the limits of a run as `start`. The keys are locked already. */
export const counting = (from: string): string =>
  `insert into svc_run_starts as r (key, since, count)
  select l->>'key', clock_timestamp(), count(*)
  from (select start from ${from}) s cross join lateral json_array_elements(s.start->'limits') l
  where l->>'per_minute' is not null group by 1 order by 1
  on conflict (key) do update set
    count = excluded.count + case when r.since > excluded.since - interval '1 minute' then r.count else 0 end,
    since = case when r.since > excluded.since - interval '1 minute' then r.since else excluded.since end`

export const Refusal = Schema.Struct({
  scope: LimitReached.fields.scope,
  name: LimitReached.fields.name,
  used: Schema.Finite,
  limit: Schema.Finite,
  retry_after: Schema.Finite
})
