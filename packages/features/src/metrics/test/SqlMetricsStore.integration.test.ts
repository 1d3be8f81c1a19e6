import * as SqlStores from "@svc-runtime/features/SqlStores"
import * as PostgresLayer from "@svc-runtime/test-support/PostgresLayer"
import * as Sample from "@svc-runtime/test-support/Sample"
import { Layer } from "effect"
import * as MetricsStoreSuite from "./MetricsStoreSuite.ts"

Sample.oneTestIn(6)
MetricsStoreSuite.suite("on PostgreSQL", SqlStores.layer.pipe(Layer.provide(PostgresLayer.layer)))
