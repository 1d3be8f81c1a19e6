import * as PostgresLayer from "@svc/testing/PostgresLayer"
import * as Sample from "@svc/testing/Sample"
import { faulty } from "./faults.ts"

Sample.oneTestIn(3)

faulty("PostgreSQL", PostgresLayer.layer, {
  "a connection that is cut": "select pg_terminate_backend(pg_backend_pid())"
})
