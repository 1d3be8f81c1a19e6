import * as Migrations from "@svc-runtime/postgres/Migrations"
import * as SqlJobStore from "@svc-runtime/postgres/SqlJobStore"
import * as PostgresLayer from "@svc-runtime/test-support/PostgresLayer"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Layer } from "effect"
import * as SqlChannelStore from "../SqlChannelStore.ts"
import * as ChannelStoreSuite from "./ChannelStoreSuite.ts"

Tier.oneIn(2)

ChannelStoreSuite.suite(
  "on PostgreSQL",
  Layer.mergeAll(SqlChannelStore.layer, SqlJobStore.layer).pipe(
    Layer.provide(Migrations.layer),
    Layer.provide(PostgresLayer.layer)
  )
)
