import * as Migrations from "@svc-runtime/postgres/Migrations"
import * as PgliteLayer from "@svc-runtime/test-support/PgliteLayer"
import { Layer } from "effect"
import * as SqlChannelLinkStore from "../SqlChannelLinkStore.ts"
import * as ChannelLinkStoreSuite from "./ChannelLinkStoreSuite.ts"

ChannelLinkStoreSuite.suite(
  "on PGlite",
  SqlChannelLinkStore.layer.pipe(
    Layer.provide(Migrations.layer),
    Layer.provide(PgliteLayer.layer)
  )
)
