import * as PostgresLayer from "@svc/testing/PostgresLayer"
import * as Sample from "@svc/testing/Sample"
import * as ComponentStoreSuite from "@svc/testing/suites/ComponentStoreSuite"
import { Layer } from "effect"
import * as Migrations from "../src/Migrations.ts"
import * as SqlComponentStore from "../src/SqlComponentStore.ts"

Sample.oneTestIn(6)
ComponentStoreSuite.suite(
  "on PostgreSQL",
  SqlComponentStore.layer.pipe(Layer.provide(Migrations.layer), Layer.provide(PostgresLayer.layer))
)
