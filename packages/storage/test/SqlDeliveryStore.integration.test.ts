import * as PostgresLayer from "@svc/testing/PostgresLayer"
import * as DeliveryStoreSuite from "@svc/testing/suites/DeliveryStoreSuite"
import { Layer } from "effect"
import * as SqlStores from "../src/SqlStores.ts"

DeliveryStoreSuite.suite("on PostgreSQL", SqlStores.layer.pipe(Layer.provide(PostgresLayer.layer)))
