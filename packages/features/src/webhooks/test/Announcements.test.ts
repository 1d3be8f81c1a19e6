import * as InMemory from "@svc-runtime/testing/stores/InMemory"
import * as AnnouncementSuite from "./AnnouncementSuite.ts"

AnnouncementSuite.suite("in memory", InMemory.layer)
