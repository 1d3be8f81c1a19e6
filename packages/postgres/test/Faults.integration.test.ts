import * as PostgresLayer from "@svc-runtime/test-support/PostgresLayer"
import * as Sample from "@svc-runtime/test-support/Sample"
import { faulty } from "./faults.ts"

Sample.oneTestIn(3)

faulty("PostgreSQL", PostgresLayer.layer, {
  "a connection that is cut": "select pg_terminate_backend(pg_backend_pid())"
})
