import * as Migrations from "@svc-runtime/postgres/Migrations"
import * as PostgresLayer from "@svc-runtime/test-support/PostgresLayer"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Layer } from "effect"
import * as SqlChannelLinkStore from "../SqlChannelLinkStore.ts"
import * as ChannelLinkStoreSuite from "./ChannelLinkStoreSuite.ts"

Tier.oneIn(2)

ChannelLinkStoreSuite.suite(
  "on PostgreSQL",
  SqlChannelLinkStore.layer.pipe(
    Layer.provide(Migrations.layer),
    Layer.provide(PostgresLayer.layer)
  )
)
