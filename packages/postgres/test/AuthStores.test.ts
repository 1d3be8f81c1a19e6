import { everyDatabase } from "@svc-runtime/test-support/stores/everyStore"
import * as OAuthStoreSuite from "@svc-runtime/test-support/suites/OAuthStoreSuite"
import * as ServiceAccountStoreSuite from "@svc-runtime/test-support/suites/ServiceAccountStoreSuite"
import * as InMemory from "@svc-runtime/testing/stores/InMemory"
import { Layer } from "effect"
import * as Migrations from "../src/Migrations.ts"
import * as SqlOAuthStore from "../src/SqlOAuthStore.ts"
import * as SqlServiceAccountStore from "../src/SqlServiceAccountStore.ts"

const stores = Layer.merge(SqlOAuthStore.layer, SqlServiceAccountStore.layer).pipe(Layer.provide(Migrations.layer))

OAuthStoreSuite.suite("in memory", InMemory.OAuthStore)
everyDatabase((name, database) => OAuthStoreSuite.suite(name, Layer.provide(stores, database)))

ServiceAccountStoreSuite.suite("in memory", InMemory.ServiceAccountStore)
everyDatabase((name, database) => ServiceAccountStoreSuite.suite(name, Layer.provide(stores, database)))
