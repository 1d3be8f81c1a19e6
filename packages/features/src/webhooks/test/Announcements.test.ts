import * as Stores from "@svc-runtime/engine/database/Stores"
import * as AnnouncementSuite from "@svc-runtime/test-support/suites/AnnouncementSuite"

AnnouncementSuite.suite("in memory", Stores.layerMemory)
