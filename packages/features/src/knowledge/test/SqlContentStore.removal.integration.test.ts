import * as PostgresLayer from "@svc-runtime/test-support/PostgresLayer"
import * as Tier from "@svc-runtime/test-support/Tier"
import { suite } from "./ContentRemovalSuite.ts"

Tier.oneIn(10)
suite("on PostgreSQL", PostgresLayer.layer)
