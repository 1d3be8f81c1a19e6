import * as PostgresLayer from "@svc/testing/PostgresLayer"
import * as Sample from "@svc/testing/Sample"
import * as LearningStoreSuite from "@svc/testing/suites/LearningStoreSuite"
import { Layer } from "effect"
import * as SqlStores from "../src/SqlStores.ts"

Sample.oneTestIn(6)
LearningStoreSuite.suite("on PostgreSQL", SqlStores.layer.pipe(Layer.provide(PostgresLayer.layer)))
