import * as Migrations from "@svc-runtime/postgres/Migrations"
import * as PgliteLayer from "@svc-runtime/test-support/PgliteLayer"
import { Layer } from "effect"
import * as SqlDeclarationStore from "../SqlDeclarationStore.ts"
import * as DeclarationStoreSuite from "./DeclarationStoreSuite.ts"

DeclarationStoreSuite.suite(
  "on PGlite",
  SqlDeclarationStore.layer.pipe(Layer.provide(Migrations.layer), Layer.provide(PgliteLayer.layer))
)
