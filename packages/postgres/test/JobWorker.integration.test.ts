import * as SqlStores from "@svc-runtime/features/SqlStores"
import * as PostgresLayer from "@svc-runtime/test-support/PostgresLayer"
import * as JobWorkerSuite from "@svc-runtime/test-support/suites/JobWorkerSuite"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Layer } from "effect"

Tier.oneIn(12)
JobWorkerSuite.suite("on PostgreSQL", SqlStores.layer.pipe(Layer.provide(PostgresLayer.layer)))
