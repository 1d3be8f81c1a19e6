import * as PostgresLayer from "@svc/testing/PostgresLayer"
import * as LearningStoreSuite from "@svc/testing/suites/LearningStoreSuite"
import { Layer } from "effect"
import * as SqlStores from "../src/SqlStores.ts"

LearningStoreSuite.suite("on PostgreSQL", SqlStores.layer.pipe(Layer.provide(PostgresLayer.layer)))
