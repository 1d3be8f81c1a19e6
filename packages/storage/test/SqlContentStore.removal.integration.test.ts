import * as PostgresLayer from "@svc/testing/PostgresLayer"
import { suite } from "./ContentRemovalSuite.ts"

suite("on PostgreSQL", PostgresLayer.layer)
