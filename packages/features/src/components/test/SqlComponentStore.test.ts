import * as Migrations from "@svc-runtime/postgres/Migrations"
import * as PgliteLayer from "@svc-runtime/test-support/PgliteLayer"
import { Layer } from "effect"
import * as SqlComponentStore from "../SqlComponentStore.ts"
import * as ComponentStoreSuite from "./ComponentStoreSuite.ts"

ComponentStoreSuite.suite(
  "on PGlite",
  SqlComponentStore.layer.pipe(Layer.provide(Migrations.layer), Layer.provide(PgliteLayer.layer))
)
