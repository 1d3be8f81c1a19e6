import * as PostgresLayer from "@svc/testing/PostgresLayer"
import * as JobWorkerSuite from "@svc/testing/suites/JobWorkerSuite"
import { Layer } from "effect"
import * as SqlStores from "../src/SqlStores.ts"

JobWorkerSuite.suite("on PostgreSQL", SqlStores.layer.pipe(Layer.provide(PostgresLayer.layer)))
