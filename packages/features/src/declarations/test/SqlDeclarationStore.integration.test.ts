import * as Migrations from "@svc-runtime/postgres/Migrations"
import * as PostgresLayer from "@svc-runtime/test-support/PostgresLayer"
import { Layer } from "effect"
import * as SqlDeclarationStore from "../SqlDeclarationStore.ts"
import * as DeclarationStoreSuite from "./DeclarationStoreSuite.ts"

DeclarationStoreSuite.suite(
  "on PostgreSQL",
  SqlDeclarationStore.layer.pipe(Layer.provide(Migrations.layer), Layer.provide(PostgresLayer.layer))
)
