import * as Migrations from "@svc-runtime/postgres/Migrations"
import * as SqlJobStore from "@svc-runtime/postgres/SqlJobStore"
import * as PgliteLayer from "@svc-runtime/test-support/PgliteLayer"
import { Layer } from "effect"
import * as SqlChannelStore from "../SqlChannelStore.ts"
import * as ChannelStoreSuite from "./ChannelStoreSuite.ts"

ChannelStoreSuite.suite(
  "on PGlite",
  Layer.mergeAll(SqlChannelStore.layer, SqlJobStore.layer).pipe(
    Layer.provide(Migrations.layer),
    Layer.provide(PgliteLayer.layer)
  )
)
