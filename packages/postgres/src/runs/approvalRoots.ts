// The root run of an approval `a`, as SQL.

/** Of an approval that versions without the column `root_run_id` stored. Null if its runs are not stored. */
const searchedRoot = `coalesce(
  (select coalesce(r.outermost_run_id, r.run_id) from svc_runs r where r.run_id = a.run_id),
  (
    select r.run_id from svc_runs r
    where r.session_id = a.session_id and r.kind = 'workflow' and r.status = 'PAUSED'
      and strpos(r.output::text, '"' || a.run_id || '"') > 0
    order by r.seq limit 1
  )
)`

/** A nested run is stored when its root run pauses: until then an unfinished run of the session may contain it. */
export const foundRoot = `coalesce(
  a.root_run_id,
  ${searchedRoot},
  (
    select r.run_id from svc_runs r
    where r.session_id = a.session_id and r.outermost_run_id is null and r.status in ('PENDING', 'RUNNING')
    order by r.seq limit 1
  )
)`
