import * as PostgresLayer from "@svc-runtime/test-support/PostgresLayer"
import { Layer } from "effect"
import * as SqlStores from "../../SqlStores.ts"
import * as LearningStoreSuite from "./LearningStoreSuite.ts"

LearningStoreSuite.suite(
  "on PostgreSQL",
  (limits) => SqlStores.layer.pipe(Layer.provide(limits), Layer.provide(PostgresLayer.layer))
)
