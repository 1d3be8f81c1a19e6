// Stored components are in the service's own database, and so are their evaluations.
import type { Databases } from "@svc-runtime/agents/database/Databases"
import { Errors } from "@svc-runtime/api"
import type { Database } from "@svc-runtime/engine/database/Database"
import { Effect } from "effect"

export const check = ({ all: [own] }: Databases["Service"]) => ({ id }: Database) =>
  id === own.id
    ? Effect.void
    : Effect.fail(Errors.badRequest(`A stored component can be evaluated in the database '${own.id}' only`))
