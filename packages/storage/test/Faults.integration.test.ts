import * as PostgresLayer from "@svc/testing/PostgresLayer"
import { faulty } from "./faults.ts"

faulty("PostgreSQL", PostgresLayer.layer, {
  "a connection that is cut": "select pg_terminate_backend(pg_backend_pid())"
})
