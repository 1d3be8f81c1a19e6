// The session of an evaluation, which does not count in usage metrics. It is stored before its first run is accepted,
// so that the statement that accepts runs needs no mark. An existing session stays as it is.
import * as ComponentKind from "@svc-runtime/domain/ComponentKind"
import type { NewRun } from "@svc-runtime/engine/run/store/RunWrites"
import type { SqlClient } from "effect/sql"
import { json, jsonOrNull, text, textOrNull } from "../sql/rows.ts"

export const create = (sql: SqlClient.SqlClient, newRun: NewRun) => {
  const { component_data, component_id, component_metadata, created_at, derived_name, kind } = newRun
  return sql`
    insert into svc_sessions ${
    sql.insert({
      session_id: text(newRun.session_id),
      session_type: kind,
      ...ComponentKind.idsOf(kind, text(component_id)),
      user_id: textOrNull(newRun.user_id),
      derived_name: text(derived_name),
      session_state: "{}",
      session_metrics: "{}",
      component_data: json(component_data),
      metadata: jsonOrNull(component_metadata),
      created_at,
      updated_at: created_at,
      is_evaluation: true
    })
  } on conflict (session_id) do nothing`
}
