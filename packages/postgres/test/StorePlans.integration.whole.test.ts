import * as PostgresLayer from "@svc-runtime/test-support/PostgresLayer"
import { plans } from "./planned.ts"

plans("on PostgreSQL", PostgresLayer.layer)
