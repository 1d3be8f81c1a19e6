import * as Migrations from "@svc-runtime/postgres/Migrations"
import * as PostgresLayer from "@svc-runtime/test-support/PostgresLayer"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Layer } from "effect"
import * as SqlAuditStore from "../SqlAuditStore.ts"
import * as AuditStoreSuite from "./AuditStoreSuite.ts"

Tier.oneIn(2)

AuditStoreSuite.suite(
  "on PostgreSQL",
  SqlAuditStore.layer.pipe(Layer.provide(Migrations.layer), Layer.provide(PostgresLayer.layer))
)
