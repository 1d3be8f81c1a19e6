import * as Migrations from "@svc-runtime/postgres/Migrations"
import * as SqlSessionStore from "@svc-runtime/postgres/SqlSessionStore"
import * as PgliteLayer from "@svc-runtime/test-support/PgliteLayer"
import { Layer } from "effect"
import * as SqlWorkspaceStore from "../SqlWorkspaceStore.ts"
import * as WorkspaceStoreSuite from "./WorkspaceStoreSuite.ts"

WorkspaceStoreSuite.suite(
  "on PGlite",
  Layer.merge(SqlWorkspaceStore.layer, SqlSessionStore.layer).pipe(
    Layer.provide(Migrations.layer),
    Layer.provide(PgliteLayer.layer)
  )
)
