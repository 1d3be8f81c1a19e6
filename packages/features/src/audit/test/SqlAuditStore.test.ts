import * as Migrations from "@svc-runtime/postgres/Migrations"
import * as PgliteLayer from "@svc-runtime/test-support/PgliteLayer"
import { Layer } from "effect"
import * as SqlAuditStore from "../SqlAuditStore.ts"
import * as AuditStoreSuite from "./AuditStoreSuite.ts"

AuditStoreSuite.suite(
  "on PGlite",
  SqlAuditStore.layer.pipe(Layer.provide(Migrations.layer), Layer.provide(PgliteLayer.layer))
)
