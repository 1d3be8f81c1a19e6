import * as PostgresLayer from "@svc/testing/PostgresLayer"
import { plans } from "./planned.ts"

plans("on PostgreSQL", PostgresLayer.layer)
