import * as PgliteLayer from "@svc-runtime/test-support/PgliteLayer"
import * as PostgresLayer from "@svc-runtime/test-support/PostgresLayer"
import * as Tier from "@svc-runtime/test-support/Tier"
import { faulty } from "./faults.ts"

Tier.oneIn(6)

faulty("PGlite", PgliteLayer.layer)

faulty("PostgreSQL", PostgresLayer.layer, {
  "a connection that is cut": "select pg_terminate_backend(pg_backend_pid())"
})
