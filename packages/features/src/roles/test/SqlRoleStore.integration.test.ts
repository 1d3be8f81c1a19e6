import * as Migrations from "@svc-runtime/postgres/Migrations"
import * as PostgresLayer from "@svc-runtime/test-support/PostgresLayer"
import { Layer } from "effect"
import * as SqlRoleStore from "../SqlRoleStore.ts"
import * as RoleStoreSuite from "./RoleStoreSuite.ts"

RoleStoreSuite.suite(
  "on PostgreSQL",
  SqlRoleStore.layer.pipe(Layer.provide(Migrations.layer), Layer.provide(PostgresLayer.layer))
)
