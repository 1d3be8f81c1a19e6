// The SQL stores over whatever database is given below them.
import * as SqlComponentStore from "@svc-runtime/features/components/SqlComponentStore"
import { Layer } from "effect"
import * as Migrations from "../src/Migrations.ts"
import * as SqlApprovalStore from "../src/SqlApprovalStore.ts"
import * as SqlJobStore from "../src/SqlJobStore.ts"
import * as SqlMemorySettingsStore from "../src/SqlMemorySettingsStore.ts"
import * as SqlRunStore from "../src/SqlRunStore.ts"
import * as SqlSessionStore from "../src/SqlSessionStore.ts"

export const Stores = Layer.mergeAll(
  SqlApprovalStore.layer,
  SqlSessionStore.layer,
  SqlRunStore.layer,
  SqlComponentStore.layer,
  SqlJobStore.layer,
  SqlMemorySettingsStore.layer
).pipe(
  Layer.provide(Migrations.layer)
)
