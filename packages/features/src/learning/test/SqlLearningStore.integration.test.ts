import * as PostgresLayer from "@svc-runtime/test-support/PostgresLayer"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Layer } from "effect"
import * as SqlStores from "../../SqlStores.ts"
import * as LearningStoreSuite from "./LearningStoreSuite.ts"

Tier.oneIn(3)

LearningStoreSuite.suite(
  "on PostgreSQL",
  (limits) => SqlStores.layer.pipe(Layer.provide(limits), Layer.provide(PostgresLayer.layer))
)
