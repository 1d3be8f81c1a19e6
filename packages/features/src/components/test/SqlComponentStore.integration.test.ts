import * as Migrations from "@svc-runtime/postgres/Migrations"
import * as PostgresLayer from "@svc-runtime/test-support/PostgresLayer"
import { Layer } from "effect"
import * as SqlComponentStore from "../SqlComponentStore.ts"
import * as ComponentStoreSuite from "./ComponentStoreSuite.ts"

ComponentStoreSuite.suite(
  "on PostgreSQL",
  SqlComponentStore.layer.pipe(Layer.provide(Migrations.layer), Layer.provide(PostgresLayer.layer))
)
