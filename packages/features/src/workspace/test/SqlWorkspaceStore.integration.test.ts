import * as Migrations from "@svc-runtime/postgres/Migrations"
import * as SqlSessionStore from "@svc-runtime/postgres/SqlSessionStore"
import * as PostgresLayer from "@svc-runtime/test-support/PostgresLayer"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Layer } from "effect"
import * as SqlWorkspaceStore from "../SqlWorkspaceStore.ts"
import * as WorkspaceStoreSuite from "./WorkspaceStoreSuite.ts"

Tier.oneIn(2)

WorkspaceStoreSuite.suite(
  "on PostgreSQL",
  Layer.merge(SqlWorkspaceStore.layer, SqlSessionStore.layer).pipe(
    Layer.provide(Migrations.layer),
    Layer.provide(PostgresLayer.layer)
  )
)
