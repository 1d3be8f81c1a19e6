import * as SqlStores from "@svc-runtime/features/SqlStores"
import * as PostgresLayer from "@svc-runtime/test-support/PostgresLayer"
import * as Sample from "@svc-runtime/test-support/Sample"
import * as JobWorkerSuite from "@svc-runtime/test-support/suites/JobWorkerSuite"
import { Layer } from "effect"

Sample.oneTestIn(6)
JobWorkerSuite.suite("on PostgreSQL", SqlStores.layer.pipe(Layer.provide(PostgresLayer.layer)))
