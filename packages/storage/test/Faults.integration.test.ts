import * as PostgresLayer from "@svc/testing/PostgresLayer"
import { Layer } from "effect"
import { faulty } from "./faults.ts"
import { Stores } from "./Stores.ts"

faulty("PostgreSQL", Stores.pipe(Layer.provide(PostgresLayer.layer)), {
  "a connection that is cut": "select pg_terminate_backend(pg_backend_pid())"
})
