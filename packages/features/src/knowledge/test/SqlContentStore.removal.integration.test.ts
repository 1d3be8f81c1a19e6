import * as PostgresLayer from "@svc-runtime/test-support/PostgresLayer"
import * as Sample from "@svc-runtime/test-support/Sample"
import { suite } from "./ContentRemovalSuite.ts"

Sample.oneTestIn(6)
suite("on PostgreSQL", PostgresLayer.layer)
