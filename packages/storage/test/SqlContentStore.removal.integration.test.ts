import * as PostgresLayer from "@svc/testing/PostgresLayer"
import * as Sample from "@svc/testing/Sample"
import { suite } from "./ContentRemovalSuite.ts"

Sample.oneTestIn(6)
suite("on PostgreSQL", PostgresLayer.layer)
