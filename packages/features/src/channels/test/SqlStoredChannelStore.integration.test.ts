import * as Migrations from "@svc-runtime/postgres/Migrations"
import * as PostgresLayer from "@svc-runtime/test-support/PostgresLayer"
import { Layer } from "effect"
import * as SqlStoredChannelStore from "../SqlStoredChannelStore.ts"
import * as StoredChannelStoreSuite from "./StoredChannelStoreSuite.ts"

StoredChannelStoreSuite.suite(
  "on PostgreSQL",
  SqlStoredChannelStore.layer.pipe(Layer.provide(Migrations.layer), Layer.provide(PostgresLayer.layer))
)
