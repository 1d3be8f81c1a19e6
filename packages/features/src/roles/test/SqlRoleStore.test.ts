import * as Migrations from "@svc-runtime/postgres/Migrations"
import * as PgliteLayer from "@svc-runtime/test-support/PgliteLayer"
import { Layer } from "effect"
import * as SqlRoleStore from "../SqlRoleStore.ts"
import * as RoleStoreSuite from "./RoleStoreSuite.ts"

RoleStoreSuite.suite(
  "on PGlite",
  SqlRoleStore.layer.pipe(Layer.provide(Migrations.layer), Layer.provide(PgliteLayer.layer))
)
