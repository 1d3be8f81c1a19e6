// Counts a request of a background job with one statement: on its session, and in the usage of the hour. What the
// statement leaves in `svc_ended_runs` is added to its hour with the ends of runs.
import { ComponentKind } from "@svc-runtime/domain/ComponentKind"
import type * as Session from "@svc-runtime/domain/Session"
import type * as Time from "@svc-runtime/domain/Time"
import * as Usage from "@svc-runtime/domain/Usage"
import * as UsageHour from "@svc-runtime/domain/UsageHour"
import { Effect, Schema } from "effect"
import { type SqlClient, SqlSchema } from "effect/sql"
import * as ChangedDays from "../metrics/ChangedDays.ts"
import { orUnavailable } from "../sql/orUnavailable.ts"
import { jsonb, text, unchecked } from "../sql/rows.ts"

interface Counted {
  readonly id: Session.Id
  readonly request: Usage.Request
  readonly at: Time.EpochSeconds
}

export const make = (sql: SqlClient.SqlClient) => {
  const add = SqlSchema.findOneOption({
    Request: unchecked<Counted>(),
    Result: Schema.Struct({ kind: ComponentKind, id: Schema.String }),
    execute: ({ at, id, request }) => {
      const usage = jsonb(Usage.ofRequest(request))
      const { model } = request
      return sql`
        with used as (
          select ${at}::bigint as at, ${usage}::jsonb as usage
        ), changed as (
          update svc_sessions s
          set session_metrics = svc_add_usage(coalesce(s.session_metrics, '{}'), used.usage)
          from used where s.session_id = ${text(id)}
          returning s.created_at, s.is_evaluation, s.session_type as kind, s.user_id,
            coalesce(s.agent_id, s.team_id, s.workflow_id, '') as component_id, used.at, used.usage
        ), changed_days as (
          ${sql.literal(ChangedDays.noted("changed", "at"))}
        ), ended_runs as (
          insert into svc_ended_runs (ended_at, kind, component_id, user_id, model, model_provider, status, usage)
          select at, kind, component_id, user_id, ${text(model.id)}, ${text(model.provider)}, ${UsageHour.background},
            usage
          from changed where not is_evaluation
        )
        select kind, component_id as id from changed`
    }
  })

  return Effect.fn("SqlSessionStore.addUsage")((id: Session.Id, request: Usage.Request, at: Time.EpochSeconds) =>
    orUnavailable(add({ id, request, at }))
  )
}
