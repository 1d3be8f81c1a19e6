// The SQL stores over whatever database is given below them.
import * as Migrations from "@svc/storage/Migrations"
import * as SqlRunStore from "@svc/storage/SqlRunStore"
import * as SqlSessionStore from "@svc/storage/SqlSessionStore"
import { Layer } from "effect"

export const Stores = Layer.mergeAll(SqlSessionStore.layer, SqlRunStore.layer).pipe(Layer.provide(Migrations.layer))
