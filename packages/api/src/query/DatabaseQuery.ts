// The query parameters by which a request selects a database, and a table in it.
import * as Ids from "@svc-runtime/domain/Ids"
import { Schema } from "effect"

export const database = {
  db_id: Schema.optionalKey(Ids.DatabaseId),
  table: Schema.optionalKey(Schema.String)
}

export const owner = { user_id: Schema.optionalKey(Ids.UserIdInput) }
