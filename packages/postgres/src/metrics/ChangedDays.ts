// Notes the days of sessions that changed after their day was computed. A refresh computes today in any case, so that
// the usual run notes nothing.

/** Seconds before the end of a day from which on its changes are noted. */
const noteBefore = 3600

const secondsPerDay = 86_400

/** Of the sessions of a table expression with `created_at`, at a time in epoch seconds. */
export const noted = (sessions: string, at: string): string =>
  `insert into svc_changed_days (day)
    select distinct created_at / ${secondsPerDay} from ${sessions}
    where created_at / ${secondsPerDay} < (${at} + ${noteBefore}) / ${secondsPerDay}`
