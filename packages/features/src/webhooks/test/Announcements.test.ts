import * as AnnouncementSuite from "@svc-runtime/test-support/suites/AnnouncementSuite"
import * as InMemory from "@svc-runtime/testing/stores/InMemory"

AnnouncementSuite.suite("in memory", InMemory.layer)
