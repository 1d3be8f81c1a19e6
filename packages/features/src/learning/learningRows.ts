// Maps learnings to rows and back.
import type * as Ids from "@svc-runtime/domain/Ids"
import * as ReadableRows from "@svc-runtime/postgres/sql/ReadableRows"
import { jsonOrNull, text, textOrNull } from "@svc-runtime/postgres/sql/rows"
import * as Learning from "./Learning.ts"

const names = `learning_id, learning_type, namespace, user_id, agent_id, team_id, session_id, entity_id, entity_type,
  content, metadata`

/** The columns of a learning `l`. */
export const learningColumns = `${names.replaceAll(/\w+/g, "l.$&")}, l.created_at::float8 as created_at,
  l.updated_at::float8 as updated_at`

export const readable = ReadableRows.make(Learning.Learning, "learning_id")

export const toRow = (learning: Learning.Learning, by: Ids.UserId | undefined) => ({
  learning_id: text(learning.learning_id),
  learning_type: text(learning.learning_type),
  namespace: textOrNull(learning.namespace),
  user_id: textOrNull(learning.user_id),
  agent_id: textOrNull(learning.agent_id),
  team_id: textOrNull(learning.team_id),
  session_id: textOrNull(learning.session_id),
  entity_id: textOrNull(learning.entity_id),
  entity_type: textOrNull(learning.entity_type),
  content: jsonOrNull(learning.content),
  metadata: jsonOrNull(learning.metadata),
  is_proposed: Learning.isProposed(learning),
  proposed_by: textOrNull(Learning.proposerOf(learning, by)),
  created_at: learning.created_at,
  updated_at: learning.updated_at
})
