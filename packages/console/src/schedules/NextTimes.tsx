// The next times of a schedule, or of a cron expression that a person is typing.
import { useEffect, useState } from "preact/hooks"
import { Problem } from "../parts/Problem.tsx"
import { Time } from "../parts/Time.tsx"
import { may } from "../service/Caller.ts"
import { svc } from "../service/Service.ts"
import { useLoaded } from "../service/useLoaded.ts"

const count = 5

/** Milliseconds without a further key. */
const pause = 300

const List = ({ times }: { readonly times: ReadonlyArray<number> }) => (
  <ol class="times" aria-label="Next times">
    {times.map((time) => (
      <li key={time}>
        <Time value={time} />
      </li>
    ))}
  </ol>
)

interface Expression {
  readonly cron_expr: string
  readonly timezone: string
}

interface Stored extends Expression {
  readonly id: string
  /** The times are read again when it has passed. */
  readonly next: number | string | null | undefined
}

export const NextTimes = ({ cron_expr, id, next, timezone }: Stored) => {
  const { problem, value } = useLoaded(
    (signal) => svc().schedules.next(id, { count }, { signal }),
    [id, cron_expr, timezone, next]
  )
  return (
    <>
      <Problem error={problem} />
      {value === undefined ? null : <List times={value.times} />}
    </>
  )
}

const Loaded = ({ cron_expr, timezone }: Expression) => {
  const { problem, value } = useLoaded(
    (signal) => svc().schedules.preview({ cron_expr, count, ...(timezone === "" ? {} : { timezone }) }, { signal }),
    [cron_expr, timezone]
  )
  return (
    <>
      <Problem error={problem} />
      {value === undefined ? null : (
        <>
          <p class="label">Next times, in your time zone</p>
          <List times={value.times} />
        </>
      )}
    </>
  )
}

export const CronPreview = ({ cron_expr, timezone }: Expression) => {
  const [typed, setTyped] = useState<Expression>({ cron_expr, timezone })
  useEffect(() => {
    const timer = setTimeout(() => setTyped({ cron_expr, timezone }), pause)
    return () => clearTimeout(timer)
  }, [cron_expr, timezone])
  return typed.cron_expr.trim() === "" || !may("schedules:read") ? null : <Loaded {...typed} />
}
